package catalog

import (
	"slices"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// folded is a workload on fewer streams.
type folded struct {
	*workload.Graph
	streams uint16
}

// Start is that of the graph.
func (f folded) Start(now sim.Picos, post func(at sim.Picos, m workload.Message)) {
	f.Graph.Start(now, f.fold(post))
}

// Done is that of the graph.
func (f folded) Done(now sim.Picos, m workload.Message, post func(at sim.Picos, m workload.Message)) {
	f.Graph.Done(now, m, f.fold(post))
}

func (f folded) fold(post func(at sim.Picos, m workload.Message)) func(at sim.Picos, m workload.Message) {
	return func(at sim.Picos, m workload.Message) {
		m.Stream %= f.streams
		post(at, m)
	}
}

// streamKey is one stream from a host to another.
type streamKey struct{ src, dst, stream uint16 }

// streamTimes are the completion times of streams, ascending: from the first post of a message to the last completion.
// Where messages wait for each other this is what a flow is: one message may be quick only because the others are late.
func (o *outcome) streamTimes() cluster.Durations {
	type times struct{ first, last sim.Picos }
	at := map[streamKey]times{}
	for i := range o.Flows {
		f := &o.Flows[i]
		k := streamKey{f.Src, f.Dst, f.Stream}
		t, seen := at[k]
		if !seen || f.Posted < t.first {
			t.first = f.Posted
		}
		t.last = max(t.last, f.Done)
		at[k] = t
	}
	var d cluster.Durations
	for _, t := range at {
		d = append(d, t.last-t.first)
	}
	slices.Sort(d)
	return d
}
