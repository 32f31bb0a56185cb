package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/internal/glob"
)

// TestMain plays shards, workers and runners, which are processes of their own.
func TestMain(m *testing.M) {
	ctx := context.Background()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "work":
			exit(shard.Work(os.Stdin, shard.Answers(), shard.Execute))
		case farm.Command:
			ctx, stop := context.WithCancel(ctx)
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin)
				stop()
			}()
			exit(shard.Supervise(ctx, os.Args[len(os.Args)-1], shard.Options{Args: []string{"work"}, Look: 20 * time.Millisecond, BeatEvery: 50 * time.Millisecond, StopWait: 200 * time.Millisecond}))
		case "regress": // in a folder of its own, cases of a file
			f := &Folder{Dir: os.Args[2]}
			f.Header.Cases = -1
			b, err := os.ReadFile(os.Args[3])
			if err != nil {
				exit(err)
			}
			var cases []plan.Case
			if err := json.Unmarshal(b, &cases); err != nil {
				exit(err)
			}
			_, err = New(ctx, options(os.Args[2], cases))
			exit(err)
		case "resume":
			_, err := Resume(ctx, os.Args[2], options("", nil).Common)
			exit(err)
		}
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // each of the many processes would wait a second at its end
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

func options(dir string, cases []plan.Case) Options {
	return Options{Dir: dir, Name: "p", Cases: cases, Head: Header{Plan: "p", Keep: "failure", Root: dir},
		Common: Common{Workers: 2, Launcher: &farm.Local{Workers: 2, Silence: time.Minute, StopWait: 20 * time.Second}, Poll: 5 * time.Millisecond}}
}

// traffic is cases of random traffic on the model, some of them with limits that they break.
func traffic(n int) []plan.Case {
	var list []plan.Case
	for i := range n {
		test := fmt.Sprintf("t%d", i%3)
		c := plan.Case{Suite: "r", Test: test, Variant: "tiny", Iteration: i / 3, Seed: result.Derive(1, "r", test, "tiny", i/3), What: plan.What{Random: 100},
			Preset: "tiny", Dut: "model", Mode: "full", Limits: plan.Defaults, Digest: "d"}
		if i%5 == 4 {
			c.Limits.Cycles = 30
		}
		list = append(list, c)
	}
	return list
}

// cheap is cases that take no time: every test matches with some seeds and not with others.
func cheap(n int) []plan.Case {
	list := traffic(n)
	for i := range list {
		list[i].What = plan.What{Command: []string{"sh", "-c", fmt.Sprintf("echo %d; exit %d", i, max(0, i%5-3))}}
		list[i].Limits, list[i].Dut, list[i].Mode, list[i].Preset = plan.Defaults, "", "", ""
	}
	return list
}

func sh(name, script string) plan.Case {
	return plan.Case{Suite: "c", Test: name, Seed: 1, What: plan.What{Command: []string{"sh", "-c", script}}, Limits: plan.Defaults, Digest: "d"}
}

func do(t *testing.T, o Options) *Summary {
	t.Helper()
	s, err := New(context.Background(), o)
	require.NoError(t, err)
	require.Len(t, s.Records, len(o.Cases), "a record for every case")
	return s
}

// bare is the results file with the times taken out.
func bare(t *testing.T, f *Folder) string {
	t.Helper()
	list, err := f.Results()
	require.NoError(t, err)
	var b []byte
	for i := range list {
		assert.NotNil(t, list[i].Times)
		w := list[i].Without()
		b, err = w.Append(b)
		require.NoError(t, err)
	}
	return string(b)
}

// TestSameResultsForAnyNumberOfWorkers: records, bins and kept folders are equal in bytes, wherever they were run.
func TestSameResultsForAnyNumberOfWorkers(t *testing.T) {
	cases := append(traffic(5), append(cheap(20)[5:], sh("fails", "echo no; exit 1"), sh("dies", "kill -9 $$"))...)
	var first *Summary
	for _, workers := range []int{1, 2} {
		o := options(t.TempDir(), cases)
		o.Workers = workers
		o.Launcher = &farm.Local{Workers: workers}
		s := do(t, o)
		if first == nil {
			first = s
			continue
		}
		assert.Equal(t, bare(t, first.Folder), bare(t, s.Folder))
		assert.Equal(t, first.Folder.Header.Digest, s.Folder.Header.Digest)
		for _, r := range s.Records {
			if r.Coverage == "" {
				continue
			}
			a, err := os.ReadFile(filepath.Join(first.Folder.Dir, r.Coverage))
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(s.Folder.Dir, r.Coverage))
			require.NoError(t, err)
			assert.Equal(t, string(a), string(b))
		}
	}
	h := &first.Folder.Header
	assert.Equal(t, map[result.Verdict]int{result.Match: 16, result.Timeout: 1, result.Divergence: 4, result.Crash: 1}, h.Counts)
	assert.Equal(t, result.Divergence, h.Verdict)
	assert.Equal(t, Done, h.State)
	assert.Positive(t, h.Events)
	to, err := os.Readlink(filepath.Join(filepath.Dir(first.Folder.Dir), LatestLink))
	require.NoError(t, err)
	assert.Equal(t, h.ID, to)
	again, err := Open(filepath.Join(filepath.Dir(first.Folder.Dir), LatestLink))
	require.NoError(t, err)
	assert.Equal(t, *h, again.Header)
}

