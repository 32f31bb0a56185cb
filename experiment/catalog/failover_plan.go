package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/sim"
)

func failoverPlan(v experiment.Values) experiment.Plan {
	rtt := sim.Picos(v.Number(pRtt)) * 1000
	down := experiment.Micros(uint64(downBound(v)))
	back := experiment.Micros(uint64(backRtts * rtt))
	alone := func(column string, atMost bool, bound experiment.Fixed) func([]experiment.Row) []experiment.Check {
		return func(rows []experiment.Row) []experiment.Check {
			var full []experiment.Row
			for _, r := range rows {
				if r.Text("senders") == "" {
					full = append(full, r)
				}
			}
			return experiment.Each(experiment.Where{"transport": metaName}, column, atMost, bound, "planes")(full)
		}
	}
	share, all := experiment.Fixed{N: fullShare, Places: 3}, experiment.Fixed{N: allShare, Places: 3}
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "planes", Key: true, What: "of the fabric; one of them is killed and returns"},
			{Name: "senders", Key: true, What: "of an incast to one host; empty: every host sends to one other, all the time"},
			transportColumn(),
			{Name: "before", Unit: "of line", What: "goodput in the bins before the kill, over the rate of all uplinks"},
			{Name: "recovery", Unit: "us", What: "from the kill until goodput is, and stays until the return, at least 0.95 of (P-1)/P of before"},
			{Name: "meanwhile", Unit: "of (P-1)/P", What: "mean goodput from that gate's bound to the return, over (P-1)/P of before"},
			{Name: "back", Unit: "us", What: "from the return until goodput is, and stays, at least 0.95 of before"},
			{Name: "behind", Unit: "of before", What: "mean goodput from 20 base round trips behind the return, over that before the kill"},
			{Name: "fast-slow", Unit: "ratio", What: "completion time of the fastest message over that of the slowest"},
			{Name: "last", Unit: "of limit", What: "completion of the last message over the least time for all of them with no plane killed"},
			{Name: "failed", What: "paths that were taken for failed"},
			{Name: "returned", What: "paths that were taken back"},
		}, commonColumns()...),
		Gates: []experiment.Gate{
			{Name: "full load", Rule: "before the kill goodput of MetaRoCE is at least 0.95 of P x line", Judge: alone("before", false, share)},
			{Name: "plane killed", Rule: "goodput is at least 0.95 of (P-1)/P of before within the larger of 5 base round trips and 3 of the least RTO (mr.rto_min), and stays", Judge: alone("recovery", true, down)},
			{Name: "plane returned", Rule: "goodput is back at 0.95 of before within 20 base round trips of the return, and stays", Judge: alone("back", true, back)},
			{Name: "all of it back", Rule: "from 20 base round trips behind the return on, mean goodput is at least 0.99 of that before the kill", Judge: alone("behind", false, all)},
		},
		Plots:   failoverPlots(v),
		Compare: func(rows []experiment.Row) []experiment.Comparison { return failoverCompare(v, rows) },
	}
}

func failoverPlots(v experiment.Values) []experiment.Plot {
	var plots []experiment.Plot
	for _, p := range v.Numbers(pPlanes) {
		without, _ := experiment.Share((p-1)*payloadSize, p*dataSize)
		headers, _ := experiment.Share(payloadSize, dataSize)
		n := experiment.Count.Format(p)
		plots = append(plots, experiment.Plot{Name: "goodput-" + n, Title: "Goodput while one of " + n + " planes is gone", Kind: experiment.Traces, X: "time", XUnit: "us", Y: "goodput", YUnit: "of line",
			Published: "published: redistributes without help (ann:r-failover)",
			Levels:    []experiment.Level{{Y: headers, Label: "limit"}, {Y: without, Label: "limit with a plane less"}}, Note: "Killed at " + experiment.Nanos.Format(v.Number(failoverKill)) + ", returned at " + experiment.Nanos.Format(v.Number(failoverBack)) +
				". One point is one base round trip. The end of a line is the end of what there was to send."})
	}
	return plots
}

func failoverCompare(v experiment.Values, rows []experiment.Row) []experiment.Comparison {
	var list []experiment.Comparison
	for _, p := range v.Numbers(pPlanes) {
		at := experiment.Where{"planes": experiment.Count.Format(p), "senders": ""}
		n := experiment.Count.Format(p)
		c := sideBySide(rows, at, "recovery", less)
		c.What, c.Unit, c.Published = "killed one of "+n+" planes: until 0.95 of the rest", "us", "redistributes without help (ann:r-failover)"
		list = append(list, c)
		c = sideBySide(rows, at, "meanwhile", more)
		one := experiment.Decimal("1.0000")
		c.What, c.Unit, c.Limit, c.Why = "goodput meanwhile", "of (P-1)/P", &one, "planes that are left"
		list = append(list, c)
		c = sideBySide(rows, at, "back", less)
		c.What, c.Unit = "returned: until 0.95 of all", "us"
		list = append(list, c)
	}
	return list
}
