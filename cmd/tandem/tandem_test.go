package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/shrink"
	"metaroce/tandem/cosim/regress/triage"
)

var rewrite = flag.Bool("rewrite", false, "write the golden parts of the scripts again; look at the difference")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tandem": main})
}

// TestScripts plays the user. Scripts that need a simulator are in another test.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *rewrite, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			first, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator)) // holds tandem and nothing else
			e.Setenv("BIN", first)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "appears": appears, "says": says, "released": released, "bare": bare, "full": filled},
	})
}

// TestScriptsOnRTL plays the user who has a simulator.
func TestScriptsOnRTL(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	seeds := os.Getenv("TANDEM_SEEDS") // make five-bugs: more of them
	if seeds == "" {
		seeds = "2"
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/rtl", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("SEEDS", seeds)
			e.Setenv("HOME", os.Getenv("HOME")) // of tools that build
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "alone": alone, "repeats": repeats, "shrunk": shrunk, "dumps": dumps},
	})
}

// shrunk makes random traffic of 5,000 packets with a planted bug small, and holds the text to what is promised: shrunk FAULT SEED.
func shrunk(ts *testscript.TestScript, _ bool, args []string) {
	root := ts.Getenv("ROOT")
	ts.Check(ts.Exec("tandem", "shrink", "--random", "5000", "--fault", args[0], "--seed", args[1], "--root", root, "-o", args[0]+".scn"))
	var r shrink.Saved
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0]+".json")), &r))
	if r.Before < 5000 || r.After >= 20 || r.Runs >= 100 {
		ts.Fatalf("%s: %d of %d events after %d runs", args[0], r.After, r.Before, r.Runs)
	}
	ts.Check(ts.Exec("tandem", "vectors", "fmt", "--check", r.File))
	ts.Check(ts.Exec("tandem", "run", r.File, "--root", root))
	words := strings.Fields(r.Again)
	if err := ts.Exec(words[0], words[1:]...); err == nil || !strings.Contains(ts.ReadFile("stdout"), r.Line) {
		ts.Fatalf("%s: %s does not come to %q", args[0], r.Again, r.Line)
	}
}

// alone wants one bucket for each of some suites, with failures of that suite and of no other: alone RUN SUITES.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: alone RUN SUITES")
	}
	x, err := triage.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	var met []string
	for _, b := range x.Buckets {
		if b.Count == 0 || b.Folder == "" || b.Rerun == "" {
			ts.Fatalf("bucket %s: empty, or without folder and line", b.ID)
		}
		suite, _, _ := strings.Cut(b.Tests[0], "/")
		for _, name := range b.Tests {
			if !strings.HasPrefix(name, suite+"/") {
				ts.Fatalf("bucket %s holds failures of two bugs: %v", b.ID, b.Tests)
			}
		}
		met = append(met, suite)
	}
	slices.Sort(met)
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(met, want) {
		ts.Fatalf("buckets of %v, want one each of %v", met, want)
	}
}

// repeats runs the line of every bucket as it was printed, and wants the same end each time: repeats RUN N.
func repeats(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: repeats RUN N")
	}
	x, err := triage.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	if strconv.Itoa(len(x.Buckets)) != args[1] {
		ts.Fatalf("%d buckets, want %s", len(x.Buckets), args[1])
	}
	for _, b := range x.Buckets {
		words := strings.Fields(b.Rerun)
		code(ts, false, append([]string{"1"}, words[1:]...))
		if out := ts.ReadFile("stdout"); !strings.Contains(out, "the same as in "+x.Run) {
			ts.Fatalf("%s: another end:\n%s", b.Rerun, out)
		}
	}
}

// code runs tandem and wants an exit code: code N ARGUMENTS.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARGUMENTS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("tandem", args[1:]...)
	got := 0
	if err != nil {
		i := strings.LastIndex(err.Error(), "exit status ")
		if i < 0 {
			ts.Fatalf("tandem: %v", err)
		}
		got, _ = strconv.Atoi(err.Error()[i+len("exit status "):])
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// filled runs tandem where files cannot grow, as on a full disk, and wants exit code 2: full ARGUMENTS.
func filled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: full ARGUMENTS")
	}
	err := ts.Exec("sh", append([]string{"-c", `ulimit -f 1; exec tandem "$@"`, "sh"}, args...)...)
	if err == nil || !strings.HasSuffix(err.Error(), "exit status 2") {
		ts.Fatalf("%v, want exit status 2", err)
	}
}

