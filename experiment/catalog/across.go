package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Numbers of an acknowledgement window (R-WINDOW) and of the workload across.
const (
	windowPackets = 256
	acrossSites   = 2
)

// across: sites far from each other.
func across() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "scale-across", Short: "two sites, round trips of milliseconds, long-haul links that differ",
		Claim:  "Scale-across: millisecond round trips, paths that differ, fair shares of long-haul links.",
		Source: "ann:road",
		About: "Two sites of several hosts, joined by long-haul links; each host sends to the host of its number at the other site. Equal: all links have the same delay. Unequal: they differ by up to half of it. Shared: there are half as many links as hosts. " +
			"A path has at most 256 packets on their way, so that a connection carries at most paths x 256 x 4 KB in a round trip: that, and the line or the shared links, is the limit. Fair is the least goodput of a host over the greatest. Goodput is that of the middle half of the run.",
		Headline: []string{"share", "fair"},
		Params: withNetwork(experiment.Params{
			{Name: "links", Kind: experiment.Choices, Options: []string{"equal", "unequal", "shared"}, Default: "equal,unequal,shared", Why: "what long-haul links are like"},
			{Name: pRtt, Unit: experiment.Nanos, Min: 20_000, Max: 50_000_000, Default: "2ms", Why: "between the sites, over the shortest long-haul link: 200 km of fibre"},
			{Name: "loss", Kind: experiment.Numbers, Unit: experiment.PerMill, Max: 100_000, Default: "0%,0.01%", Why: "long-haul links lose packets; each loss costs a round trip of milliseconds"},
			{Name: "site", Min: 2, Max: 64, Default: "4", Why: "hosts of a site"},
			{Name: pRate, Unit: experiment.Mbits, Min: 1000, Max: 1_600_000, Default: "100g", Why: "of every link: long-haul links are slower, and a run has fewer packets"},
			{Name: "message", Unit: experiment.Bytes, Min: 1, Max: workload.MaxBytes, Default: "1m", Why: "of a host; as many are under way at once as two of rate x round trip need"},
			{Name: "rtts", Min: 6, Max: 1000, Default: "12", Why: "length of a run, in round trips at full rate"},
			{Name: pPaths, Max: 64, Default: "32", Why: "of a MetaRoCE connection: 8 would carry 8 MB a round trip, of the 25 MB that the line has"},
			{Name: pQueues, Min: 1, Max: 256, Default: "8", Why: "RoCEv2 queue pairs of a flow, or a flow would use one long-haul link"},
		}),
		Plan: planAcross,
	}
}

func planAcross(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, links := range v.Words("links") {
		for _, ppm := range v.Numbers("loss") {
			net := acrossNet(v, links)
			// delays of the sites are those of the usual fabric; what is far is in the links to the spines
			site := sim.Picos(fabric.DefaultRTT)
			rtt := sim.Picos(v.Number(pRtt)) * 1000
			if err := fit(&net, v); err != nil {
				b.bad.add(err)
				continue
			}
			net.LinkDelay = site / 8
			net.SpineDelay = spineDelays(net.Spines, (rtt-site)/4, links == "unequal")
			net.Loss = fabric.Loss{Data: uint32(ppm), Control: uint32(ppm), Where: fabric.LastLink}
			b.addAcross(v, net, links, ppm)
		}
	}
	return b.plan(acrossPlan(v))
}

// acrossNet has a leaf for each site, and a spine for each long-haul link.
func acrossNet(v experiment.Values, links string) fabric.Config {
	site := int(v.Number("site"))
	net := shape(fabric.LeafSpine, acrossSites*site, 1)
	net.HostsPerLeaf, net.Spines = site, site
	if links == "shared" {
		net.Spines = max(1, site/2)
	}
	return net
}

// spineDelays are the delays of the links to each spine: all d, or from d to 1.5 d in equal steps.
func spineDelays(n int, d sim.Picos, unequal bool) []sim.Picos {
	list := make([]sim.Picos, n)
	for i := range list {
		list[i] = d
		if unequal && n > 1 {
			list[i] += d / 2 * sim.Picos(i) / sim.Picos(n-1)
		}
	}
	return list
}

