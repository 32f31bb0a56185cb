package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
)

// gauge shows how far a regression is: a bar on a terminal, plain lines in a log; failures as they come, on both.
type gauge struct {
	a     *app
	every time.Duration
	stop  func() // of the line that waits for a build

	all *mpb.Progress
	bar *mpb.Bar

	mu         sync.Mutex // what the bar shows is read by its own goroutine
	cases      int
	done, bad  int
	running    []string
	begin      time.Time
	work, left time.Duration // of this round: expected at its begin, and still
	last       time.Time     // of the last line in a log
}

func (a *app) gauge(every time.Duration) *gauge { return &gauge{a: a, every: every} }

// failuresShown is how many failures are told of as they come: of many, the summary tells by cause.
const failuresShown = 20

func (g *gauge) watch() regression.Watch {
	return regression.Watch{
		Folder: func(dir string) { g.say("run: %s", shellPath(dir)) },
		Building: func(key string) {
			g.built()
			g.stop = g.a.building("preset " + key)
		},
		Begin: g.begins, Record: g.record, Tick: g.tick, Note: func(text string) { g.say("note: %s", text) },
	}
}

// built takes the line of a build away.
func (g *gauge) built() {
	if g.stop != nil {
		g.stop()
		g.stop = nil
	}
}

// say writes a whole line, above the bar where there is one.
func (g *gauge) say(format string, args ...any) {
	g.built()
	fmt.Fprintf(g, format+"\n", args...)
}

// Write writes whole lines.
func (g *gauge) Write(b []byte) (int, error) {
	if g.all != nil {
		return g.all.Write(b)
	}
	return g.a.err.Write(b)
}

func (g *gauge) begins(cases, done, bad int, expect time.Duration) {
	g.built()
	g.mu.Lock()
	g.cases, g.done, g.bad, g.begin, g.work, g.left, g.last = cases, done, bad, time.Now(), expect, expect, time.Now()
	g.mu.Unlock()
	if !g.a.errTerm {
		g.say("%d of %s to do", cases-done, plural(cases, "execution"))
		return
	}
	if g.bar == nil {
		g.all = mpb.New(mpb.WithOutput(g.a.err), mpb.WithAutoRefresh(), mpb.WithWidth(40))
		g.bar = g.all.New(int64(cases), mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + g.state() })))
	}
	g.bar.SetCurrent(int64(done))
}

func (g *gauge) record(r *result.Record) {
	g.mu.Lock()
	g.done++
	if r.Verdict != result.Match {
		g.bad++
	}
	bad := g.bad
	g.mu.Unlock()
	if g.bar != nil {
		g.bar.SetCurrent(int64(g.done))
	}
	switch {
	case r.Verdict == result.Match || bad > failuresShown:
	case bad == failuresShown:
		g.say("%s: %s: %s (of further ones only the summary tells)", r.ID(), r.Verdict, r.Signature)
	default:
		g.say("%s: %s: %s", r.ID(), r.Verdict, r.Signature)
	}
}

func (g *gauge) tick(running []string, done int, left time.Duration) {
	g.mu.Lock()
	g.running, g.left = running, left
	due := !g.a.errTerm && time.Since(g.last) >= g.every
	if due {
		g.last = time.Now()
	}
	g.mu.Unlock()
	if due {
		g.say("%s", g.state())
	}
}

// state is one line.
func (g *gauge) state() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := fmt.Sprintf("%d of %d", g.done, g.cases)
	if g.bad > 0 {
		s += fmt.Sprintf(", %d not matching", g.bad)
	}
	if did := g.work - g.left; did > 0 && g.left > 0 {
		spent := time.Since(g.begin)
		s += fmt.Sprintf(", about %v left", time.Duration(float64(spent)*float64(g.left)/float64(did)).Round(time.Second))
	}
	if len(g.running) > 0 {
		s += ", running " + shortList(g.running, 3)
	}
	return s
}

// end takes the bar away.
func (g *gauge) end() {
	g.built()
	if g.bar != nil {
		g.bar.Abort(true)
		g.all.Wait()
		g.all, g.bar = nil, nil
	}
}
