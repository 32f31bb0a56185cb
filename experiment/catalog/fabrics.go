package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// variant is a fabric that differs from the usual one.
type variant struct {
	name, what string
	change     func(c *fabric.Config, bdp uint64)
}

// Sizes of the variants. A trimmed packet keeps its headers.
const (
	trimmedSize  = 128
	reorderPpm   = 10_000
	reorderDelay = 2_000_000 // ps: 24 packets at 400 Gb/s
)

var variants = []variant{
	{"usual", "buffers of 1 BDP, marks from 0.2 to 0.8", func(*fabric.Config, uint64) {}},
	{"small-buffer", "buffers of 0.2 BDP, marks in its upper half", func(c *fabric.Config, bdp uint64) {
		c.Buffer, c.EcnLo, c.EcnHi = uint32(bdp/5), uint32(bdp/10), uint32(bdp/5)
	}},
	{"deep-buffer", "buffers of 50 BDP, marks as usual", func(c *fabric.Config, bdp uint64) { c.Buffer = uint32(min(50*bdp, 1<<32-1)) }},
	{"no-ecn", "buffers of 1 BDP, no marks", func(c *fabric.Config, _ uint64) { c.EcnLo, c.EcnHi = 0, 0 }},
	{"deep-no-ecn", "buffers of 50 BDP, no marks", func(c *fabric.Config, bdp uint64) {
		c.Buffer, c.EcnLo, c.EcnHi = uint32(min(50*bdp, 1<<32-1)), 0, 0
	}},
	{"trimming", "packets without room are cut to their headers", func(c *fabric.Config, _ uint64) { c.Trim = trimmedSize }},
	{"reordering", "1 % of the packets held up by up to 2 us inside their way", func(c *fabric.Config, _ uint64) {
		c.Reorder = fabric.Reorder{Ppm: reorderPpm, Delay: reorderDelay, Where: fabric.LastLink}
	}},
}

func variantNames() []string {
	var names []string
	for _, x := range variants {
		names = append(names, x.name)
	}
	return names
}

func variantOf(name string) variant {
	for _, x := range variants {
		if x.name == name {
			return x
		}
	}
	panic("catalog BUG: variant " + name)
}

// fabrics: what other fabrics do to the transport.
func fabrics() *experiment.Experiment {
	about := "Every host sends to one other over a leaf-spine fabric with half as many uplinks as hosts, so that it is overloaded all the time; and an incast meanwhile is a run of its own. Fabrics: "
	for _, x := range variants {
		about += x.name + ": " + x.what + "; "
	}
	return &experiment.Experiment{
		Name: "fabrics", Short: "small and deep buffers, no marks, trimming, reordering; overloaded",
		Claim:  "ECN and ECMP are all it asks of a fabric; shallow and deep buffers, fat trees and multiplane all work, and what a fabric offers beyond does not break it.",
		Source: "ann:fabric-asks",
		About:  about + "every message completes, or the run fails. The limit of the permutation is that of the uplinks.",
		Headline: []string{
			"time", "lost",
		},
		Params: withNetwork(experiment.Params{
			{Name: "variants", Kind: experiment.Choices, Options: variantNames(), Default: "usual,small-buffer,deep-buffer,no-ecn,deep-no-ecn,trimming,reordering", Why: "what is built"},
			{Name: "work", Kind: experiment.Choices, Options: []string{"permutation", "incast"}, Default: "permutation,incast", Why: "load in the middle, and at the edge"},
			kindParam("leaf-spine", "the usual one; fat-tree has three tiers"),
			{Name: pHosts, Min: 8, Max: 1024, Default: "64", Why: "8 leaves of 8"},
			{Name: "bytes", Unit: experiment.Bytes, Min: 1, Max: 1 << 30, Default: "2000000", Why: "of a host, several times rate x round trip"},
			{Name: pTransports, Kind: experiment.Choices, Options: transportNames(), Default: "metaroce,rocev2,rocev2-pfc", Why: "flow control is not run on a fabric that trims: nothing lossless is cut"},
		}),
		Plan: planFabrics,
	}
}

func planFabrics(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, work := range v.Words("work") {
		for _, name := range v.Words("variants") {
			net := shape(kindOf(v.Word(pKind)), int(v.Number(pHosts)), 1)
			if net.Spines > 1 {
				net.Spines /= 2
			}
			if err := fit(&net, v); err != nil {
				b.bad.add(err)
				continue
			}
			variantOf(name).change(&net, bdpOf(&net, v))
			b.addFabric(v, net, work, name)
		}
	}
	return b.plan(fabricsPlan(v))
}

func (b *builder) addFabric(v experiment.Values, net fabric.Config, work, name string) {
	hosts, bytes := net.Hosts, v.Number("bytes")
	t := trial{
		name: work + "/" + name, net: net,
		work: func(seed uint64) (*workload.Graph, error) {
			if work == "incast" {
				return workload.Incast{Senders: hosts - 1, Bytes: bytes}.Graph()
			}
			return workload.Permutation{Hosts: hosts, Bytes: bytes, Seed: seed, Shift: net.HostsPerLeaf}.Graph()
		},
		row: func(o *outcome) experiment.Output {
			limit := o.graph.Limit(o.link())
			if work == "permutation" && o.net.Spines > 0 { // all traffic leaves its leaf
				limit = o.link().Time(bytes*uint64(o.net.HostsPerLeaf)/uint64(o.net.Spines)) + o.way
			}
			d := o.Durations(nil)
			r := o.start().Word("work", work).Word("variant", name).Share("completed", uint64(o.Completed), uint64(len(o.Flows))).
				Num("time", experiment.Micros(uint64(o.Makespan()))).Num("limit", experiment.Micros(uint64(limit))).Share("slowdown", uint64(o.Makespan()), uint64(limit)).
				Num("p50", experiment.Micros(uint64(d.Rank(500)))).Num("queue", mostQueue(o)).
				Share("trimmed", o.Fabric.Trims, o.Fabric.Injected.Data).Share("late", o.Fabric.Late, o.Fabric.Injected.Data)
			return experiment.Output{Rows: []experiment.Row{o.common(r)}}
		},
	}
	b.addBut(t, func(who string) bool { return who == rocePfc && t.net.Trim > 0 })
}

