package shard

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/process"
	"metaroce/tandem/cosim/regress/result"
)

// Do runs a case in an environment; false: it was interrupted.
type Do func(context.Context, *execute.Env, *plan.Case) (result.Record, bool)

// Execute is the Do of the product.
func Execute(ctx context.Context, e *execute.Env, c *plan.Case) (result.Record, bool) {
	if err := e.Clear(); err != nil {
		r := execute.Fail(c.Record(), result.Bench, result.Signature{Engine: "run folder", Kind: string(result.Bench), Field: result.Normalise(err.Error())}, err.Error())
		r.Times = &result.Times{Begin: time.Now().UnixMilli()}
		return r, true
	}
	return e.Do(ctx, c)
}

// beatEvery is how often a worker tells of its progress.
const beatEvery = 200 * time.Millisecond

// orphanWait is how long a case may take to end when the supervisor is gone.
const orphanWait = 5 * time.Second

// Work is a worker: it reads orders and answers them until there are no more. Its end, by whatever way, is the end of all
// that it started.
func Work(orders io.Reader, answers io.Writer, do Do) error {
	w := &worker{out: &lineWriter{w: answers}, do: do, cases: make(chan *plan.Case, 1)}
	defer process.New(os.Getpid()).Kill(true)
	all, gone := context.WithCancel(context.Background())
	read := make(chan error, 1)
	go func() {
		read <- lines(orders, w.order)
		gone() // the supervisor ended, or has nothing more to say
		close(w.cases)
	}()
	through := make(chan struct{})
	go func() {
		defer close(through)
		for c := range w.cases {
			if err := w.run(all, c); err != nil {
				return
			}
		}
	}()
	err := <-read
	select {
	case <-through:
	case <-time.After(orphanWait):
	}
	return err
}

// Answers is the pipe to the supervisor, file descriptor 3. What the worker starts must not have it: it would stay open
// behind the worker's end.
func Answers() *os.File {
	syscall.CloseOnExec(answersFd)
	return os.NewFile(answersFd, "answers")
}

const answersFd = 3

type worker struct {
	env    execute.Env
	out    *lineWriter
	do     Do
	cases  chan *plan.Case
	cancel atomic.Pointer[context.CancelCauseFunc] // of the case that runs
	beat   atomic.Pointer[execute.Beat]
}

func (w *worker) order(o *order) error {
	switch {
	case o.Env != nil:
		w.env = *o.Env
		w.env.Work, w.env.Log = o.Work, os.Stderr
		w.env.Beat = func(b execute.Beat) { w.beat.Store(&b) }
	case o.Case != nil:
		w.cases <- o.Case
	case o.Stop != "":
		cause := execute.ErrWall
		if o.Stop == reasonStall {
			cause = execute.ErrStall
		}
		if f := w.cancel.Load(); f != nil {
			(*f)(cause)
		}
	default:
		return errors.New("an order without contents")
	}
	return nil
}

// run runs one case and tells of its progress. An interrupted one is not answered.
func (w *worker) run(all context.Context, c *plan.Case) error {
	ctx, cancel := context.WithCancelCause(all)
	defer cancel(nil)
	w.cancel.Store(&cancel)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		w.tell(stop)
	}()
	env := w.env
	r, ok := w.do(ctx, &env, c)
	w.cancel.Store(nil)
	close(stop)
	<-stopped
	if !ok {
		return context.Cause(ctx)
	}
	return w.out.put(answer{Record: &r})
}

// tell passes beats on, the latest at a time: the run itself must not wait for a pipe.
func (w *worker) tell(stop chan struct{}) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if b := w.beat.Swap(nil); b != nil && w.out.put(answer{Beat: b}) != nil {
			return
		}
	}
}
