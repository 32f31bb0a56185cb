package check

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"time"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

// Bounds of the gate: a check may cost so many bare decodings, and allocates nothing. Queues grow once; what they took
// in the second half of a run is allowed as a fraction of an allocation.
const (
	MostRatio  = 25
	MostAllocs = 0.02
)

// rounds of both measurements, in turn; the best of each counts.
const rounds = 5

// Cost is what one mode costs.
type Cost struct {
	Mode     string   `json:"mode"`
	Records  int      `json:"records"`
	DecodeNs float64  `json:"decode_ns"` // a record
	CheckNs  float64  `json:"check_ns"`
	Ratio    float64  `json:"ratio"`
	Allocs   float64  `json:"allocs"` // a record, in the second half of a run
	Missing  []string `json:"missing,omitempty"`
}

// Holds says whether the cost is within its bounds.
func (c *Cost) Holds() bool { return len(c.Missing) == 0 }

// Measure records the smallest frames on the model in cycles and checks the recording again and again.
func Measure(ctx context.Context, presetName string, packets int) ([]Cost, error) {
	p, ok := preset.ByName(presetName)
	if !ok {
		return nil, &target.Unsupported{What: "preset " + presetName}
	}
	prog, err := generate.Smallest(p, packets)
	if err != nil {
		return nil, target.Fail("host", err, "cannot make the frames")
	}
	whole, n, err := record(ctx, presetName, prog.Items)
	if err != nil {
		return nil, err
	}
	var list []Cost
	for _, m := range []target.Mode{target.ModeFull, target.ModeDigest} {
		sent := whole
		if m == target.ModeDigest {
			sent = heads(whole)
		}
		c, err := measure(ctx, p, prog.Items, m, whole, sent, n)
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	return list, nil
}

// record runs the stimulus and keeps its records, 256 transactions a piece, as they come off the bridge.
func record(ctx context.Context, presetName string, items stimulus.List) (batches [][]byte, n int, err error) {
	var now bytes.Buffer
	v := session.Run(ctx, session.Options{Name: "bench-check", Device: "model", Config: target.Config{Preset: presetName, Seed: 1}, Stimulus: items, Journal: "never",
		Observe: func(rec []byte) {
			now.Write(rec)
			if n++; n%256 == 0 {
				batches = append(batches, bytes.Clone(now.Bytes()))
				now.Reset()
			}
		}})
	if v.Result != lockstep.Match {
		return nil, 0, target.Fail("host", nil, "the recording does not match: %s", v.Line)
	}
	return append(batches, now.Bytes()), n, nil
}

// heads are the batches as mode digest sends them.
func heads(whole [][]byte) (list [][]byte) {
	for _, b := range whole {
		var h []byte
		for len(b) > 0 {
			h = append(h, b[:target.RecordBytes]...)
			b = b[target.RecordBytes*(1+int(b[3])):]
		}
		list = append(list, h)
	}
	return list
}

func measure(ctx context.Context, p preset.Params, items stimulus.List, m target.Mode, whole, sent [][]byte, n int) (Cost, error) {
	c := Cost{Mode: m.String(), Records: n}
	var decode, check time.Duration
	for round := range rounds {
		if ctx.Err() != nil {
			return c, target.Fail("host", ctx.Err(), "interrupted")
		}
		bad := 0
		d := timed(func() { bad = decodeAll(whole) })
		if bad > 0 {
			return c, target.Fail("host", nil, "%d records of the recording cannot be read", bad)
		}
		k, err := newChecker(p, items, m)
		if err != nil {
			return c, err
		}
		ok := true
		t := timed(func() { ok = checkAll(k, sent, &c, n) })
		if !ok {
			return c, target.Fail("host", nil, "the recording does not match itself")
		}
		if round == 0 || d < decode {
			decode = d
		}
		if round == 0 || t < check {
			check = t
		}
	}
	c.DecodeNs, c.CheckNs = float64(decode.Nanoseconds())/float64(n), float64(check.Nanoseconds())/float64(n)
	c.Ratio = c.CheckNs / c.DecodeNs
	if c.Ratio > MostRatio {
		c.Missing = append(c.Missing, fmt.Sprintf("a check costs %.1f bare decodings, at most %d", c.Ratio, MostRatio))
	}
	if c.Allocs > MostAllocs {
		c.Missing = append(c.Missing, fmt.Sprintf("%.3f allocations a record", c.Allocs))
	}
	return c, nil
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

func newChecker(p preset.Params, items stimulus.List, m target.Mode) (*lockstep.Checker, error) {
	r, err := conn.New(p)
	if err != nil {
		return nil, target.Fail("host", err, "cannot make the model")
	}
	r.SetBounds(lockstep.Bounds(items))
	k := lockstep.NewChecker(r, m, nil)
	k.Apply(items)
	return k, nil
}

// checkAll compares everything and counts the allocations of the second half.
func checkAll(k *lockstep.Checker, batches [][]byte, c *Cost, n int) bool {
	var before, after runtime.MemStats
	for i, b := range batches {
		if i == len(batches)/2 {
			runtime.ReadMemStats(&before)
		}
		if !k.Equal(b) {
			return false
		}
	}
	runtime.ReadMemStats(&after)
	c.Allocs = float64(after.Mallocs-before.Mallocs) / (float64(n) / 2)
	return true
}

// decodeAll reads every transaction whole, state included. That is the measure in mode digest too: the check makes the
// whole record there as well, to compare its digest, and only the sending is spared.
func decodeAll(batches [][]byte) (bad int) {
	var d decoder
	for _, b := range batches {
		for len(b) > 0 {
			size := target.RecordBytes * (1 + int(b[3]))
			if d.decode(b[:size]) != nil {
				bad++
			}
			b = b[size:]
		}
	}
	return bad
}

type decoder struct {
	admit    event.Admit
	window   event.Window
	key      event.Key
	recv     event.Recv
	message  event.Message
	place    event.Place
	complete event.Complete
	coalesce event.Coalesce
	ctimer   event.Ctimer
	ack      event.Ack
	in       event.PacketIn
	out      event.PacketOut
	write    event.MemWrite
	done     event.Completion
	register event.Register
	command  event.CommandDone
}

func (d *decoder) decode(b []byte) error {
	switch event.Kind(b[1]) {
	case event.KindAdmit:
		return d.admit.Decode(b)
	case event.KindWindow:
		return d.window.Decode(b)
	case event.KindKey:
		return d.key.Decode(b)
	case event.KindRecv:
		return d.recv.Decode(b)
	case event.KindMessage:
		return d.message.Decode(b)
	case event.KindPlace:
		return d.place.Decode(b)
	case event.KindComplete:
		return d.complete.Decode(b)
	case event.KindCoalesce:
		return d.coalesce.Decode(b)
	case event.KindCtimer:
		return d.ctimer.Decode(b)
	case event.KindAck:
		return d.ack.Decode(b)
	case event.KindPacketIn:
		return d.in.Decode(b)
	case event.KindPacketOut:
		return d.out.Decode(b)
	case event.KindMemWrite:
		return d.write.Decode(b)
	case event.KindCompletion:
		return d.done.Decode(b)
	case event.KindRegister:
		return d.register.Decode(b)
	case event.KindCommandDone:
		return d.command.Decode(b)
	}
	return nil
}