func TestRunsOfNothing(t *testing.T) {
	_, err := New(context.Background(), options(t.TempDir(), nil))
	assert.ErrorIs(t, err, ErrNothing)
}

// TestNamesOfFolders: the folder of the runs may be called anything that JSON can have; what it cannot is refused before there is a folder.
func TestNamesOfFolders(t *testing.T) {
	for _, name := range []string{"run[1]", "[", "a*b?", "two words\n", `back\slash`} {
		s := do(t, options(filepath.Join(t.TempDir(), name), cheap(3)))
		assert.Equal(t, map[result.Verdict]int{result.Match: 3}, s.Folder.Header.Counts, name)
		require.NoError(t, s.Folder.retire(context.Background()))
		life, err := glob.In(s.Folder.path(shard.Folder), "*.void")
		require.NoError(t, err)
		assert.Empty(t, life, "every shard is known to have ended")
	}
	dir := filepath.Join(t.TempDir(), "r\xff")
	_, err := New(context.Background(), options(dir, cheap(1)))
	assert.ErrorContains(t, err, `r\xff" is not UTF-8, and a run writes its paths down as JSON: use a folder whose whole path is UTF-8`)
	assert.NoDirExists(t, dir)
	s := do(t, options(t.TempDir(), cheap(1)))
	moved := filepath.Join(t.TempDir(), "r\xff")
	require.NoError(t, os.Rename(s.Folder.Dir, moved))
	_, err = Resume(context.Background(), moved, options("", nil).Common)
	assert.ErrorContains(t, err, "is not UTF-8")
}

// TestLatestIsAFolder: runs that were copied with their links followed have an old one there, which is not replaced.
func TestLatestIsAFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, LatestLink), 0o755))
	s := do(t, options(dir, cheap(1)))
	assert.Equal(t, []string{filepath.Join(dir, LatestLink) + " is no link, and does not mean p-1: remove it, or name the run"}, s.Folder.Header.Notes)
	assert.Equal(t, result.Match, s.Folder.Header.Verdict)
}

// TestHangsAndCrashes: each is the verdict of its own test, and all others have theirs.
func TestHangsAndCrashes(t *testing.T) {
	hang := sh("hangs", "sleep 1000")
	hang.Limits.Wall = 300
	quiet := sh("quiet", "while :; do :; done")
	quiet.Limits.Stall = 300
	o := options(t.TempDir(), append(cheap(2), hang, quiet, sh("kills-worker", "kill -9 $PPID; sleep 1000")))
	s := do(t, o)
	by := byTest(s)
	assert.Equal(t, "wall", by["hangs"].Signature.Kind)
	assert.Equal(t, "stall", by["quiet"].Signature.Kind)
	assert.Equal(t, "signal killed", by["kills-worker"].Signature.Kind)
	assert.Equal(t, result.Match, by["t0"].Verdict)
	assert.Equal(t, result.Match, by["t1"].Verdict)
	assert.DirExists(t, filepath.Join(s.Folder.Dir, by["hangs"].Folder))
}

func byTest(s *Summary) map[string]result.Record {
	m := map[string]result.Record{}
	for _, r := range s.Records {
		_, name, _ := strings.Cut(r.Name, "/")
		m[name] = r
	}
	return m
}

