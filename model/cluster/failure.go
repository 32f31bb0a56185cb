package cluster

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/sim"
)

// Kind is what is wrong with a run that failed.
type Kind uint8

// Kinds of failures.
const (
	Workload    Kind = iota // the workload gave out something that cannot be posted
	Unknown                 // a completion of what was not posted
	Doubled                 // a second completion
	Changed                 // a completion with other fields than what was posted
	Outstanding             // messages were left at the deadline
	Stuck                   // nothing moves, or nothing ever will
	Miscounted              // transport and driver disagree on bytes or on what is outstanding
)

var kindNames = [...]string{"workload", "unknown completion", "doubled completion", "changed completion", "work outstanding", "stuck", "miscounted"}

// String is the kind in words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Failure is the error of a run that broke one of its rules.
type Failure struct {
	Kind Kind
	At   sim.Picos
	What string
	Dump string // state of what waits, several lines
}

// Error is the failure in a line, and the state below it.
func (f *Failure) Error() string {
	s := fmt.Sprintf("run: %s at %s: %s", f.Kind, f.At, f.What)
	if f.Dump != "" {
		s += "\n" + f.Dump
	}
	return s
}

// dumpLines bounds each part of a state dump.
const dumpLines = 10

// dump shows what waits: messages, posts to come, counters, and what the transport says of itself.
func (r *run) dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  messages: %d in all, %d posted, %d complete, %d to come\n", len(r.flows), r.posted, r.completed, len(r.agenda.heap))
	shown := 0
	for tag := range r.flows {
		if r.state[tag] != isPosted {
			continue
		}
		if shown++; shown > dumpLines {
			fmt.Fprintf(&b, "  ... and %d more\n", r.posted-r.completed-dumpLines)
			break
		}
		f := &r.flows[tag]
		fmt.Fprintf(&b, "  waits: message %d, %d B from host %d to %d, stream %d, posted at %s\n", tag, f.Bytes, f.Src, f.Dst, f.Stream, f.Posted)
	}
	fmt.Fprintf(&b, "  transport: %d outstanding, %+v\n", r.transport.Outstanding(), r.transport.Counters())
	fmt.Fprintf(&b, "  network: %d in flight, %+v\n", r.net.InFlight(), r.net.Stats())
	if d, ok := r.transport.(Describer); ok {
		b.WriteString("  " + strings.ReplaceAll(strings.TrimSpace(d.Describe(2*dumpLines)), "\n", "\n  ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
