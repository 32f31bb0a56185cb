package scenario

import (
	"bytes"
	"fmt"
	"slices"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// LiftOptions say which part of a stimulus becomes a text.
type LiftOptions struct {
	Params preset.Params
	// From and To bound the items that become lines. What stands in front of From becomes set-up: the connections, paths,
	// streams, regions, receives and settings that the lines use, as the items before left them.
	From, To int
	// Path and Stream tell where windows and streams stood at From, as far as anybody saw; else they are as they were set.
	Path   func(conn uint32, path uint8) (w Window, ok bool)
	Stream func(row uint16) (completed uint32, ok bool)
}

// Window is where a path stands: next psn and tsn, current epoch.
type Window struct {
	Psn, Tsn uint32
	Epoch    uint8
}

// Lift writes stimulus as a flat text: a line for every packet, command, wait and setting of the bench, in which nothing
// is left to a default that hangs on the lines before, but relative serial numbers. So a line can be taken out and the
// others mean what they meant. Compiled, the text of a whole program is that program again, item by item (but for waits of
// an idle device that double); what compose knows of its packets comes along. The file expects nothing yet.
//
// A program whose ports keep step is written as such. One whose ports run side by side begins with "ports free".
func Lift(p *compose.Program, o LiftOptions) (*File, error) {
	units, err := cut(p)
	if err != nil {
		return nil, err
	}
	var l *lifter
	if o.Path == nil {
		o.Path = func(uint32, uint8) (Window, bool) { return Window{}, false }
	}
	if o.Stream == nil {
		o.Stream = func(uint16) (uint32, bool) { return 0, false }
	}
	for _, ordered := range []bool{true, false} {
		l = newLifter(p, &o, ordered)
		if err := l.all(units); err != nil {
			return nil, err
		}
		part, made := once(p.Items[o.From:o.To]), once(l.c.b.Program.Items)
		if slices.EqualFunc(made[max(0, len(made)-len(part)):], part, same) {
			break
		}
	}
	return &File{Name: p.Name, Stmts: l.list}, nil
}

// once takes out waits of an idle device that stand behind one.
func once(items stimulus.List) stimulus.List {
	return slices.CompactFunc(slices.Clone(items), func(a, b stimulus.Item) bool {
		return a.Kind == stimulus.KindWaitIdle && b.Kind == stimulus.KindWaitIdle
	})
}

func same(a, b stimulus.Item) bool {
	return a.Kind == b.Kind && a.Port == b.Port && a.Addr == b.Addr && a.Value == b.Value && a.Gap == b.Gap && a.Lo == b.Lo && a.Hi == b.Hi &&
		a.Permille == b.Permille && a.Run == b.Run && bytes.Equal(a.Data, b.Data)
}

// lifter writes lines and compiles each as it goes, so that it knows what the lines before mean to the compiler.
type lifter struct {
	p       *compose.Program
	o       *LiftOptions
	c       *compiler
	ordered bool
	list    []*Stmt
	frames  int // of the program, seen so far
}

func newLifter(p *compose.Program, o *LiftOptions, ordered bool) *lifter {
	l := &lifter{p: p, o: o, ordered: ordered, c: newCompiler(p.Name, Options{Params: o.Params})}
	if !ordered {
		l.line("ports", "free")
	}
	return l
}

// line appends a line; false, and nothing appended, where the compiler does not take it. Arguments are words, or
// "key=value".
func (l *lifter) line(word string, args ...string) bool { return l.stmt(nil, word, args) }

func (l *lifter) stmt(gap *Arg, word string, args []string) bool {
	s := &Stmt{Pos: Pos{len(l.list) + 1, 1}, Word: word, Gap: gap}
	for _, a := range args {
		s.Args = append(s.Args, arg(wordAt(a), s.Pos.Line))
	}
	c := l.c
	items, frames := len(c.b.Program.Items), len(c.b.Program.Frames)
	c.b.Line = s.Pos.Line
	c.stmt(s)
	if len(c.rep.list) > 0 {
		c.rep, c.overflow = newReport(c.rep.file), false
		c.b.Program.Items, c.b.Program.Frames = c.b.Program.Items[:items], c.b.Program.Frames[:frames]
		return false
	}
	l.list = append(l.list, s)
	return true
}

func wordAt(text string) word { return word{text: text, col: 1} }

// undo takes the latest line back. What it did to the compiler's serial numbers stays: the lines behind name theirs.
func (l *lifter) undo(items, frames int) {
	l.list = l.list[:len(l.list)-1]
	l.c.b.Program.Items, l.c.b.Program.Frames = l.c.b.Program.Items[:items], l.c.b.Program.Frames[:frames]
}

// all writes the units of the part, behind the set-up that they need.
func (l *lifter) all(units []unit) error {
	first := 0
	for first < len(units) && units[first].at < l.o.From {
		if l.p.Items[units[first].at].Kind == stimulus.KindFrame {
			l.frames++
		}
		first++
	}
	last := first
	for last < len(units) && units[last].end <= l.o.To {
		last++
	}
	part := units[first:last]
	if n := l.framesIn(part); n > maxFrames {
		return fmt.Errorf("%d frames: a text holds at most %d", n, maxFrames)
	}
	if first > 0 {
		l.setUp(units[:first], part)
	}
	for i := 0; i < len(part); i++ {
		if l.implied(part, i) {
			continue
		}
		n, err := l.unit(part[i:])
		if err != nil {
			return err
		}
		i += n - 1
	}
	return nil
}

func (l *lifter) framesIn(part []unit) (n int) {
	for i := range part {
		if l.p.Items[part[i].at].Kind == stimulus.KindFrame {
			n++
		}
	}
	return n
}

// implied says whether a wait is one that the compiler puts there by itself.
func (l *lifter) implied(part []unit, i int) bool {
	it := &l.p.Items[part[i].at]
	if i+1 == len(part) {
		return false
	}
	next := l.p.Items[part[i+1].at].Kind
	switch it.Kind {
	case stimulus.KindWaitIdle:
		return next == stimulus.KindFault || l.ordered && !l.c.started && next == stimulus.KindFrame
	case stimulus.KindWaitCycles:
		return l.ordered && it.Value == 1 && l.c.b.Holds(next)
	}
	return false
}

// unit writes the first of some units, with those behind that belong to it, and tells how many that were.
func (l *lifter) unit(units []unit) (n int, err error) {
	u := &units[0]
	it := &l.p.Items[u.at]
	ok := true
	switch it.Kind {
	case stimulus.KindFrame:
		ok = l.frame(it)
	case stimulus.KindWrite, stimulus.KindRead:
		return l.access(units)
	case stimulus.KindWaitIdle:
		ok = l.line("wait", "idle")
	case stimulus.KindWaitCycles:
		ok = l.line("wait", fmt.Sprint(it.Value))
	default:
		ok = l.bench(it)
	}
	if !ok {
		return 0, fmt.Errorf("item %d of the stimulus, %v, is nothing that a text can say", u.at, it.Kind)
	}
	return 1, nil
}

func (l *lifter) bench(it *stimulus.Item) bool {
	switch it.Kind {
	case stimulus.KindLatency:
		return l.line("memory", fmt.Sprintf("latency=%d..%d", it.Lo, it.Hi))
	case stimulus.KindStall:
		return l.line("stall", it.Port.String(), fmt.Sprintf("permille=%d", it.Permille), fmt.Sprintf("run=%d", it.Run))
	case stimulus.KindFault:
		if it.Lo > it.Hi {
			return l.line("memory", "fault=none")
		}
		return l.line("memory", fmt.Sprintf("fault=%#x..%#x", it.Lo, it.Hi))
	}
	return false
}

// Events counts what a program is made of: packets, commands, register accesses, waits and settings. Its text may have fewer
// lines, since one opens a connection whole.
func Events(p *compose.Program) int {
	n := 0
	for at := 0; at < len(p.Items); n++ {
		at += max(command(p.Items[at:]).end, 1)
	}
	return n
}
