package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// tally shows how far mutants are: a bar on a terminal, plain lines in a log, and what is being made in between on both.
type tally struct {
	a      *app
	states []string // in the order of the line

	all *mpb.Progress // nil: no terminal
	bar *mpb.Bar
	end func()

	lines sync.Mutex // one at a time in a log
	mu    sync.Mutex
	doing string // the last line, until a mutant is through
	since time.Time
	parts []tallied
	part  int // of the last mutant
	count map[string]int
}

// tallied is one sort of mutants. Others of another sort take another time.
type tallied struct {
	name  string
	n, of int
	from  time.Time // the first was through
}

// logEvery adds the flag of how often a log is told.
func logEvery(c *cobra.Command, every *time.Duration) {
	c.Flags().DurationVar(every, "log-every", 10*time.Second, "how often a line of progress is written where there is no terminal")
}

// wantTime refuses a time between lines that is none.
func wantTime(every time.Duration) error {
	if every > 0 {
		return nil
	}
	return fmt.Errorf("--log-every %v: want a time", every)
}

// tally counts mutants of some parts. What end is called for must come behind all others.
func (a *app) tally(every time.Duration, parts, states []string) *tally {
	t := &tally{a: a, states: states, count: map[string]int{}}
	for _, name := range parts {
		t.parts = append(t.parts, tallied{name: name})
	}
	if a.errTerm {
		t.all = mpb.New(mpb.WithOutput(a.err), mpb.WithAutoRefresh(), mpb.WithWidth(40))
		t.bar = t.all.New(0, mpb.BarStyle(), mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + t.state() })))
		t.end = func() { t.bar.Abort(true); t.all.Wait() }
		return t
	}
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for tick := time.NewTicker(every); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				_, _ = t.put([]byte(t.state() + "\n")) // a log that takes nothing more must not end the run
			}
		}
	}()
	t.end = func() { close(stop); <-gone }
	return t
}

// Write takes a line that says what is being made, and puts it above the bar where there is one.
func (t *tally) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.doing, t.since = strings.TrimSpace(string(b)), time.Now()
	t.mu.Unlock()
	return t.put(b)
}

// put writes whole lines.
func (t *tally) put(b []byte) (int, error) {
	if t.all != nil {
		return t.all.Write(b)
	}
	t.lines.Lock()
	defer t.lines.Unlock()
	return t.a.err.Write(b)
}

// expect takes how many mutants there will be of each part.
func (t *tally) expect(of ...int) {
	t.mu.Lock()
	sum := 0
	for i, n := range of {
		t.parts[i].of = n
		sum += n
	}
	t.mu.Unlock()
	if t.bar != nil {
		t.bar.SetTotal(int64(sum), false)
	}
}

// through takes a mutant that is.
func (t *tally) through(part int, state string) {
	t.mu.Lock()
	p := &t.parts[part]
	if p.n == 0 {
		p.from = time.Now()
	}
	p.n++
	t.part, t.doing = part, ""
	t.count[state]++
	n, _ := t.sum()
	t.mu.Unlock()
	if t.bar != nil {
		t.bar.SetCurrent(int64(n))
	}
}

func (t *tally) sum() (n, of int) {
	for i := range t.parts {
		n, of = n+t.parts[i].n, of+t.parts[i].of
	}
	return n, of
}

// state is one line.
func (t *tally) state() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, of := t.sum()
	s := "mutants are being made"
	if of > 0 {
		s = fmt.Sprintf("%d of %s through", n, plural(of, "mutant"))
	}
	for _, state := range t.states {
		if t.count[state] > 0 {
			s += fmt.Sprintf(", %d %s", t.count[state], state)
		}
	}
	if t.doing != "" {
		return s + fmt.Sprintf("; %s, for %v", t.doing, time.Since(t.since).Round(time.Second))
	}
	p := &t.parts[t.part]
	if p.n < 2 || p.n == p.of {
		return s
	}
	left := time.Duration(float64(time.Since(p.from)) / float64(p.n-1) * float64(p.of-p.n)).Round(time.Second)
	if s += fmt.Sprintf(", about %v left", left); of-n > p.of-p.n {
		s += " for the " + p.name
	}
	return s
}

// notWhole is the error of a report of some mutants: of those that are through when an interruption or a failure of the bench came.
func (a *app) notWhole(err error, through, of int, report string) error {
	if a.ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return fmt.Errorf("%w; %d of %s through, and %s is of these only", err, through, plural(of, "mutant"), report)
}
