package shard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/internal/atomicfile"
)

// Version of a shard's file.
const Version = 1

// Folder is where shards are, below the run folder.
const Folder = "shards"

// StopFile, in the run folder, has every shard of the run end: there are launchers whose jobs cannot be told otherwise.
const StopFile = "stop"

// File is what a shard has to do.
type File struct {
	Version int         `json:"version"`
	Name    string      `json:"name"`
	Round   int         `json:"round"`
	Env     execute.Env `json:"env"`
	Count   int         `json:"count"` // of the cases that follow, a line each

	Cases []plan.Case `json:"-"`
}

// Paths of a shard's files.
type Paths struct{ File, Records, Begun, Beat, Log string }

// PathsOf are those of a shard by the path of its file.
func PathsOf(file string) Paths {
	base := file[:len(file)-len(filepath.Ext(file))]
	return Paths{file, base + ".jsonl", base + ".begun", base + ".beat", base + ".log"}
}

// Write writes the file of a shard into its run folder and returns its path.
func (f *File) Write() (string, error) {
	f.Version, f.Count = Version, len(f.Cases)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(f)
	for i := range f.Cases {
		err = errors.Join(err, e.Encode(&f.Cases[i]))
	}
	if err != nil {
		return "", err
	}
	path := filepath.Join(f.Env.Run, Folder, f.Name+".json")
	return path, atomicfile.Write(path, b.Bytes())
}

// Read reads the file of a shard.
func Read(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d := json.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Version != Version {
		return nil, fmt.Errorf("%s has form %d, this program reads %d", path, f.Version, Version)
	}
	for {
		var c plan.Case
		err := d.Decode(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", path, len(f.Cases)+1, err)
		}
		f.Cases = append(f.Cases, c)
	}
	if len(f.Cases) != f.Count {
		return nil, fmt.Errorf("%s has %d cases and says %d: it is cut off", path, len(f.Cases), f.Count)
	}
	return f, nil
}

// Life is the sign of life of a shard.
type Life struct {
	Pid   int    `json:"pid"`
	Host  string `json:"host"`
	At    int64  `json:"at_ms"` // Unix time on that host
	Turn  int    `json:"turn"`  // rises with every sign: clocks of two hosts cannot be compared
	Case  string `json:"case,omitempty"`
	Done  int    `json:"done"`
	Of    int    `json:"of"`
	Ended bool   `json:"ended,omitempty"`
}

// ReadLife reads the sign of life; false: there is none yet.
func ReadLife(path string) (Life, bool) {
	var l Life
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &l) != nil {
		return Life{}, false
	}
	return l, true
}

// undone stands before the ID of a case that was begun and ended with its supervisor in good order: it is not to blame.
const undone = "-"

// ReadBegun counts how often each case was begun and nobody was left to say how it ended, or it has a record.
func ReadBegun(path string) (map[string]int, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n := map[string]int{}
	for line := range bytes.Lines(b) {
		id, whole := strings.CutSuffix(string(line), "\n")
		if name, back := strings.CutPrefix(id, undone); whole && back {
			n[name]--
		} else if whole {
			n[id]++
		}
	}
	return n, nil
}
