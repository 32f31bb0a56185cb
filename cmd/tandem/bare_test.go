package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"

	"github.com/rogpeppe/go-internal/testscript"

	"metaroce/tandem/cosim/regress/result"
)

// bare writes all that a run came to, times and its own path taken out, into a file: bare RUN FILE. These are equal in
// bytes for any number of workers and any launcher.
func bare(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bare RUN FILE")
	}
	run := ts.MkAbs(args[0])
	var b bytes.Buffer
	list, err := result.ReadFile(filepath.Join(run, "results.jsonl"))
	ts.Check(err)
	for i := range list {
		w := list[i].Without()
		line, err := w.Append(nil)
		ts.Check(err)
		b.Write(line)
	}
	var files []string
	for _, name := range []string{"tests", "cover", "triage.json"} {
		err := filepath.WalkDir(filepath.Join(run, name), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				files = append(files, path)
			}
			return nil // what is not there is in none of the runs
		})
		ts.Check(err)
	}
	sort.Strings(files)
	for _, path := range files {
		rel, err := filepath.Rel(run, path)
		ts.Check(err)
		text, err := os.ReadFile(path)
		ts.Check(err)
		b.WriteString("== " + rel + "\n")
		text = bytes.ReplaceAll(text, []byte("tandem rerun "+filepath.Base(run)), []byte("tandem rerun RUN"))
		b.Write(variable.ReplaceAll(bytes.ReplaceAll(text, []byte(run), []byte("RUN")), []byte("$1")))
	}
	header, err := os.ReadFile(filepath.Join(run, "run.json"))
	ts.Check(err)
	b.Write(digestLine.Find(header))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}

// variable are times in the files of a run, and its name.
var variable = regexp.MustCompile(`("(?:wall_ns|run|day)":\s*)(?:[0-9]+|"[^"]*")`)

var digestLine = regexp.MustCompile(`"digest": "[0-9a-f]+"`)
