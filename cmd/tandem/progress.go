package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/model/preset"
)

// progress is one line on a terminal that is written over, and nothing anywhere else.
type progress struct {
	w           io.Writer
	total, n, k int // jobs, done, of these not matching
	start       time.Time
}

func (a *app) progress(total int) *progress {
	p := &progress{total: total, start: time.Now()}
	if a.errTerm && total > 1 {
		p.w = a.err
	}
	return p
}

// clear is "to the start of the line, and clear to its end".
const clear = "\r\x1b[K"

func (p *progress) done(o suite.Outcome) {
	if p.w == nil {
		return
	}
	p.n++
	if o.Result != lockstep.Match {
		p.k++
	}
	left := time.Duration(float64(time.Since(p.start)) / float64(p.n) * float64(p.total-p.n)).Round(time.Second)
	s := fmt.Sprintf("%s%d of %d", clear, p.n, p.total)
	if p.k > 0 {
		s += fmt.Sprintf(", %d not matching", p.k)
	}
	fmt.Fprintf(p.w, "%s, last %s, about %v left", s, o.Name, left)
}

func (p *progress) end() {
	if p.w != nil {
		io.WriteString(p.w, clear)
	}
}

// line is a line on a terminal that is written over.
type line struct{ w io.Writer }

func (a *app) line() line {
	if a.errTerm {
		return line{a.err}
	}
	return line{io.Discard}
}

func (l line) show(format string, args ...any) { fmt.Fprintf(l.w, clear+format, args...) }
func (l line) end()                            { io.WriteString(l.w, clear) }

// steady tells how far a loop is: on a terminal always, in a log every ten seconds. A regression takes it for a sign of life.
type steady struct {
	line
	log  io.Writer // nil: a terminal
	of   int
	what string
	last time.Time
}

func (a *app) steady(of int, what string) *steady {
	s := &steady{line: a.line(), of: of, what: what, last: time.Now()}
	if !a.errTerm {
		s.log = a.err
	}
	return s
}

func (s *steady) show(n int) {
	s.line.show("%d of %d %s", n, s.of, s.what)
	if s.log != nil && time.Since(s.last) >= steadyEvery {
		fmt.Fprintf(s.log, "%d of %d %s\n", n, s.of, s.what)
		s.last = time.Now()
	}
}

const steadyEvery = 10 * time.Second

// aboveLine writes whole lines where a line that is written over may stand.
type aboveLine struct {
	w    io.Writer
	term bool
}

// Write takes the line on the terminal away first. The text goes out in one piece: runs may be side by side.
func (a aboveLine) Write(b []byte) (int, error) {
	text := string(b)
	if a.term {
		text = clear + text
	}
	if _, err := io.WriteString(a.w, text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// build sees to it that the simulators are there before the first run, and says so where it takes time.
func (a *app) build(jobs []suite.Job, opt *rtl.Options) error {
	names := map[string]bool{}
	for _, j := range jobs {
		if !j.Skip() {
			names[j.Preset] = true
		}
	}
	var list []string
	for n := range names {
		list = append(list, n)
	}
	sort.Strings(list)
	for _, n := range list {
		p, _ := preset.ByName(n)
		stop := a.building("preset " + n)
		_, err := rtl.Build(a.ctx, p, opt)
		stop()
		if err != nil {
			return err
		}
	}
	return nil
}

// building is waiting for a simulator; what it is for is a preset mostly.
func (a *app) building(what string) func() {
	return a.waiting("simulator for " + what + ": to build it takes a minute or a few, once for each change of the RTL")
}

// waiting shows a line with the time that goes by, once something takes longer than a moment. The function it returns
// takes the line away.
func (a *app) waiting(what string) func() {
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			switch {
			case a.errTerm:
				fmt.Fprintf(a.err, "%s%s, %d s", clear, what, n)
			case n == 2:
				fmt.Fprintln(a.err, strings.TrimSpace(what))
			}
		}
	}()
	return func() {
		close(stop)
		<-gone
		if a.errTerm {
			io.WriteString(a.err, clear)
		}
	}
}
