package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// watch is one case that runs.
type watch struct {
	c     *plan.Case
	again bool // its worker was killed once
	begin time.Time
	last  execute.Beat
	alive time.Time // of the last progress

	peak int64 // bytes, of all processes together
	// stop is why the case has to end, from deadline on by force; nil: it may go on.
	stop     error
	deadline time.Time
}

// run gives the case to the worker and waits for its record, or makes one.
func (s *supervisor) run(ctx context.Context, c *plan.Case, again bool) (result.Record, error) {
	child, err := s.worker()
	if err != nil {
		return result.Record{}, err
	}
	from, err := s.log.Seek(0, io.SeekEnd)
	if err != nil {
		return result.Record{}, err
	}
	now := time.Now()
	w := &watch{c: c, again: again, begin: now, alive: now}
	_ = child.orders.put(order{Case: c}) // a worker that is gone is noticed below
	tick := time.NewTicker(s.o.Look)
	defer tick.Stop()
	for {
		select {
		case a, ok := <-child.answers:
			switch {
			case !ok:
				<-child.gone
				return s.dead(w, child, from)
			case a.Beat != nil:
				w.beat(*a.Beat)
			case a.Record != nil:
				return s.answered(w, child, a.Record, from)
			}
		case <-tick.C:
			if err := s.look(w, child); err != nil {
				return s.ended(w, child, err, from)
			}
		case <-ctx.Done():
			s.child = nil
			child.kill()
			return result.Record{}, context.Cause(ctx)
		}
	}
}

// beat notes progress: a sign that is like the last one is none.
func (w *watch) beat(b execute.Beat) {
	if b != w.last {
		w.last, w.alive = b, time.Now()
	}
}

// look holds the case against its limits. An error: it has to be ended by force.
func (s *supervisor) look(w *watch, child *child) error {
	now, l := time.Now(), &w.c.Limits
	size := child.tree.Resident()
	w.peak = max(w.peak, size)
	if l.Memory > 0 && size > int64(l.Memory) {
		return errMemory
	}
	if w.stop != nil {
		if now.After(w.deadline) {
			return w.stop
		}
		return nil
	}
	reason := ""
	switch {
	case l.Wall > 0 && now.Sub(w.begin) > time.Duration(l.Wall)*time.Millisecond:
		w.stop, reason = execute.ErrWall, reasonWall
	case l.Stall > 0 && now.Sub(w.alive) > time.Duration(l.Stall)*time.Millisecond:
		w.stop, reason = execute.ErrStall, reasonStall
	default:
		return nil
	}
	w.deadline = now.Add(s.o.StopWait)
	_ = child.orders.put(order{Stop: reason})
	return nil
}

var errMemory = errors.New("the limit of memory is passed")

// answered takes the worker's record, if it is one of this case.
func (s *supervisor) answered(w *watch, child *child, r *result.Record, from int64) (result.Record, error) {
	if r.ID() != w.c.ID() {
		s.child = nil
		child.kill()
		return s.kept(w, crashed(w.c.Record(), "confused", fmt.Sprintf("%v: %s", errAnswer, r.ID())), from)
	}
	if !w.c.Lockstep() {
		child.tree.Kill(true) // commands start what they like
	}
	if r.Times == nil {
		r.Times = &result.Times{Begin: w.begin.UnixMilli(), Duration: time.Since(w.begin).Milliseconds()}
	}
	r.Times.Memory = max(r.Times.Memory, w.peak)
	return *r, nil
}

// dead makes the record of a case whose worker ended by itself.
func (s *supervisor) dead(w *watch, child *child, from int64) (result.Record, error) {
	s.child = nil
	child.end()
	if w.stop != nil { // it was told to end, and took that too far
		return s.kept(w, execute.TimedOut(w.c.Record(), w.c, w.stop), from)
	}
	kind, line := child.fate(since(s.log, from))
	if kind == killedKind && !w.again {
		return result.Record{}, errKilled
	}
	return s.kept(w, crashed(w.c.Record(), kind, line), from)
}

// ended makes the record of a case that was ended by force.
func (s *supervisor) ended(w *watch, child *child, cause error, from int64) (result.Record, error) {
	s.child = nil
	child.kill()
	if cause == errMemory {
		line := fmt.Sprintf("%v: %d MiB, of all processes of the test together", cause, w.c.Limits.Memory>>20)
		return s.kept(w, execute.Fail(w.c.Record(), result.Crash, result.Signature{Engine: "worker", Kind: "memory"}, line), from)
	}
	return s.kept(w, execute.TimedOut(w.c.Record(), w.c, cause), from)
}

// logFile is what the worker and its tools said while the case ran, in the folder that is kept.
const logFile = "worker.log"

// kept saves what a case left that ended without having a say: what was in its scratch folder, and the log.
func (s *supervisor) kept(w *watch, r result.Record, from int64) (result.Record, error) {
	r.Times = &result.Times{Begin: w.begin.UnixMilli(), Duration: time.Since(w.begin).Milliseconds(), Memory: w.peak}
	if s.f.Env.Keep == "never" {
		return r, nil
	}
	work := filepath.Join(s.work, "w")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return r, err
	}
	if err := os.WriteFile(filepath.Join(work, logFile), []byte(since(s.log, from)), 0o644); err != nil {
		return r, err
	}
	name := filepath.Join(s.f.Env.Tests, r.ID())
	if err := execute.Move(work, filepath.Join(s.f.Env.Run, name)); err != nil {
		return r, err
	}
	r.Folder = name
	return r, nil
}
