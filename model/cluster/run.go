package cluster

import (
	"fmt"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// state of a message.
const (
	isUnknown uint8 = iota // not given out by the workload
	isGiven                // waits in the agenda
	isPosted
	isComplete
)

// run is one run. It is what the transport reports to.
type run struct {
	net       *fabric.Network
	transport Transport
	hosts     int
	work      workload.Workload
	give      func(at sim.Picos, m workload.Message) // r.given, bound once
	opt       Options

	agenda    agenda
	flows     []Flow
	state     []uint8
	posted    int
	completed int
	changed   bool // something completed since the agenda was looked at

	start, end sim.Picos
	bins       bins
	probe      sim.Picos // next
	watch      watch
	fail       error
}

// Run carries a workload to its end on a network that nothing has run on yet. The error is a *Failure, ErrInterrupted,
// that of build, or one or more *Problem. With a *Failure and with ErrInterrupted comes what there is of a Result.
func Run(net *fabric.Network, build Build, work workload.Workload, opt Options) (Result, error) {
	if err := opt.Validate(); err != nil {
		return Result{}, err
	}
	messages := work.Messages()
	if messages == 0 {
		return Result{}, &Problem{"workload", "empty", "want at least one message"}
	}
	r := &run{net: net, work: work, opt: opt.filled(), flows: make([]Flow, messages), state: make([]uint8, messages), start: net.Now()}
	r.give = r.given
	transport, err := build(net, r)
	if err != nil {
		return Result{}, err
	}
	r.transport = transport
	hosts := transport.Hosts()
	r.hosts = len(hosts)
	for i, h := range hosts {
		net.Attach(i, h)
	}
	r.begin()
	r.loop()
	if r.fail == nil {
		r.finish()
	}
	return r.result(), r.fail
}

func (r *run) begin() {
	r.end = r.start
	r.probe = r.start + r.opt.Every
	r.bins = bins{width: r.opt.Bin, edge: r.start + r.opt.Bin}
	r.watch = watch{due: r.start + r.opt.Stall}
	r.work.Start(r.start, r.give)
}

// loop runs until all messages are complete or something is wrong.
func (r *run) loop() {
	for r.fail == nil && r.completed < len(r.flows) {
		due := r.due()
		r.changed = false
		if r.events(due) {
			continue // what completed may have brought the next post nearer
		}
		r.net.Run(due)
		r.act(due)
	}
}

// due is when the driver itself has something to do next.
func (r *run) due() sim.Picos {
	due := min(r.start+r.opt.Deadline, r.watch.due)
	if at, ok := r.agenda.next(); ok {
		due = min(due, at)
	}
	if r.bins.width > 0 {
		due = min(due, r.bins.edge)
	}
	if r.opt.Probe != nil {
		due = min(due, r.probe)
	}
	return due
}

// events executes those of the network up to and with that time. It says whether it stopped early.
func (r *run) events(until sim.Picos) bool {
	for r.net.StepUntil(until) {
		if r.watch.step() {
			r.lookUp(r.net.Now())
		}
		if r.changed || r.fail != nil {
			return true
		}
	}
	return r.idle()
}

// idle says whether the run is over because neither the network nor the workload has anything to come.
func (r *run) idle() bool {
	if _, ok := r.net.Next(); ok {
		return false
	}
	if _, ok := r.agenda.next(); ok {
		return false
	}
	r.failed(Stuck, "the network is idle and %d messages are not complete", len(r.flows)-r.completed)
	return true
}

// act does what is due: posts, then the edge of a bin, the probe, the watch, the deadline.
func (r *run) act(now sim.Picos) {
	for {
		at, ok := r.agenda.next()
		if !ok || at > now {
			break
		}
		m := r.agenda.pop()
		r.flows[m.Tag].Posted = now
		r.state[m.Tag] = isPosted
		r.posted++
		r.transport.Post(now, m)
	}
	if r.bins.width > 0 && now == r.bins.edge {
		r.bins.close(now, r.transport.Counters().Bytes)
	}
	if r.opt.Probe != nil && now == r.probe {
		r.opt.Probe(now, r.transport)
		r.probe += r.opt.Every
	}
	if now == r.watch.due {
		r.look(now)
	}
	if now >= r.start+r.opt.Deadline {
		r.failed(Outstanding, "%d of %d messages are not complete at the deadline", len(r.flows)-r.completed, len(r.flows))
	}
}

// given takes what the workload gives out.
func (r *run) given(at sim.Picos, m workload.Message) {
	switch {
	case int64(m.Tag) >= int64(len(r.flows)):
		r.failed(Workload, "message %d of %d was given out", m.Tag, len(r.flows))
	case r.state[m.Tag] != isUnknown:
		r.failed(Workload, "message %d was given out a second time", m.Tag)
	case m.Bytes == 0 || m.Bytes > workload.MaxBytes:
		r.failed(Workload, "message %d has %d bytes, want 1..%d", m.Tag, m.Bytes, uint64(workload.MaxBytes))
	case int(m.Src) >= r.hosts || int(m.Dst) >= r.hosts || m.Src == m.Dst:
		r.failed(Workload, "message %d goes from host %d to %d, want two of 0..%d", m.Tag, m.Src, m.Dst, r.hosts-1)
	case at < r.net.Now():
		r.failed(Workload, "message %d starts at %s, which is past", m.Tag, at)
	default:
		r.state[m.Tag] = isGiven
		r.flows[m.Tag].Message = m
		r.agenda.push(at, m)
	}
}

// Completed takes what the transport has done.
func (r *run) Completed(now sim.Picos, m workload.Message) {
	switch {
	case int64(m.Tag) >= int64(len(r.flows)) || r.state[m.Tag] < isPosted:
		r.failed(Unknown, "%s was never posted", show(m))
	case r.state[m.Tag] == isComplete:
		r.failed(Doubled, "%s is complete again; it was at %s", show(m), r.flows[m.Tag].Done)
	case r.flows[m.Tag].Message != m:
		r.failed(Changed, "%s was posted as %s", show(m), show(r.flows[m.Tag].Message))
	default:
		r.state[m.Tag] = isComplete
		r.flows[m.Tag].Done = now
		r.completed++
		r.end = max(r.end, now)
		r.changed = true
		r.work.Done(now, m, r.give)
	}
}

func show(m workload.Message) string {
	return fmt.Sprintf("message %d (%d B from host %d to %d, stream %d)", m.Tag, m.Bytes, m.Src, m.Dst, m.Stream)
}

// finish lets the network run on, so that a completion too many is seen, and holds the transport to its counts.
func (r *run) finish() {
	r.bins.last(r.end, r.transport.Counters().Bytes)
	until := r.end + r.opt.Drain
	for r.fail == nil && r.net.StepUntil(until) {
	}
	if r.fail != nil {
		return
	}
	want := uint64(0)
	for i := range r.flows {
		want += r.flows[i].Bytes
	}
	if n := r.transport.Outstanding(); n != 0 {
		r.failed(Miscounted, "all messages are complete, and the transport has %d outstanding", n)
	} else if got := r.transport.Counters().Bytes; got != want {
		r.failed(Miscounted, "the messages have %d B, and %d B arrived for the first time", want, got)
	}
}

// failed keeps the first failure, and the state at that time.
func (r *run) failed(kind Kind, format string, args ...any) {
	if r.fail != nil {
		return
	}
	r.fail = &Failure{Kind: kind, At: r.net.Now(), What: fmt.Sprintf(format, args...), Dump: r.dump()}
}