// mostQueue is the longest wait of a packet in a queue of the fabric.
func mostQueue(o *outcome) experiment.Fixed {
	most := sim.Picos(0)
	for tier := range fabric.TierCount {
		most = max(most, o.Fabric.Upward[tier].MaxWait, o.Fabric.Downward[tier].MaxWait)
	}
	return experiment.Micros(uint64(most))
}

func fabricsPlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "work", Key: true, What: "permutation over half the uplinks, or incast"},
			{Name: "variant", Key: true, What: "what the fabric does"},
			transportColumn(),
			{Name: "completed", Unit: "of messages", What: "messages that are complete at the end"},
			{Name: "time", Unit: "us", What: "from the start to the last completion"},
			{Name: "limit", Unit: "us", What: "least time: the port of the receiver, or the uplinks of a leaf, with this transport's headers, and one way"},
			{Name: "slowdown", Unit: "of limit", What: "time over limit"},
			{Name: "p50", Unit: "us", What: "median completion time"},
			{Name: "queue", Unit: "us", What: "longest wait of a packet in one queue of the fabric"},
			{Name: "trimmed", Unit: "of data", What: "packets that the fabric cut, out of all data packets sent; they count as lost"},
			{Name: "late", Unit: "of data", What: "packets that the fabric held up, control packets too, out of all data packets sent"},
		}, commonColumns()...),
		Gates: []experiment.Gate{{Name: "completes", Rule: "on every fabric every message of MetaRoCE completes; the loss rate is reported",
			Judge: experiment.AtLeast(experiment.Where{"transport": metaName}, "completed", "1", "work", "variant")},
			{Name: "took effect", Rule: "each fabric did to MetaRoCE what it is named for, in one of the runs at least: packets were lost, waited for longer than a shallow buffer takes, were cut, or were held up; and none was marked where nothing marks",
				Judge: func(rows []experiment.Row) []experiment.Check { return judgeEffect(v, rows) }}},
		Plots: []experiment.Plot{
			{Name: "slowdown-permutation", Title: "Permutation over half the uplinks", Kind: experiment.Bars, X: "variant", Y: "slowdown", YUnit: "of limit", Series: []string{"transport"}, Where: experiment.Where{"work": "permutation"}, LogY: true, Levels: atLimit, Published: "published: works on all (ann:fabric-asks)", Note: "The axis is logarithmic; 1 is the limit."},
			{Name: "slowdown-incast", Title: "Incast", Kind: experiment.Bars, X: "variant", Y: "slowdown", YUnit: "of limit", Series: []string{"transport"}, Where: experiment.Where{"work": "incast"}, LogY: true, Levels: atLimit, Published: "published: works on all (ann:fabric-asks)", Note: "The axis is logarithmic; 1 is the limit."},
		},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, work := range v.Words("work") {
				for _, name := range v.Words("variants") {
					w := experiment.Where{"work": work, "variant": name}
					c := sideBySide(rows, w, "time", less)
					c.What, c.Unit, c.Limit, c.Why = work+", "+name, "us", limitOf(rows, w, "limit"), variantOf(name).what
					c.Published = "works (ann:fabric-asks)"
					list = append(list, c)
				}
			}
			return list
		},
	}
}

// effects are what shows that a variant was there: a column that is above a bound in a run at least, or at most that in all.
func effects(v experiment.Values) []struct {
	variant, column string
	bound           experiment.Fixed
	atMost          bool
} {
	some, none := experiment.Decimal("0.0001"), experiment.Decimal("0")
	shallow := experiment.Micros(v.Number(pRtt) * 1000)
	return []struct {
		variant, column string
		bound           experiment.Fixed
		atMost          bool
	}{
		{"small-buffer", "lost", some, false},
		{"deep-buffer", "queue", shallow, false},
		{"no-ecn", "marked", none, true},
		{"deep-no-ecn", "queue", shallow, false},
		{"deep-no-ecn", "marked", none, true},
		{"trimming", "trimmed", some, false},
		{"reordering", "late", some, false},
	}
}

// judgeEffect takes of our rows of each variant the greatest figure.
func judgeEffect(v experiment.Values, rows []experiment.Row) []experiment.Check {
	var checks []experiment.Check
	for _, e := range effects(v) {
		most, found := experiment.Fixed{}, false
		picked := experiment.Pick(rows, experiment.Where{"variant": e.variant, "transport": metaName})
		for _, r := range picked {
			if f, ok := r.Number(e.column); ok && (!found || f.Compare(most) > 0) {
				most, found = f, true
			}
		}
		if len(picked) > 0 {
			checks = append(checks, experiment.Check{What: e.variant + ", most " + e.column, Value: most, Bound: e.bound, AtMost: e.atMost, Missing: !found})
		}
	}
	return checks
}