// appears waits for a file that a command in the background writes: appears FILE. The test's own time limit bounds it.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appears FILE")
	}
	for {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// says waits for a file that a command in the background writes to hold a text: says FILE TEXT.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: says FILE TEXT")
	}
	for {
		if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(b), args[1]) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// released waits until nobody holds a run of a regression, its shards included: released RUN.
func released(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: released RUN")
	}
	held := func(name string) bool {
		f, err := os.Open(name)
		ts.Check(err)
		defer f.Close()
		return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
	}
	dir := ts.MkAbs(args[0])
	for {
		files, err := filepath.Glob(filepath.Join(dir, "shards", "*.jsonl"))
		ts.Check(err)
		if !slices.ContainsFunc(append(files, dir), held) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestExamples runs the flags of every example in the help texts through the parser, so that none is out of date.
func TestHelpOfEveryCommand(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, run([]string{"--help"}, &out, &out))
	for _, name := range []string{"run", "replay", "diff", "scenario", "wire", "doctor", "version", "completion", "sim"} {
		assert.Contains(t, out.String(), "\n  "+name)
		var help bytes.Buffer
		require.Zero(t, run([]string{name, "--help"}, &help, &help))
		assert.Contains(t, help.String(), "Usage:")
	}
}

// TestNoColourWhereNobodySeesIt: what is written into a file has no escape sequences.
func TestNoColourWhereNobodySeesIt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.Zero(t, run([]string{"run", "in-order", "gaps", "--dut", "model", "--keep", "never", "--runs", t.TempDir()}, f, f))
	require.NoError(t, f.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "\x1b")
}

// full is a device that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestLostResults: what could not be written was not said, whatever it was.
func TestLostResults(t *testing.T) {
	runs := t.TempDir()
	var out bytes.Buffer
	require.Zero(t, run([]string{"run", "in-order", "--dut", "model", "--keep", "always", "--runs", runs}, &out, &out), "%s", &out)
	folder := filepath.Join(runs, "in-order-1")
	for _, args := range [][]string{
		{"run", "in-order", "--dut", "model", "--keep", "never", "--runs", t.TempDir()}, {"run", "in-order", "--dut", "model", "--keep", "never", "--runs", t.TempDir(), "--json"},
		{"replay", folder}, {"diff", folder, folder}, {"doctor"}, {"version"}, {"scenario", "list"}, {"scenario", "show", "in-order"}, {"--help"},
	} {
		var errs bytes.Buffer
		assert.Equal(t, 2, run(args, full{}, &errs), "%v", args)
		assert.Contains(t, errs.String(), "cannot write the results: no space left on device", "%v", args)
	}
}

// TestBuildFailsAsJSON: a program that reads the report gets one.
func TestBuildFailsAsJSON(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, 2, run([]string{"run", "in-order", "--json", "--root", t.TempDir(), "--runs", t.TempDir()}, &out, &errs))
	var r struct {
		Result, Line string
		Jobs         int
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &r), "%s", &out)
	assert.Equal(t, "bench failure", r.Result)
	assert.NotEmpty(t, r.Line)
	assert.Equal(t, 1, r.Jobs)
}

// TestAboveLine: a whole line takes the place of the one that is written over, on a terminal only.
func TestAboveLine(t *testing.T) {
	for term, want := range map[bool]string{false: "building\n", true: clear + "building\n"} {
		var b bytes.Buffer
		n, err := aboveLine{&b, term}.Write([]byte("building\n"))
		require.NoError(t, err)
		assert.Equal(t, len("building\n"), n)
		assert.Equal(t, want, b.String())
	}
	_, err := aboveLine{full{}, false}.Write([]byte("x"))
	assert.ErrorIs(t, err, syscall.ENOSPC)
}