// TestInterruptedRunsGoOn: what was done is reported, what was not is no match, and in the end it is as if nothing had been.
func TestInterruptedRunsGoOn(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate") // as long as it is shut, no machine is through before the interruption
	cases := append(cheap(24), sh("last", "until [ -e "+gate+" ]; do sleep 0.01; done"))
	open := func() { require.NoError(t, os.WriteFile(gate, nil, 0o644)) }
	open()
	whole := do(t, options(t.TempDir(), cases))
	require.NoError(t, os.Remove(gate))
	o := options(t.TempDir(), cases)
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	o.Watch.Record = func(*result.Record) {
		if n++; n == 5 {
			cancel()
		}
	}
	s, err := New(ctx, o)
	require.NoError(t, err)
	require.Len(t, s.Records, len(cases))
	h := &s.Folder.Header
	assert.Equal(t, Interrupted, h.State)
	assert.Positive(t, h.Counts[result.Skipped])
	assert.GreaterOrEqual(t, len(cases)-h.Counts[result.Skipped], 5)
	assert.NotEqual(t, result.Match, h.Verdict)

	open()
	o.Watch.Record = nil
	after, err := Resume(context.Background(), s.Folder.Dir, o.Common)
	require.NoError(t, err)
	assert.Equal(t, Done, after.Folder.Header.State)
	assert.Equal(t, bare(t, whole.Folder), bare(t, after.Folder))
}

// TestRunnerIsKilled: everything it started ends by itself, and the run goes on.
func TestRunnerIsKilled(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	cases := append(cheap(3), sh("long", "if [ -e "+pid+" ]; then exit 0; fi; echo $$ > "+pid+"; exec sleep 1000"))
	b, err := json.Marshal(cases)
	require.NoError(t, err)
	list := filepath.Join(dir, "cases.json")
	require.NoError(t, os.WriteFile(list, b, 0o644))
	c := exec.Command(shard.Self, "regress", dir, list)
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool { b, err := os.ReadFile(pid); return err == nil && len(b) > 0 }, time.Minute, time.Millisecond) // not before its number is in it
	run, err := filepath.EvalSymlinks(filepath.Join(dir, LatestLink))
	require.NoError(t, err)
	_, err = Resume(context.Background(), run, options(dir, nil).Common)
	assert.ErrorContains(t, err, "another runner is at it")
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
	assert.Eventually(t, func() bool { return !lives(t, pid) }, time.Minute, 10*time.Millisecond, "the command of a killed run ends")
	assert.Eventually(t, func() bool { // and so does its shard: it lets go of its records
		names, _ := filepath.Glob(filepath.Join(run, shard.Folder, "*.jsonl"))
		for _, n := range names {
			f, err := os.Open(n)
			require.NoError(t, err)
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			_ = f.Close()
			if err != nil {
				return false
			}
		}
		return true
	}, time.Minute, 10*time.Millisecond)
	s, err := Resume(context.Background(), run, options(dir, nil).Common)
	require.NoError(t, err)
	assert.Equal(t, Done, s.Folder.Header.State)
	assert.Equal(t, result.Match, byTest(s)["long"].Verdict, "the killing is not held against it")
	assert.Len(t, s.Records, 4)
}

func lives(t *testing.T, file string) bool {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := os.ReadFile("/proc/" + strings.TrimSpace(string(b)) + "/stat")
	return err == nil && !strings.Contains(string(s), ") Z ")
}

func TestFailFast(t *testing.T) {
	cases := []plan.Case{sh("a", "exit 1")}
	for i := range 6 {
		cases = append(cases, sh(fmt.Sprint("later", i), "sleep 1000")) // on no machine is one through before the run ends it
	}
	o := options(t.TempDir(), cases)
	o.FailFast, o.Workers, o.Launcher = 1, 1, &farm.Local{Workers: 1}
	s := do(t, o)
	assert.Positive(t, s.Folder.Header.Counts[result.Skipped])
	assert.Equal(t, result.Divergence, s.Folder.Header.Verdict)
	assert.Equal(t, Done, s.Folder.Header.State)
}

