package farm

import (
	"context"
	"fmt"
	"time"

	"metaroce/tandem/cosim/regress/shard"
)

// task is what is known of a task of the array.
type task struct {
	ended bool
	turn  int       // of its last sign of life
	heard time.Time // when that was seen, or when it was seen to begin
	any   bool      // there was a sign since it began
	last  row       // of the queue
	gone  int       // answers of the queue in a row that say it does not run and never will
	held  time.Time // since when Slurm holds it
	// given up: it was cancelled for its silence
	silent time.Time
}

// queueTalk is when the queue was asked and will be.
type queueTalk struct {
	next     time.Time
	interval time.Duration
	answered time.Time // last
	away     bool
	// stopped is when the run was, forced when the array was first to be cancelled as a whole, cancelled that it was
	stopped, forced time.Time
	cancelled       bool
}

// follow waits for the end of all tasks.
func (a *array) follow(ctx context.Context) error {
	now := time.Now()
	q := &queueTalk{interval: a.limits.ask, next: now.Add(a.limits.ask), answered: now}
	heard := now
	tick := time.NewTicker(a.limits.look)
	defer tick.Stop()
	for {
		if a.hear(q.away) {
			heard = time.Now()
		}
		if ctx.Err() != nil {
			a.stop(q)
		}
		if now := time.Now(); a.open > 0 && now.After(q.next) {
			a.ask(ctx, q)
			if quiet := now.Sub(later(heard, q.answered)); quiet > a.limits.away {
				return fmt.Errorf("the controller has not answered and no shard has given a sign of life for %v: the array %s may still be queued; when slurmctld runs again, `scancel %s` and go on with --resume",
					a.limits.away, a.job.id, a.job.id)
			}
		}
		if a.open == 0 {
			return nil
		}
		if q.stopped.IsZero() {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
			continue
		}
		<-tick.C
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// hear reads signs of life; a shard that says so is through, whatever the queue thinks. It tells whether there was any.
// Tasks that wait have none, unless the queue cannot tell.
func (a *array) hear(all bool) bool {
	found := false
	for i := range a.tasks {
		t := &a.tasks[i]
		if t.ended || !all && t.gone == 0 && t.last.state == "PENDING" {
			continue
		}
		life, ok := shard.ReadLife(shard.PathsOf(a.shards[i].File).Beat)
		if !ok || life.Turn == t.turn {
			continue
		}
		t.turn, t.heard, t.any, found = life.Turn, time.Now(), true, true
		if life.Ended {
			a.end(i, nil)
		}
	}
	return found
}

func (a *array) end(i int, err error) {
	a.tasks[i].ended = true
	a.open--
	a.w.Ended(i, err)
}

// ask asks the queue and draws the conclusions.
func (a *array) ask(ctx context.Context, q *queueTalk) {
	began := time.Now()
	if !q.stopped.IsZero() {
		ctx = context.WithoutCancel(ctx)
	}
	rows, err := a.queue(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if !q.away {
			q.away, q.answered = true, time.Now() // before that nobody asked, for however long this machine slept
			a.w.Note(fmt.Sprintf("slurm: the queue does not answer: %v; shards that run go on, and it is asked again", err))
		}
		q.interval = min(2*q.interval, 6*a.limits.askMost)
	} else {
		if q.away {
			q.away, q.interval = false, a.limits.ask
			a.w.Note("slurm: the queue answers again")
		}
		q.answered = time.Now()
		a.saw(ctx, rows, !q.stopped.IsZero())
		q.interval = min(2*q.interval, a.limits.askMost)
	}
	if !q.stopped.IsZero() {
		q.interval = a.limits.ask
	}
	q.next = time.Now().Add(max(q.interval, time.Duration(a.limits.share)*time.Since(began)))
}

// saw takes what the queue says. A task that is gone has one more answer's time: its last words may be on their way
// through the disk that it shares with us.
func (a *array) saw(ctx context.Context, rows map[int]row, stopped bool) {
	var past map[int]row
	for i := range a.tasks {
		t := &a.tasks[i]
		if t.ended {
			continue
		}
		r, there := rows[i+1]
		if there && !r.over() {
			a.lives(i, r)
			continue
		}
		if t.gone++; t.gone < 2 && !stopped {
			continue
		}
		if !there {
			if past == nil {
				past = a.past(ctx)
			}
			r = past[i+1]
		}
		a.hear(true) // at the last moment
		if !t.ended {
			a.end(i, t.fate(r, stopped))
		}
	}
}

// fate is how a task ended that did not come to its end.
func (t *task) fate(r row, stopped bool) error {
	switch {
	case stopped:
		return ErrStopped
	case !t.silent.IsZero():
		return fmt.Errorf("%w, on %s", ErrSilent, t.last.node)
	case r.state == "":
		return fmt.Errorf("it is gone from the queue, and was last seen %s", orWord(t.last.state, "nowhere"))
	}
	text := "Slurm says " + r.state
	if r.reason != "" && r.reason != "None" {
		text += " (" + r.reason + ")"
	}
	if r.node != "" {
		text += " on " + r.node
	}
	if what := advice[r.state]; what != "" {
		text += ": " + what
	}
	return fmt.Errorf("%s", text)
}

func orWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// usual are reasons to wait that pass by themselves.
var usual = map[string]bool{"": true, "None": true, "Priority": true, "Resources": true, "JobArrayTaskLimit": true, "BeginTime": true, "Dependency": true, "Prolog": true, "Cleaning": true}

// lives looks at a task that waits or runs.
func (a *array) lives(i int, r row) {
	t, now := &a.tasks[i], time.Now()
	t.gone = 0
	if r.state == "RUNNING" && t.last.state != "RUNNING" { // for the first time, or again
		t.heard, t.any = now, false
	}
	t.last = r
	name := fmt.Sprintf("%s_%d", a.job.id, i+1)
	if !t.silent.IsZero() {
		if now.Sub(t.silent) > a.limits.kill { // Slurm does not get rid of it either
			a.end(i, t.fate(r, false))
		}
		return
	}
	switch {
	case r.state == "RUNNING":
		a.listens(i, name)
	case r.reason == "JobHeldUser":
		a.once("tasks of array %s are held by their user: `scontrol release %s` lets them go", a.job.id, a.job.id)
	case r.reason == "JobHeldAdmin" || r.state == "REQUEUE_HOLD" || r.state == "SPECIAL_EXIT" || r.reason == "launch failed requeued held":
		if t.held.IsZero() {
			t.held = now
		}
		a.once("task %s is held (%s): `scontrol release %s` lets it go; else it is cancelled after %v and given out again", name, r.reason, name, a.limits.held)
		if now.Sub(t.held) > a.limits.held {
			_ = a.cancel(a.job, fmt.Sprintf("_%d", i+1)) // or with the next answer
		}
		return
	case r.state == "PENDING" && !usual[r.reason]:
		a.once("tasks of array %s wait: %s", a.job.id, r.reason)
	}
	t.held = time.Time{}
}

// listens holds a running task against its signs of life.
func (a *array) listens(i int, name string) {
	t := &a.tasks[i]
	quiet := time.Since(t.heard)
	if quiet > a.limits.first && !t.any {
		a.once("a task on %s has given no sign of life yet: does that node see %s, and %s?", t.last.node, a.dir, a.Program)
	}
	if quiet > a.limits.silence {
		t.silent = time.Now()
		a.once("task %s on %s gave no sign of life for %v: it is cancelled, and given out again", name, t.last.node, a.limits.silence)
		_ = a.cancel(a.job, fmt.Sprintf("_%d", i+1))
	}
}

// stop ends the array: what waits at once, what runs by the run's stop file, and what does not heed that by force.
func (a *array) stop(q *queueTalk) {
	now := time.Now()
	switch {
	case q.stopped.IsZero():
		q.stopped, q.next, q.interval = now, now, a.limits.ask
		_ = a.cancel(a.job, "", "--state=PENDING") // what is left is cancelled below
	case !q.forced.IsZero() && now.Sub(q.forced) > a.limits.kill:
		a.w.Note(fmt.Sprintf("slurm: the array %s could not be seen to end: look at `squeue -j %s`; `scancel %s` cancels it", a.job.id, a.job.id, a.job.id))
		for i := range a.tasks {
			if !a.tasks[i].ended {
				a.end(i, ErrStopped)
			}
		}
	case !q.cancelled && now.Sub(q.stopped) > a.limits.stop:
		q.cancelled = a.cancel(a.job, "") == nil
		if q.forced.IsZero() {
			q.forced = now
		}
	}
}
