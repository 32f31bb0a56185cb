package cluster

import (
	"slices"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Flow is a message and its times. What has not happened is 0.
type Flow struct {
	workload.Message
	Posted sim.Picos
	Done   sim.Picos // all bytes in place at the receiver
}

// Duration is the flow completion time.
func (f *Flow) Duration() sim.Picos { return f.Done - f.Posted }

// Result is what a run has shown. A run that failed or was interrupted has a part of it.
type Result struct {
	Start, End sim.Picos // of the run, and the last completion
	Flows      []Flow    // by tag
	Completed  int       // of them
	Bin        sim.Picos // width of the bins
	Bins       []uint64  // payload that arrived for the first time, from Start on
	BinsEnd    sim.Picos // of the last bin, which may be shorter than the others
	Counters   Counters  // Drain behind End
	Fabric     fabric.Stats
}

func (r *run) result() Result {
	return Result{
		Start: r.start, End: r.end, Flows: r.flows, Completed: r.completed, Bin: r.bins.width, Bins: r.bins.bytes,
		BinsEnd: r.bins.end, Counters: r.transport.Counters(), Fabric: r.net.Stats(),
	}
}

// Makespan is the time from the start of the run to the last completion.
func (r *Result) Makespan() sim.Picos { return r.End - r.Start }

// Bytes is the payload of the messages that are complete.
func (r *Result) Bytes() uint64 {
	sum := uint64(0)
	for i := range r.Flows {
		if r.Flows[i].Done > 0 {
			sum += r.Flows[i].Bytes
		}
	}
	return sum
}

// Goodput is payload over makespan, in Mb/s.
func (r *Result) Goodput() uint64 { return Rate(r.Bytes(), r.Makespan()) }

// BinRate is the goodput in bin i, in Mb/s.
func (r *Result) BinRate(i int) uint64 {
	begin := r.Start + sim.Picos(i)*r.Bin
	return Rate(r.Bins[i], min(r.Bin, r.BinsEnd-begin))
}

// Rate is bytes over a time in Mb/s, rounded down; 0 over no time.
func Rate(bytes uint64, over sim.Picos) uint64 {
	if over == 0 {
		return 0
	}
	return sim.MulDiv(bytes, 8_000_000, uint64(over))
}

// Durations are flow completion times in ascending order.
type Durations []sim.Picos

// Durations of the messages that are complete and that keep wants; nil keeps all.
func (r *Result) Durations(keep func(f *Flow) bool) Durations {
	var d Durations
	for i := range r.Flows {
		if f := &r.Flows[i]; f.Done > 0 && (keep == nil || keep(f)) {
			d = append(d, f.Duration())
		}
	}
	slices.Sort(d)
	return d
}

// Rank is the percentile by nearest rank: the least duration that permille of all do not exceed. 1000 is the slowest,
// 0 the fastest. Of nothing it is 0.
func (d Durations) Rank(permille int) sim.Picos {
	if len(d) == 0 {
		return 0
	}
	rank := (len(d)*min(max(permille, 0), 1000) + 999) / 1000
	return d[max(rank, 1)-1]
}

// Mean is rounded down; 0 of nothing.
func (d Durations) Mean() sim.Picos {
	if len(d) == 0 {
		return 0
	}
	sum := sim.Picos(0)
	for _, v := range d {
		sum += v
	}
	return sum / sim.Picos(len(d))
}

// FastToSlow is the fastest over the slowest in parts per million, 1,000,000 when all are equal; 0 of nothing.
func (d Durations) FastToSlow() uint64 {
	if len(d) == 0 {
		return 0
	}
	return sim.MulDiv(uint64(d[0]), 1_000_000, uint64(d[len(d)-1]))
}

// bins collect goodput over time.
type bins struct {
	width sim.Picos
	edge  sim.Picos // end of the one that is open
	end   sim.Picos // of the newest that is closed
	seen  uint64    // bytes at the last edge
	bytes []uint64
}

func (b *bins) close(at sim.Picos, total uint64) {
	b.bytes = append(b.bytes, total-b.seen)
	b.seen = total
	b.end = at
	b.edge += b.width
}

// last closes the bin that is open at the end, if it has begun.
func (b *bins) last(end sim.Picos, total uint64) {
	if b.width > 0 && end+b.width > b.edge {
		b.close(end, total)
	}
}
