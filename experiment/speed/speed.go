package speed

import (
	"context"
	"fmt"
	"runtime"
	"syscall"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// LeastRatio is the part of the speed of a bare event loop that a run has to reach.
const LeastRatio = 0.25

// rounds of both measurements, in turn; the best of each counts.
const rounds = 3

// Case is one run to be measured.
type Case struct {
	Name  string
	Kind  fabric.Kind
	Hosts int
	Work  func() (*workload.Graph, error)
	Aim   float64   // million hops a second, on a quiet machine: told beside the result, not judged
	Warm  sim.Picos // simulated time before measuring begins: pools and rings have grown, connections are open
}

// Cases are the runs of `tandem bench model`.
func Cases() []Case {
	return []Case{
		{"incast 127:1", fabric.SingleSwitch, 128, workload.Incast{Senders: 127, Bytes: 2 << 20}.Graph, 3, sim.Millisecond / 2},
		{"permutation 128", fabric.LeafSpine, 128, workload.Permutation{Hosts: 128, Bytes: 4 << 20, Seed: 1}.Graph, 1.5, 20 * sim.Microsecond},
		{"permutation 1024", fabric.LeafSpine, 1024, workload.Permutation{Hosts: 1024, Bytes: 2 << 20, Seed: 1}.Graph, 1, 15 * sim.Microsecond},
		{"all-to-all 64", fabric.LeafSpine, 64, workload.AllToAll{Hosts: 64, Bytes: 256 << 10}.Graph, 0.5, 40 * sim.Microsecond},
	}
}

// Result is what a case came to. Speeds are of processor time.
type Result struct {
	Name    string  `json:"name"`
	Hops    uint64  `json:"hops"`   // link hops behind the warm-up
	Events  uint64  `json:"events"` // of the simulator, in the same time
	Pending int     `json:"pending"`
	HopRate float64 `json:"hops_s"`
	Aim     float64 `json:"aim_hops_s"` // told, not judged
	Rate    float64 `json:"events_s"`
	Bare    float64 `json:"bare_events_s"`
	Ratio   float64 `json:"ratio"`
	Missing string  `json:"missing,omitempty"`
}

// Measure runs all cases. tell, where it is given, hears what is being measured.
func Measure(ctx context.Context, cases []Case, tell func(string)) ([]Result, error) {
	var list []Result
	for i := range cases {
		c := &cases[i]
		if tell != nil {
			tell(c.Name)
		}
		r, err := c.measure(ctx)
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

func (c *Case) measure(ctx context.Context) (Result, error) {
	best := Result{Name: c.Name, Aim: c.Aim * 1e6}
	for range rounds {
		if err := ctx.Err(); err != nil {
			return best, fmt.Errorf("%s: %w", c.Name, err)
		}
		r, err := c.round(ctx)
		if err != nil {
			return best, fmt.Errorf("%s: %w", c.Name, err)
		}
		best.Hops, best.Events, best.Pending = r.Hops, r.Events, r.Pending
		best.HopRate, best.Rate, best.Bare = max(best.HopRate, r.HopRate), max(best.Rate, r.Rate), max(best.Bare, r.Bare)
	}
	best.judge()
	return best, nil
}

// judge forms the ratio and says what is missing.
func (r *Result) judge() {
	if r.Bare == 0 || r.Events == 0 {
		r.Missing = "nothing was measured"
		return
	}
	r.Ratio = r.Rate / r.Bare
	if r.Ratio < LeastRatio {
		r.Missing = fmt.Sprintf("%.2f of a bare event loop of as many events, at least %.2f", r.Ratio, LeastRatio)
	}
}

// mark is what had happened when measuring began.
type mark struct {
	set   bool
	took  float64
	stats fabric.Stats
}

// round measures one run and one bare loop.
func (c *Case) round(ctx context.Context) (Result, error) {
	r := Result{}
	work, err := c.Work()
	if err != nil {
		return r, err
	}
	f := fabric.Default(c.Kind, c.Hosts)
	net, err := fabric.New(f)
	if err != nil {
		return r, err
	}
	var warm mark
	run, err := cluster.Run(net, func(net *fabric.Network, ev cluster.Events) (cluster.Transport, error) {
		return metaroce.New(net, &f, ev, metaroce.Default())
	}, work, cluster.Options{
		Every: c.Warm,
		Probe: func(sim.Picos, cluster.Transport) {
			if !warm.set {
				runtime.GC() // what making the NICs left behind is not theirs to pay for
				warm = mark{true, processorTime(), net.Stats()}
			}
		},
		Interrupted: func() bool { return ctx.Err() != nil },
	})
	if err != nil {
		return r, err
	}
	took := processorTime() - warm.took
	if !warm.set {
		return r, fmt.Errorf("done before the warm-up of %s was over", c.Warm)
	}
	r.Hops, r.Events, r.Pending = run.Fabric.Hops-warm.stats.Hops, run.Fabric.Events-warm.stats.Events, run.Fabric.MaxPending
	r.HopRate, r.Rate = float64(r.Hops)/took, float64(r.Events)/took
	begin := processorTime()
	net.BareLoop(1, int(r.Events))
	r.Bare = float64(r.Events) / (processorTime() - begin)
	return r, nil
}

// processorTime is what this process has used, in seconds. Other work on the machine disturbs it less than the clock.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("speed BUG: " + err.Error())
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
