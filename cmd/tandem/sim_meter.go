package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"metaroce/tandem/experiment"
)

// meter shows how far a run of an experiment is: a bar on a terminal, a line for each cell in a log.
type meter struct {
	w    io.Writer
	name string
	bar  *mpb.Bar // nil: no terminal
	all  *mpb.Progress

	mu    sync.Mutex
	last  string
	cells int
	done  int
	// ended is the weight of cells that are done; running that of what others have done by now, by cell.
	ended   uint64
	running map[int]uint64
	weight  []uint64
}

func (a *app) meter(name string, p *experiment.Plan, only string) *meter {
	m := &meter{w: a.err, name: name, running: map[int]uint64{}}
	total := uint64(0)
	for _, c := range p.Cells {
		if only == "" || c.Name == only {
			m.weight = append(m.weight, max(1, c.Weight))
			total += max(1, c.Weight)
		}
	}
	m.cells = len(m.weight)
	if a.errTerm {
		m.draw(a.err, int64(total))
	}
	return m
}

// draw puts the bar on the terminal.
func (m *meter) draw(w io.Writer, total int64) {
	m.all = mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(60))
	m.bar = m.all.New(total, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(m.name+" ")),
		mpb.AppendDecorators(decor.Percentage(), decor.Any(func(decor.Statistics) string { return m.state() })))
}

func (m *meter) state() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := fmt.Sprintf(" %d of %d cells", m.done, m.cells)
	if m.last != "" {
		s += ", last " + m.last
	}
	return s
}

// part takes how far a cell is.
func (m *meter) part(cell int, done, total uint64) {
	if m.bar == nil || total == 0 {
		return
	}
	m.mu.Lock()
	m.running[cell] = uint64(float64(m.weight[cell]) * min(1, float64(done)/float64(total)))
	m.mu.Unlock()
	m.set()
}

// cell takes a cell that ended.
func (m *meter) cell(p experiment.Progress) {
	m.mu.Lock()
	m.last, m.done, m.ended = p.Cell, p.Done, p.Work
	delete(m.running, p.Index)
	m.mu.Unlock()
	if m.bar != nil {
		m.set()
		return
	}
	what := ""
	if p.Err != nil {
		what = ", failed"
	}
	fmt.Fprintf(m.w, "%s: %d of %d cells, %s%s\n", m.name, p.Done, p.Cells, p.Cell, what)
}

func (m *meter) set() {
	m.mu.Lock()
	at := m.ended
	for _, r := range m.running {
		at += r
	}
	m.mu.Unlock()
	m.bar.SetCurrent(int64(at))
}

// end takes the bar away. Cells that go on behind an interruption may still call part.
func (m *meter) end() {
	if m.bar == nil {
		return
	}
	m.bar.Abort(true)
	m.all.Wait()
}