func (b *builder) addAcross(v experiment.Values, net fabric.Config, links string, ppm uint64) {
	message := v.Number("message")
	site := int(v.Number("site"))
	bdp := bdpOf(&net, v)
	count := max(8, bdp*v.Number("rtts")/message)
	text := experiment.PerMill.Format(ppm)
	b.add(trial{
		name: links + "/" + keyed("loss", text), net: net, opt: cluster.Options{Bin: sim.Picos(v.Number(pRtt)) * 100, Deadline: 100 * sim.Picos(1_000_000_000_000)},
		work: func(seed uint64) (*workload.Graph, error) {
			return workload.Across{Sites: acrossSites, Hosts: site, Far: workload.Run{Bytes: message, Count: int(count), Depth: int(4 + 2*bdp/message)}, Seed: seed}.Graph()
		},
		row: func(o *outcome) experiment.Output {
			hosts := uint64(acrossSites * site)
			rate := o.steadyRate()
			least, most := o.fairness()
			r := o.start().Word("links", links).Word("loss", text).Num("goodput", gbps(rate)).Share("share", rate, o.line()*hosts).
				Num("limit", o.acrossLimit(v, site)).Share("fair", least, most).Num("rtt", experiment.Micros(uint64(o.rtt)))
			return experiment.Output{Rows: []experiment.Row{o.common(r)}}
		},
	})
}

// acrossLimit is the share of the line that can be had: payload, what arrives, shared links, and for MetaRoCE the window.
func (o *outcome) acrossLimit(v experiment.Values, site int) experiment.Fixed {
	size := transportOf(o.trial.who).size
	mbps := o.line() * min(uint64(o.net.Spines), uint64(site)) / uint64(site) * payloadSize / size
	mbps = mbps * (fabric.Million - uint64(o.net.Loss.Data)) / fabric.Million
	if o.trial.who == metaName {
		paths := uint64(pathsOf(v, &o.net))
		mbps = min(mbps, cluster.Rate(paths*windowPackets*payloadSize, sim.Picos(v.Number(pRtt))*1000))
	}
	f, _ := experiment.Share(mbps, o.line())
	return f
}

// fairness is the least payload that a host has completed by the time that the first host is done, over the greatest.
func (o *outcome) fairness() (least, most uint64) {
	last := map[uint16]sim.Picos{}
	for i := range o.Flows {
		last[o.Flows[i].Src] = max(last[o.Flows[i].Src], o.Flows[i].Done)
	}
	end := o.End
	for _, at := range last {
		end = min(end, at)
	}
	bytes := make([]uint64, o.net.Hosts)
	for i := range o.Flows {
		if f := &o.Flows[i]; f.Done <= end {
			bytes[f.Src] += f.Bytes
		}
	}
	least = ^uint64(0)
	for _, b := range bytes {
		least, most = min(least, b), max(most, b)
	}
	return least, most
}

func acrossPlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "links", Key: true, What: "long-haul links: equal; unequal, delays up to half as much again; shared, half as many as hosts of a site"},
			{Name: "loss", Key: true, What: "random loss on the whole way, of data and control packets each"},
			transportColumn(),
			{Name: "goodput", Unit: "Gb/s", What: "payload that arrived in the middle half of the run, over its time, all hosts"},
			{Name: "share", Unit: "of line", What: "goodput over the rate of all uplinks of hosts"},
			{Name: "limit", Unit: "of line", What: "payload of a packet x packets that arrive x share of the long-haul links; for MetaRoCE at most paths x 256 packets a round trip"},
			{Name: "fair", Unit: "ratio", What: "least completed payload of a host over the greatest, when the first host is done"},
			{Name: "rtt", Unit: "us", What: "base round trip over the longest way"},
		}, commonColumns()...),
		Gates: []experiment.Gate{reported("share", "limit", more, "links", "loss")},
		Plots: []experiment.Plot{
			{Name: "share", Title: "Goodput between two sites", Kind: experiment.Bars, X: "links", Y: "share", YUnit: "of line", Series: []string{"transport", "loss"}, Also: []experiment.Extra{{Column: "limit", Label: "limit"}}, Note: "The limit is that at the first loss."},
			{Name: "fair", Title: "Least over greatest goodput of a host", Kind: experiment.Bars, X: "links", Y: "fair", Series: []string{"transport", "loss"}},
		},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, links := range v.Words("links") {
				for _, ppm := range v.Numbers("loss") {
					w := experiment.Where{"links": links, "loss": experiment.PerMill.Format(ppm)}
					c := sideBySide(rows, w, "share", more)
					c.What, c.Unit, c.Limit, c.Why = links+" links, "+w["loss"]+" loss: goodput", "of line", limitOf(rows, with(w, "transport", metaName), "limit"), "headers, arrivals, links, and the window of a path"
					f := sideBySide(rows, w, "fair", more)
					f.What, f.Unit = links+" links, "+w["loss"]+" loss: least over greatest", "ratio"
					list = append(list, c, f)
				}
			}
			return list
		},
	}
}
