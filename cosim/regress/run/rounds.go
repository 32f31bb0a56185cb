package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/cosim/rtl"
)

const (
	defaultPoll = 200 * time.Millisecond
	// mostRounds is how often what was lost is given out again before it is given up.
	mostRounds = 4
	// mostBegun is how many shards a case may take with it before it is given up.
	mostBegun = 2
)

// errEnough is the cause of an end after too many failures.
var errEnough = errors.New("enough have failed")

// rounds gives out what has no record, until everything has one or nothing more comes.
func (r *runner) rounds(ctx context.Context) error {
	r.round = r.earlierRounds()
	for n := 0; n < mostRounds && ctx.Err() == nil; n++ {
		pending, err := r.open()
		if err != nil || len(pending) == 0 {
			return err
		}
		before := len(r.c.got)
		if err := r.give(ctx, pending); err != nil {
			return err
		}
		if r.enough() {
			return nil
		}
		if lost := len(r.c.pending(r.cases)); lost > 0 && ctx.Err() == nil {
			r.note("%s came back without a record from %s", result.Plural(lost, "execution"), r.o.Launcher.Name())
		}
		if len(r.c.got) == before { // nobody does anything there
			return nil
		}
	}
	return nil
}

func (r *runner) enough() bool { return r.o.FailFast > 0 && r.fails >= r.o.FailFast }

// open lists what is to be given out: what has no record, and did not take too many shards with it.
func (r *runner) open() ([]int, error) {
	begun, err := r.c.begun()
	if err != nil {
		return nil, err
	}
	var list []int
	for _, at := range r.c.pending(r.cases) {
		if begun[r.cases[at].ID()] < mostBegun {
			list = append(list, at)
		}
	}
	return list, nil
}

var roundName = regexp.MustCompile(`^r(\d+)-`)

// earlierRounds is the number of the next round: shards of a run that goes on have names of their own.
func (r *runner) earlierRounds() int {
	next := 0
	entries, _ := os.ReadDir(filepath.Join(r.f.Dir, shard.Folder)) // made by create
	for _, e := range entries {
		if m := roundName.FindStringSubmatch(e.Name()); m != nil {
			n, _ := strconv.Atoi(m[1])
			next = max(next, n+1)
		}
	}
	return next
}

// give does one round: cases are packed, started, and their records gathered while they run.
func (r *runner) give(ctx context.Context, pending []int) error {
	list := order(r.cases, pending, r.past)
	r.expect, r.left = map[string]time.Duration{}, 0
	for _, x := range list {
		r.expect[r.cases[x.at].ID()] = x.expect
		r.left += x.expect
	}
	packs := pack(list, r.o.Workers, r.o.Launcher.Packs())
	names, files := make([]string, len(packs)), make([]string, len(packs))
	for i, p := range packs {
		names[i] = fmt.Sprintf("r%d-%04d", r.round, i+1)
		f := shard.File{Name: names[i], Round: r.round, Env: r.env()}
		for _, x := range p {
			f.Cases = append(f.Cases, r.cases[x.at])
		}
		var err error
		if files[i], err = f.Write(); err != nil {
			return err
		}
	}
	r.round++
	if w := r.o.Watch.Begin; w != nil {
		w(len(r.cases), len(r.c.got), r.c.bad(), r.left)
	}
	return r.launch(ctx, packs, names, files)
}

func (r *runner) env() execute.Env {
	h := &r.f.Header
	return execute.Env{Root: h.Root, Run: r.f.Dir, Tests: execute.TestsFolder, Keep: h.Keep, Binaries: h.Binaries, Cover: !r.o.NoCover, Program: programPath()}
}

// programPath is this program for commands; they may run where /proc/self is another.
func programPath() string {
	path, err := os.Executable()
	if err != nil {
		return "tandem"
	}
	return path
}

// launch starts the shards of a round and reads records until none of them runs.
func (r *runner) launch(ctx context.Context, packs [][]item, names, files []string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var told notes
	through := make(chan error, 1)
	go func() {
		through <- r.o.Launcher.Launch(ctx, shardsOf(packs, names, files), farm.Watch{
			Ended: func(i int, err error) {
				if err != nil && ctx.Err() == nil {
					told.add(fmt.Sprintf("shard %s: %v: %s", names[i], err, shard.LastWords(files[i])))
				}
			},
			Note: told.add,
		})
	}()
	poll := r.o.Poll
	if poll == 0 {
		poll = defaultPoll
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	ended := ctx.Done()
	for {
		select {
		case err := <-through:
			if perr := r.c.poll(); perr != nil {
				return perr
			}
			told.pass(r)
			if err != nil {
				return fmt.Errorf("%s: %w", r.o.Launcher.Name(), err)
			}
			return nil
		case <-ended:
			ended = nil
			_ = os.WriteFile(r.f.stopFile(), nil, 0o644) // for shards that nobody else can tell
		case <-tick.C:
			if err := r.c.poll(); err != nil {
				return err
			}
			told.pass(r)
			if w := r.o.Watch.Tick; w != nil {
				w(r.c.running(names), len(r.c.got), max(r.left, 0))
			}
			if r.enough() {
				stop(errEnough)
			}
		}
	}
}

// notes are what a launcher tells, from any goroutine; the run passes them on from its own.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, text)
}

