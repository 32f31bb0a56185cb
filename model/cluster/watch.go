package cluster

import "metaroce/tandem/model/sim"

// watch sees that a run gets on: in simulated time, and that simulated time itself goes on.
type watch struct {
	due      sim.Picos // next look
	progress uint64    // at the last one
	at       sim.Picos // time at the last look up
	steps    uint32
}

// glance is the number of steps between two looks up: some ten milliseconds of a real day.
const glance = 1 << 18

// step counts an event of the network. It says whether to look up.
func (w *watch) step() bool {
	w.steps++
	return w.steps%glance == 0
}

// lookUp asks whether to go on, and whether time does.
func (r *run) lookUp(at sim.Picos) {
	if r.opt.Interrupted != nil && r.opt.Interrupted() && r.fail == nil {
		r.fail = ErrInterrupted
	}
	if at == r.watch.at {
		r.failed(Stuck, "%d events in a row at the same time", glance)
	}
	r.watch.at = at
}

// look holds the run to Options.Stall: what moves is bytes, completions and posts.
func (r *run) look(now sim.Picos) {
	progress := r.transport.Counters().Bytes + uint64(r.completed) + uint64(r.posted)
	if progress == r.watch.progress && r.posted > r.completed {
		r.failed(Stuck, "no byte arrived for %s, and %d messages wait", r.opt.Stall, r.posted-r.completed)
	}
	r.watch.progress = progress
	r.watch.due = now + r.opt.Stall
}
