package lockstep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// Run is one comparison of a device with the model.
type Run struct {
	Name     string
	Device   target.Target
	Config   target.Config
	Stimulus stimulus.List
	Rerun    string
	// Journal gets every batch as it came, before it is compared; nil: none. An error of it ends the run.
	Journal io.Writer
	// Ended, if not nil, is told when the device reached its end and the counts of both sides agreed.
	Ended func(target.Ending)
	// Second, if not nil, gets the whole transactions of a second look.
	Second func(whole []byte)
	// Observe gets every transaction that was found equal, whole.
	Observe func(record []byte)
	// Model takes the place of the receiver, for tests.
	Model Model
}

// Do resets the device, gives it the stimulus, compares until both are done, and says what it came to. The device is
// not closed. The verdict is never nil.
func (r *Run) Do(ctx context.Context) *Verdict {
	v := &Verdict{Name: r.Name, Preset: r.Config.Preset, Seed: r.Config.Seed, Mode: r.Config.Mode.String(), Rerun: r.Rerun}
	v.Device = r.Device.Describe().Name
	m := r.Model
	if m == nil {
		p, err := Params(r.Config.Preset)
		if err != nil {
			return v.Failed(err)
		}
		rx, err := conn.New(p)
		if err != nil {
			return v.Failed(err)
		}
		rx.SetBounds(Bounds(r.Stimulus))
		m = rx
	}
	c := NewChecker(m, r.Config.Mode, r.Observe)
	c.Apply(r.Stimulus)
	err := r.start(ctx)
	begin := time.Now()
	if err == nil {
		v.Device = r.Device.Describe().Name
		err = r.follow(ctx, c, v)
	}
	v.Wall = time.Since(begin)
	c.account(v, r.Device.Describe())
	if err != nil {
		return v.Failed(err)
	}
	v.conclude()
	return v
}

func (r *Run) start(ctx context.Context) error {
	if err := r.Device.Reset(ctx, r.Config); err != nil {
		return err
	}
	if err := r.Device.Apply(ctx, r.Stimulus); err != nil {
		return err
	}
	return r.Device.Finish(ctx)
}

// follow drains and compares. A divergence is put into v; an error is a failure of the bench.
func (r *Run) follow(ctx context.Context, c *Checker, v *Verdict) error {
	for {
		b, err := r.Device.Drain(ctx)
		if len(b) > 0 {
			if r.Journal != nil {
				if _, err := r.Journal.Write(b); err != nil {
					return target.Fail("run folder", err, "cannot write the journal")
				}
			}
			if f := c.Batch(b); f != nil {
				return r.explain(ctx, c, f, v)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	e := r.Device.End()
	v.Cycles = e.Cycles
	if r.Ended != nil {
		r.Ended(e)
	}
	if f := c.end(e.Cycles, e.Hung); f != nil {
		v.Divergence = c.explain(f, nil)
	}
	return nil
}

// explain takes a second look where only heads came, so that the first wrong field can be named.
func (r *Run) explain(ctx context.Context, c *Checker, f *finding, v *Verdict) error {
	v.Cycles = c.cycle
	var whole []byte
	if f.record != nil && r.Config.Mode == target.ModeDigest {
		f.record = append([]byte(nil), f.record...)
		last, err := r.Device.SecondLook(ctx)
		if err == nil {
			whole = findRecord(last, uint32(c.seq))
			if r.Second != nil {
				r.Second(last)
			}
		}
		if whole == nil {
			v.NotCompared = append(v.NotCompared, fmt.Sprintf("state records of transaction %d: the second look failed: %v", c.seq, err))
		}
	}
	v.Divergence = c.explain(f, whole)
	return nil
}

// findRecord finds a transaction by its number among whole ones.
func findRecord(b []byte, seq uint32) []byte {
	for len(b) >= target.RecordBytes {
		size := target.RecordBytes * (1 + int(b[3]))
		if size > len(b) {
			return nil
		}
		var h event.Head
		if h.Decode(b) == nil && h.Seq == seq {
			return b[:size]
		}
		b = b[size:]
	}
	return nil
}

// account fills the counts.
func (c *Checker) account(v *Verdict, d target.Description) {
	v.Transactions = c.seq
	v.Compared, v.Told = c.compared(), c.told()
	if v.Cycles == 0 {
		v.Cycles = c.cycle
	}
	for i := range event.Engines {
		e := &event.Engines[i]
		if !e.Built && !e.Boundary {
			continue
		}
		if !d.Sees[e.Kind] {
			v.NotCompared = append(v.NotCompared, e.Name+": not seen by "+d.Name)
		}
	}
	v.Counters = map[string]uint64{}
	n := c.model.Counters()
	for i, k := range n.Drops {
		if k > 0 {
			name := "admitted"
			if i > 0 {
				name = "drop." + event.Reason(i).String()
			}
			v.Counters[name] = uint64(k)
		}
	}
	for i, k := range n.Verdicts {
		if k > 0 {
			v.Counters["verdict."+event.Verdict(i).String()] = uint64(k)
		}
	}
	if c.beyond > 0 {
		v.Counters["beyond_horizon"] = c.beyond
	}
}

// Failed makes the verdict that of a run which says nothing about the device.
func (v *Verdict) Failed(err error) *Verdict {
	v.Result, v.Failure = BenchFailed, err.Error()
	var f *target.Failure
	if errors.As(err, &f) {
		v.Side, v.Gone = f.Side, f.Gone
	}
	var u *target.Unsupported
	if errors.As(err, &u) {
		v.Result = Unsupported
	}
	v.Line = v.Result.String() + ": " + v.Failure
	return v
}

// conclude sets result and line from what was found.
func (v *Verdict) conclude() {
	switch {
	case v.Divergence != nil:
		v.Result, v.Line = Diverged, v.Divergence.Line()
	case v.Transactions == 0:
		v.Result, v.Line = Inconclusive, "inconclusive: nothing was compared"
	default:
		v.Result = Match
		v.Line = fmt.Sprintf("match: %d events of %d kinds equal, %d values told, %d cycles", v.Transactions, len(v.Compared),
			v.TotalTold(), v.Cycles)
	}
}
