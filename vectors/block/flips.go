package block

import (
	"bytes"
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/window"
	"metaroce/tandem/vectors/mrv"
)

// Of each bit this many steps are kept in which it alone makes the difference.
var flipKeep = map[string]int{"decision": 2, "value": 1, "row": 1}

// flips are steps that differ in one bit from another one, for each bit of the row and of the input: those
// in which this bit decides (another op, flag or enumeration), moves a value, or moves the row. Draws alone leave high bits of
// comparisons and sums untouched for thousands of steps.
func (e *Engine) flips(seed uint64, bases []mrv.Step) *mrv.Vector {
	v := e.vector("bits", seed)
	v.Title = "each bit of row and input, where it alone makes a difference"
	n := 0
	for i := range e.Info().Fields {
		f := &e.Info().Fields[i]
		if f.Group != event.GroupIn && f.Group != event.GroupRow {
			continue
		}
		for bit := range f.Width {
			if whole := wholes[e.Name]; whole != nil {
				v.Steps = append(v.Steps, e.flip(f, bit, []mrv.Step{whole(e)}, 0)...)
			}
			v.Steps = append(v.Steps, e.flip(f, bit, bases, n)...)
			n++
		}
	}
	return v
}

// wholes are steps that draws do not come near, and of which every bit matters.
var wholes = map[string]func(*Engine) mrv.Step{
	// the packet that is missing at the head, and every other one of the window is there: the run ends where a bit is taken out
	"window": func(e *Engine) mrv.Step {
		r := event.Window{Path: event.WindowPath{Cum: 7, HighPsn: 7 + 255}, In: event.WindowIn{Psn: 7, PayloadLen: 64}}
		for i := uint32(1); i < 256; i++ {
			r.Path.Vector.Set(i)
		}
		var before, after record
		r.Encode(&before)
		window.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(&after)
		return stepOf(e.Info(), &before, &after)
	},
}

// flip looks through the bases, from another one on for every bit.
func (e *Engine) flip(f *event.FieldInfo, bit int, bases []mrv.Step, from int) []mrv.Step {
	kept := map[string]int{}
	var list []mrv.Step
	for i := range bases {
		base := &bases[(from+i)%len(bases)]
		before := bytes.Clone(base.Before)
		before[f.Offset-bodyAt+bit/8] ^= 1 << (bit % 8)
		after, err := e.Answer(base.Op, before)
		if err != nil {
			panic(fmt.Sprintf("vectors/block BUG: %s with another bit %d of %s: %v", e.Name, bit, f.FullName(), err))
		}
		what := e.tells(base.Op, base.After, after)
		if kept[what] < flipKeep[what] {
			kept[what]++
			list = append(list, mrv.Step{Op: base.Op, Before: before, After: after})
		}
	}
	return list
}

// tells says in what two answers differ first; "" if in nothing but the input.
func (e *Engine) tells(op uint8, a, b []byte) string {
	var x, y record
	x[2], y[2] = op, op
	copy(x[bodyAt:], a)
	copy(y[bodyAt:], b)
	info := e.Info()
	if binOf(info, &x) != binOf(info, &y) {
		return "decision"
	}
	what := ""
	for i := range info.Fields {
		f := &info.Fields[i]
		switch {
		case bytes.Equal(f.Bytes(x[:]), f.Bytes(y[:])):
		case f.Group == event.GroupOut:
			return "value"
		case f.Group == event.GroupRow:
			what = "row"
		}
	}
	return what
}
