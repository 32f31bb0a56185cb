package run

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
)

// fake is a launcher that does what its function says with every shard.
type fake struct {
	do    func(round int, f *shard.File, put func(...result.Record)) error
	calls atomic.Int32
	away  error
}

func (f *fake) Name() string { return "fake" }

func (f *fake) Ready(context.Context) error { return f.away }

func (f *fake) Packs() farm.Packs { return farm.Packs{Least: time.Second, Most: time.Minute} }

func (f *fake) Launch(_ context.Context, shards []farm.Shard, w farm.Watch) error {
	round := int(f.calls.Add(1)) - 1
	for i, s := range shards {
		file, err := shard.Read(s.File)
		if err != nil {
			return err
		}
		out, err := os.OpenFile(shard.PathsOf(s.File).Records, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return err
		}
		w.Ended(i, f.do(round, file, func(list ...result.Record) {
			for _, r := range list {
				line, _ := r.Append(nil)
				_, _ = out.Write(line)
			}
		}))
		_ = out.Close()
	}
	return nil
}

func good(c *plan.Case) result.Record {
	r := c.Record()
	r.Verdict, r.Events, r.Times = result.Match, 1, &result.Times{}
	return r
}

// TestLauncherThatIsAway: where nothing can be started there is no folder of nothing, and the latest run stays the latest.
func TestLauncherThatIsAway(t *testing.T) {
	o := options(t.TempDir(), traffic(1))
	o.Launcher = &fake{away: errors.New("no controller")}
	_, err := New(context.Background(), o)
	assert.ErrorContains(t, err, "no controller")
	left, err := os.ReadDir(o.Dir)
	assert.NoError(t, err)
	assert.Empty(t, left)
}

// TestBeginTellsOfEarlierSessions: what did not match in them is no less so in a later one.
func TestBeginTellsOfEarlierSessions(t *testing.T) {
	o := options(t.TempDir(), traffic(4))
	bad := func(c *plan.Case) result.Record {
		r := good(c)
		r.Verdict, r.Signature = result.Divergence, &result.Signature{Kind: "differs"}
		return r
	}
	o.Launcher = &fake{do: func(_ int, f *shard.File, put func(...result.Record)) error {
		for i := range f.Cases {
			if f.Cases[i].Test == "t1" {
				put(bad(&f.Cases[i]))
			}
		}
		return nil
	}}
	s := do(t, o)
	var told []int
	o.Watch.Begin = func(_, done, bad int, _ time.Duration) { told = append(told, done, bad) }
	o.Launcher = &fake{do: func(_ int, f *shard.File, put func(...result.Record)) error {
		for i := range f.Cases {
			put(good(&f.Cases[i]))
		}
		return nil
	}}
	_, err := Resume(context.Background(), s.Folder.Dir, o.Common)
	assert.NoError(t, err)
	n := s.Folder.Header.Counts[result.Divergence]
	assert.Positive(t, n)
	assert.Equal(t, []int{n, n}, told)
}

// TestRunnersThatLoseResults: a result that is lost for good is no match; one that is lost once is fetched again.
func TestRunnersThatLoseResults(t *testing.T) {
	cases := traffic(9)
	losing := func(rounds int) *fake {
		return &fake{do: func(round int, f *shard.File, put func(...result.Record)) error {
			for i := range f.Cases {
				if f.Cases[i].Test != "t1" || round >= rounds {
					put(good(&f.Cases[i]))
				}
			}
			return nil
		}}
	}
	o := options(t.TempDir(), cases)
	o.Launcher = losing(99)
	s := do(t, o)
	assert.Equal(t, 3, s.Folder.Header.Counts[result.Lost])
	assert.Equal(t, result.Lost, s.Folder.Header.Verdict)
	assert.NotEmpty(t, s.Folder.Header.Notes)

	o = options(t.TempDir(), cases)
	o.Launcher = losing(1)
	s = do(t, o)
	assert.Equal(t, result.Match, s.Folder.Header.Verdict)

	o = options(t.TempDir(), cases)
	o.Launcher = &fake{do: func(int, *shard.File, func(...result.Record)) error { return errors.New("no such machine") }}
	s = do(t, o)
	assert.Equal(t, len(cases), s.Folder.Header.Counts[result.Lost])
	assert.Contains(t, strings.Join(s.Folder.Header.Notes, "\n"), "no such machine")
}

// TestNothingIsBelieved: records of other cases, of other things, garbled ones, and two that differ.
func TestNothingIsBelieved(t *testing.T) {
	cases := traffic(3)
	for what, c := range map[string]struct {
		put  func(round int, c *plan.Case, put func(...result.Record))
		want result.Verdict
		note string
	}{
		"another case": {func(_ int, c *plan.Case, put func(...result.Record)) {
			r := good(c)
			r.Seed++
			put(r)
		}, result.Lost, "which is no case of this run"},
		"another thing": {func(_ int, c *plan.Case, put func(...result.Record)) {
			r := good(c)
			r.Digest = "other"
			put(r)
		}, result.Lost, "is of something else than the case"},
		"unknown verdict": {func(_ int, c *plan.Case, put func(...result.Record)) {
			r := good(c)
			r.Verdict = "pass"
			put(r)
		}, result.Lost, `verdict "pass" unknown`},
		"different ends": {func(_ int, c *plan.Case, put func(...result.Record)) {
			r := good(c)
			put(r)
			r.Verdict, r.Signature = result.Divergence, &result.Signature{Kind: "differs"}
			put(r)
			put(good(c))
		}, result.Divergence, "came to different ends"},
		"twice the same": {func(_ int, c *plan.Case, put func(...result.Record)) {
			put(good(c), good(c))
		}, result.Match, ""},
	} {
		o := options(t.TempDir(), cases)
		o.Launcher = &fake{do: func(round int, f *shard.File, put func(...result.Record)) error {
			for i := range f.Cases {
				c.put(round, &f.Cases[i], put)
			}
			return nil
		}}
		s := do(t, o)
		assert.Equal(t, c.want, s.Folder.Header.Verdict, what)
		notes := strings.Join(s.Folder.Header.Notes, "\n")
		if c.note == "" {
			assert.Empty(t, notes, what)
		}
		assert.Contains(t, notes, c.note, what)
	}
}