func (n *notes) pass(r *runner) {
	n.mu.Lock()
	list := n.list
	n.list = nil
	n.mu.Unlock()
	for _, text := range list {
		r.note("%s", text)
	}
}

func (f *Folder) stopFile() string { return f.path(shard.StopFile) }

// program is the SHA-256 of this program as it was started.
var program = sync.OnceValues(func() (string, error) {
	f, err := os.Open(shard.Self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})

// finish gives a record to what has none, and writes what the run came to.
func (r *runner) finish(ctx context.Context) (*Summary, error) {
	list := r.c.records()
	begun, err := r.c.begun()
	if err != nil {
		return nil, err
	}
	pending := r.c.pending(r.cases)
	interrupted := ctx.Err() != nil || r.cut
	for _, at := range pending {
		list = append(list, r.without(at, begun, interrupted))
	}
	list = result.Sorted(list)
	if len(list) != len(r.cases) {
		panic(fmt.Sprintf("BUG: %d records of %d cases", len(list), len(r.cases)))
	}
	for _, text := range r.c.notes {
		r.note("%s", text)
	}
	killed := 0
	for i := range list {
		if list[i].Times != nil && list[i].Times.Killed {
			killed++
		}
	}
	if killed > 0 {
		r.note("the worker of %s was killed, for want of memory perhaps, and run again", result.Plural(killed, "execution"))
	}
	covered, err := r.covered(list)
	if err == nil {
		err = r.conclude(list, interrupted && len(pending) > 0)
	}
	if err != nil {
		return nil, err
	}
	return &Summary{Folder: r.f, Records: list, Coverage: covered}, nil
}

// covered adds up what the executions have covered.
func (r *runner) covered(list []result.Record) (*coverage.Report, error) {
	c := &coverage.Run{Dir: r.f.Dir, Records: list, Counted: map[string]string{}, Sources: map[string]string{}, Waivers: r.waivers}
	for i := range r.cases {
		if x := &r.cases[i]; x.Coverage != "" {
			key := execute.BinaryKey(x)
			c.Counted[x.ID()], c.Sources[key] = key, filepath.Join(filepath.Dir(r.f.Header.Binaries[key]), rtl.SourceFolder)
		}
	}
	report, err := coverage.Collect(c)
	if report != nil {
		for _, text := range report.Missing {
			r.note("coverage: %s", text)
		}
	}
	return report, err
}

// without is the record of a case that has none.
func (r *runner) without(at int, begun map[string]int, interrupted bool) result.Record {
	c := &r.cases[at]
	x := c.Record()
	switch n := begun[c.ID()]; {
	case interrupted && n < mostBegun:
		return execute.Fail(x, result.Skipped, result.Signature{Engine: "run", Kind: "interrupted"}, "the run was interrupted before it had a result; --resume goes on with it")
	case r.enough() && n < mostBegun:
		return execute.Fail(x, result.Skipped, result.Signature{Engine: "run", Kind: "fail-fast"}, fmt.Sprintf("the run ended after %s", result.Plural(r.o.FailFast, "failure")))
	case n == 0:
		return execute.Fail(x, result.Lost, result.Signature{Engine: "run", Kind: "lost"}, "it was given out and nobody began it")
	default:
		return execute.Fail(x, result.Lost, result.Signature{Engine: "run", Kind: "lost"}, fmt.Sprintf("it was begun %d times, and no result came back", n))
	}
}

// conclude writes results and header, and puts the run into the index.
func (r *runner) conclude(list []result.Record, interrupted bool) error {
	h := &r.f.Header
	h.State = Done
	if interrupted {
		h.State = Interrupted
	}
	h.Verdict, h.Counts, h.Events, h.Cycles = result.Worst(list), map[result.Verdict]int{}, 0, 0
	for i := range list {
		h.Counts[list[i].Verdict]++
		h.Events += list[i].Events
		h.Cycles += list[i].Cycles
	}
	var err error
	if h.Digest, err = result.DigestOf(list); err != nil {
		return err
	}
	h.Ended = time.Now().UnixMilli()
	h.Wall += time.Since(r.began).Milliseconds()
	if err := result.WriteFile(r.f.path(ResultsFile), list); err != nil {
		return err
	}
	r.f.tidy(list)
	if r.o.History != nil {
		if err := r.o.History.Add(r.f.Row(), list); err != nil {
			r.note("history: %v", err)
		}
	}
	return r.f.writeHeader()
}
