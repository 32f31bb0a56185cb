package block

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
)

// Engine is a step whose vectors are written.
type Engine struct {
	Name string // as in model/spec/event.tbl
	next func() func(d *draw, before, after *record)
}

// Engines are all steps of the receive side. next starts a sequence: the function that it returns makes one vector
// after the other and may keep the row between them.
var Engines = []Engine{
	{"admit", admitVectors},
	{"window", windowVectors},
	{"key", keyVectors},
	{"recv", recvVectors},
	{"message", messageVectors},
	{"place", placeVectors},
	{"complete", completeVectors},
	{"coalesce", coalesceVectors},
	{"ctimer", ctimerVectors},
	{"ack", ackVectors},
}

// Lines returns n vectors of the engine. Equal n and seed give equal lines on every machine.
func (e *Engine) Lines(seed uint64, n int) []string {
	info := infoOf(e.Name)
	d := newDraw(seed, e)
	next := e.next()
	lines := make([]string, n)
	for i := range lines {
		var before, after record
		next(d, &before, &after)
		lines[i] = line(info, &before, &after)
	}
	return lines
}

func newDraw(seed uint64, e *Engine) *draw { return &draw{sim.NewRandom(seed, "vectors/"+e.Name)} }

// Header is the comment on top of a file of vectors: what it is, and the widths by which a bench cuts a line.
func (e *Engine) Header() string {
	info := infoOf(e.Name)
	width := map[event.Group]int{}
	for i := range info.Fields {
		width[info.Fields[i].Group] += info.Fields[i].Width
	}
	return fmt.Sprintf("// %s [%s]: {out %d, row after %d, in %d, op 8, row before %d}; written by vectors/block\n", e.Name, info.Rule,
		width[event.GroupOut], width[event.GroupRow], width[event.GroupIn], width[event.GroupRow])
}