func TestFailedTestsComeFirst(t *testing.T) {
	dir := t.TempDir()
	store, err := history.Open(filepath.Join(dir, history.FileName))
	require.NoError(t, err)
	defer store.Close()
	cases := append(cheap(6), sh("fails", "exit 1"))
	o := options(dir, cases)
	o.History = store
	do(t, o)
	s := do(t, o)
	f, err := shard.Read(filepath.Join(s.Folder.Dir, shard.Folder, "r0-0001.json"))
	require.NoError(t, err)
	assert.NotEqual(t, "t0", f.Cases[0].Test)
	first := byTest(s)[f.Cases[0].Test]
	assert.NotEqual(t, result.Match, first.Verdict, "%s did match last time", f.Cases[0].ID())
	runs, err := store.Runs("p", 9)
	require.NoError(t, err)
	assert.Len(t, runs, 2)

	assert.Equal(t, s.Folder.Header.Wall, runs[0].Wall)

	require.NoError(t, store.Forget(runs[1].ID))
	journal := filepath.Join(dir, history.FileName+"-journal") // of a writer that was killed: it is not of the new index
	require.NoError(t, os.WriteFile(journal, []byte("x"), 0o644))
	told := 0
	n, err := Rebuild(dir, func(made *history.Store, f *Folder) error {
		told++
		old, err := store.Runs("p", 9)
		assert.Len(t, old, 1, "until the new index is whole, the old one stands")
		return err
	})
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, 2, told)
	assert.NoFileExists(t, journal)
	left, err := filepath.Glob(filepath.Join(dir, ".history-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	again, err := history.Open(filepath.Join(dir, history.FileName))
	require.NoError(t, err)
	defer again.Close()
	same, err := again.Runs("p", 9)
	require.NoError(t, err)
	assert.Equal(t, runs, same, "the files are the truth")

	require.NoError(t, os.WriteFile(filepath.Join(s.Folder.Dir, ResultsFile), nil, 0o644))
	n, err = Rebuild(dir)
	assert.ErrorContains(t, err, "p-2 is damaged", "and what is no longer what a run ended with is none")
	assert.Equal(t, 1, n)
}

func TestResumeRefusesWhatIsNotTheSame(t *testing.T) {
	o := options(t.TempDir(), cheap(2))
	s := do(t, o)
	f := s.Folder
	header := f.Header
	for what, c := range map[string]struct {
		change func()
		err    string
	}{
		"program":   {func() { f.Header.Program = strings.Repeat("0", 64) }, "another build of this program"},
		"form":      {func() { f.Header.Version = 9 }, "has form 9, this program reads 1"},
		"cases":     {func() { f.Header.Cases = 3 }, "the header says 3"},
		"simulator": {func() { f.Header.Binaries = map[string]string{"tiny": "/old"} }, "the simulator tiny is another one"},
	} {
		f.Header = header
		c.change()
		require.NoError(t, f.writeHeader())
		_, err := Resume(context.Background(), f.Dir, o.Common)
		assert.ErrorContains(t, err, c.err, what)
	}
	_, err := Resume(context.Background(), t.TempDir(), o.Common)
	assert.ErrorContains(t, err, "is no run of a regression")
	single := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(single, HeaderFile), []byte(`{"version": 1, "name": "gaps", "schema": "db901cf5bade5826"}`), 0o644))
	_, err = Resume(context.Background(), single, o.Common)
	assert.ErrorContains(t, err, "is no run of a regression but of a single scenario: `tandem replay "+single)
}

func TestSimulatorsThatDoNotBuild(t *testing.T) {
	o := options(t.TempDir(), cheap(2))
	o.Build = func(context.Context, []plan.Case, string, func(string), io.Writer) (map[string]string, error) {
		return nil, errors.New("no compiler")
	}
	_, err := New(context.Background(), o)
	require.ErrorContains(t, err, "no compiler")
	f, err := Open(filepath.Join(o.Dir, "p-1"))
	require.NoError(t, err)
	assert.Equal(t, result.Bench, f.Header.Verdict)
	assert.Equal(t, []string{"no compiler"}, f.Header.Notes)
	ctx, cancel := context.WithCancel(context.Background())
	o.Build = func(context.Context, []plan.Case, string, func(string), io.Writer) (map[string]string, error) {
		cancel()
		return nil, errors.New("interrupted")
	}
	s, err := New(ctx, o)
	require.NoError(t, err, "an interruption is no failure of the runner")
	assert.Equal(t, 2, s.Folder.Header.Counts[result.Skipped])
	assert.Equal(t, "p-2", s.Folder.Header.ID)
}

func TestPlansAreKept(t *testing.T) {
	dir := t.TempDir()
	text := "plan: p\ninclude: more.yaml\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.yaml"), []byte(text), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.yaml"), []byte("suites: [{suite: s, dut: model, tests: [{test: t, random: 50}]}]\n"), 0o644))
	p, err := plan.Load(filepath.Join(dir, "p.yaml"), nil)
	require.NoError(t, err)
	o := options(filepath.Join(dir, "runs"), nil)
	o.Plan = p
	o.Cases, err = p.Expand(context.Background(), plan.Options{})
	require.NoError(t, err)
	s := do(t, o)
	b, err := os.ReadFile(filepath.Join(s.Folder.Dir, PlanFile))
	require.NoError(t, err)
	assert.Equal(t, text, string(b))
	assert.FileExists(t, filepath.Join(s.Folder.Dir, PlanFolder, "1-more.yaml"))
	b, err = os.ReadFile(filepath.Join(s.Folder.Dir, TestplanFile))
	require.NoError(t, err)
	assert.Contains(t, string(b), `"unmapped"`)
	cases, err := s.Folder.Cases()
	require.NoError(t, err)
	assert.Equal(t, o.Cases, cases)
}
