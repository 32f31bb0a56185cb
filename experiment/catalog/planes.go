package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// planes: throughput over the number of planes and of connections.
func planes() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "planes", Short: "throughput over 1, 2, 4 and 8 planes, with up to 4,000 connections",
		Claim:  "Throughput grows linearly with the number of planes, with up to 4,000 connections at once.",
		Source: "ann:r-planes",
		About: "Every host sends to many others at the same time, on connections spread evenly, over 1, 2, 4 and 8 planes; with twice the planes each connection sends twice as much, so that a run takes as long. " +
			"Goodput is payload that arrives in the middle half of the run, summed over all hosts; whole is over all of it, with the start and the stragglers. Linear is the planes' number times the goodput on one plane, with the same transport and number of connections. " +
			"A queue pair of RoCEv2 stays on one plane for life; each connection has several, on planes that follow each other.",
		Headline: []string{"share"},
		Params: withNetwork(experiment.Params{
			{Name: pPlanes, Kind: experiment.Numbers, Min: 1, Max: 16, Default: "1,2,4,8", Why: "4 and 8 were announced"},
			{Name: "connections", Kind: experiment.Numbers, Min: 1, Max: 100_000, Default: "64,992,4000", Why: "one a host, as many as a half of all pairs at a quarter of the hosts, and the announced 4,000"},
			{Name: pHosts, Min: 2, Max: 1024, Default: "64", Why: "as many pairs as 4,000 connections need"},
			{Name: "host-bytes", Unit: experiment.Bytes, Min: 4096, Max: 1 << 30, Default: "16m", Why: "that a host sends on each plane: 0.35 ms at full rate"},
			{Name: "message", Unit: experiment.Bytes, Min: 1, Max: workload.MaxBytes, Default: "256k", Why: "largest message; connections with less to send have one smaller one"},
			{Name: pQueues, Min: 1, Max: 256, Default: "8", Why: "RoCEv2 queue pairs of a connection: as many as there are planes, or most planes would stand idle"},
			kindParam("single-switch", "a plane of its own, as in multiplane fabrics of one tier"),
		}),
		Plan: planPlanes,
	}
}

// split cuts what a connection sends into equal messages of at most the given size.
func split(total, most uint64) (bytes uint64, count int) {
	n := max(1, (total+most-1)/most)
	return max(1, total/n), int(n)
}

func planPlanes(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	hosts := int(v.Number(pHosts))
	for _, n := range v.Numbers("connections") {
		for _, p := range v.Numbers(pPlanes) {
			net := shape(kindOf(v.Word(pKind)), hosts, int(p))
			if err := fit(&net, v); err != nil {
				b.bad.add(err)
				continue
			}
			bytes, count := split(v.Number("host-bytes")*p*uint64(hosts)/n, v.Number("message"))
			b.add(trial{
				name: keyed("connections", n) + "/" + keyed("planes", p), net: net, opt: cluster.Options{Bin: sim.Picos(v.Number(pRtt)) * 1000},
				work: func(seed uint64) (*workload.Graph, error) {
					return workload.Connections{Hosts: hosts, Connections: int(n), Bytes: bytes, Count: count, Depth: count, Seed: seed}.Graph()
				},
				row: func(o *outcome) experiment.Output {
					all := o.line() * uint64(hosts)
					steady := o.steadyRate()
					r := o.start().Num("connections", experiment.Whole(n)).Num("planes", experiment.Whole(p)).Num("goodput", gbps(steady)).Num("most", gbps(all*payloadSize/dataSize)).
						Share("share", steady, all).Share("whole", o.Goodput(), all).Share("limit", uint64(o.graph.Limit(o.link())), uint64(o.Makespan()))
					return experiment.Output{Rows: []experiment.Row{o.common(r)}}
				},
			})
		}
	}
	return b.plan(planesPlan(v))
}

// leastShare is what planes has to keep of the line; headers alone take 0.028.
const leastShare = "0.9"

func planesPlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "connections", Key: true, What: "that send at the same time"},
			{Name: "planes", Key: true, What: "of the fabric"},
			transportColumn(),
			{Name: "goodput", Unit: "Gb/s", What: "payload that arrived in the middle half of the run, over its time, all hosts"},
			{Name: "most", Unit: "Gb/s", What: "limit of goodput: payload of full MetaRoCE packets on all uplinks"},
			{Name: "share", Unit: "of line", What: "goodput over the rate of all uplinks"},
			{Name: "whole", Unit: "of line", What: "payload over the time from the first post to the last completion, start and stragglers included, over the rate of all uplinks"},
			{Name: "limit", Unit: "of time", What: "least time that any transport with these headers needs, over the time it took"},
			{Name: "linear", Unit: "of ideal", What: "goodput over planes x goodput on one plane"},
		}, commonColumns()...),
		Derive: deriveLinear,
		Gates: []experiment.Gate{{Name: "full", Rule: "goodput of MetaRoCE is at least 0.9 of the rate of all uplinks, on any number of planes and with every number of connections: half of the line would be linear, too",
			Judge: experiment.AtLeast(experiment.Where{"transport": metaName}, "share", leastShare, "connections", "planes")}, {Name: "linear", Rule: "goodput of MetaRoCE on 2, 4 and 8 planes is within 2 % of so many times that on one, with every number of connections",
			Judge: func(rows []experiment.Row) []experiment.Check {
				var checks []experiment.Check
				for _, r := range experiment.Pick(rows, experiment.Where{"transport": metaName}) {
					if v, ok := r.Number("linear"); ok && r.Text("planes") != "1" {
						what := experiment.Label(r, "linear", "connections", "planes")
						checks = append(checks, experiment.Check{What: what, Value: v, Bound: experiment.Decimal("0.98")}, experiment.Check{What: what, Value: v, Bound: experiment.Decimal("1.02"), AtMost: true})
					}
				}
				return checks
			}}},
		Plots: planesPlots(v),
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, n := range v.Numbers("connections") {
				for _, p := range v.Numbers(pPlanes) {
					at := experiment.Where{"connections": experiment.Count.Format(n), "planes": experiment.Count.Format(p)}
					c := sideBySide(rows, at, "linear", more)
					if p == 1 || c.Ours == nil && c.Baseline == nil {
						continue
					}
					one := experiment.Decimal("1.0000")
					c.What, c.Unit, c.Limit, c.Why = experiment.Count.Format(n)+" connections, "+experiment.Count.Format(p)+" planes against one", "of ideal", &one, "planes are copies of each other"
					if p == 4 || p == 8 {
						c.Published = "linear (ann:r-planes)"
					}
					list = append(list, c)
				}
			}
			return list
		},
	}
}

func planesPlots(v experiment.Values) []experiment.Plot {
	var plots []experiment.Plot
	for _, n := range v.Numbers("connections") {
		text := experiment.Count.Format(n)
		plots = append(plots, experiment.Plot{Name: "goodput-" + text, Title: "Goodput over planes, " + text + " connections", X: "planes", Y: "goodput", YUnit: "Gb/s", Series: []string{"transport"},
			Where: experiment.Where{"connections": text}, Also: []experiment.Extra{{Column: "most", Label: "limit"}}, Published: "published: linear (ann:r-planes)"})
	}
	return plots
}

// deriveLinear puts each goodput beside that on one plane.
func deriveLinear(rows []experiment.Row) {
	for _, r := range rows {
		one, ok := experiment.One(rows, experiment.Where{"connections": r.Text("connections"), "planes": "1", "transport": r.Text("transport")}, "goodput")
		g, here := r.Number("goodput")
		p, _ := r.Number("planes")
		if ok && here {
			r.Share("linear", uint64(g.N), uint64(one.N*p.N))
		}
	}
}
