package rocev2

import (
	"testing"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// choices are what docs/rocev2.md weighs, each as its difference to Default.
var choices = []struct {
	name string
	pfc  bool
	set  func(c *Config, f *fabric.Config)
}{
	{"default", false, func(*Config, *fabric.Config) {}},
	{"timeout-131us", false, func(c *Config, _ *fabric.Config) { c.Timeout = timeoutUnit << 5 }},
	{"timeout-1ms", false, func(c *Config, _ *fabric.Config) { c.Timeout = timeoutUnit << 8 }},
	{"timeout-4ms", false, func(c *Config, _ *fabric.Config) { c.Timeout = timeoutUnit << 10 }},
	{"nak-once", false, func(c *Config, _ *fabric.Config) { c.NakBack, c.NakAgain = false, 0 }},
	{"no-window", false, func(c *Config, _ *fabric.Config) { c.Window = 0 }},
	{"loss-cuts", false, func(c *Config, _ *fabric.Config) { c.Dcqcn.LossCuts = true }},
	{"vendor", false, func(c *Config, f *fabric.Config) { *c.Dcqcn = VendorDcqcn(uint64(f.LinkMbps)) }},
	{"no-dcqcn", false, func(c *Config, _ *fabric.Config) { c.Dcqcn = nil }},
	{"spread-4", false, func(c *Config, _ *fabric.Config) { c.Spread = 4 }},
	{"pfc", true, func(*Config, *fabric.Config) {}},
	{"pfc-vendor", true, func(c *Config, f *fabric.Config) { *c.Dcqcn = VendorDcqcn(uint64(f.LinkMbps)) }},
	{"pfc-no-dcqcn", true, func(c *Config, _ *fabric.Config) { c.Dcqcn = nil }},
	{"pfc-spread-4", true, func(c *Config, _ *fabric.Config) { c.Spread = 4 }},
}

// BenchmarkChoices is what each choice does to the makespan of five workloads, as a multiple of the physical limit.
func BenchmarkChoices(b *testing.B) {
	lossy := fabric.Default(fabric.SingleSwitch, 64)
	lossy.Loss = fabric.Loss{Data: 10_000, Control: 10_000}
	for _, w := range []struct {
		name string
		f    fabric.Config
		g    interface {
			Graph() (*workload.Graph, error)
		}
	}{
		{"incast-8", fabric.Default(fabric.SingleSwitch, 9), workload.Incast{Senders: 8, Bytes: 2_000_000}},
		{"incast-127", fabric.Default(fabric.SingleSwitch, 128), workload.Incast{Senders: 127, Bytes: 2_000_000}},
		{"permutation-128", fabric.Default(fabric.LeafSpine, 128), workload.Permutation{Hosts: 128, Bytes: 2_000_000}},
		{"all-to-all-64", fabric.Default(fabric.LeafSpine, 64), workload.AllToAll{Hosts: 64, Bytes: 262_144}},
		{"all-to-all-64-loss", lossy, workload.AllToAll{Hosts: 64, Bytes: 262_144}},
	} {
		for _, choice := range choices {
			b.Run(w.name+"/"+choice.name, func(b *testing.B) {
				f := w.f
				if choice.pfc {
					f = withPfc(f)
				}
				for b.Loop() {
					c := Default(&f, choice.pfc)
					choice.set(&c, &f)
					g := graph(b, w.g)
					r, t := play(b, f, c, g)
					limit := g.Limit(workload.Link{Mbps: uint64(f.LinkMbps), Latency: oneWay(t)})
					b.ReportMetric(float64(r.Makespan())/float64(limit), "x-limit")
					b.ReportMetric(float64(r.Counters.Retransmitted)/float64(r.Counters.Data), "resent")
				}
			})
		}
	}
}

// oneWay is the way of a small packet over the longest way.
func oneWay(t *Transport) sim.Picos { return t.net.Diameter(ackBytes, ackBytes) / 2 }
