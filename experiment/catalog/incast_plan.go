package catalog

import "metaroce/tandem/experiment"

func incastPlan(v experiment.Values) experiment.Plan {
	at := func(start string) experiment.Where {
		return experiment.Where{"transport": metaName, "starts": start}
	}
	shallow := with(at("spread"), "buffer", bufferName(1000))
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "senders", Key: true, What: "that have a message for the same host"},
			{Name: "buffer", Key: true, What: "bytes that may wait at a port, in rate x base round trip"},
			{Name: "starts", Key: true, What: "all together, or spread over one base round trip"},
			transportColumn(),
			{Name: "fair@2", Unit: "of senders", What: "whose pacing rate is within a tenth of line / senders, 2 base round trips after the first start"},
			{Name: "fair@10", Unit: "of senders", What: "the same 10 base round trips after the first start"},
			{Name: "settled", Unit: "us", What: "first look, four a base round trip, at which that is so for all; empty: not in the first 25 base round trips"},
			{Name: "fast-slow", Unit: "ratio", What: "completion time of the fastest sender over that of the slowest"},
			{Name: "last", Unit: "of ideal", What: "last completion over bytes x senders / rate"},
			{Name: "limit", Unit: "of ideal", What: "the least that last can be: headers and one way through the fabric"},
			{Name: "p50", Unit: "us", What: "median completion time"},
			{Name: "p99", Unit: "us", What: "completion time that 99 % do not exceed"},
		}, commonColumns()...),
		Gates: []experiment.Gate{
			{Name: "rates after 2 round trips", Rule: "started together, every pacing rate is within 10 % of fair 2 base round trips after the start", Judge: experiment.AtLeast(at("together"), "fair@2", "1", "senders", "buffer")},
			{Name: "fairness", Rule: "started together, fastest over slowest completion is at least 0.97", Judge: experiment.AtLeast(at("together"), "fast-slow", "0.97", "senders", "buffer")},
			{Name: "tail", Rule: "started together, the last completion is within 5 % of bytes x senders / rate", Judge: experiment.AtMost(at("together"), "last", "1.05", "senders", "buffer")},
			{Name: "rates after 10 round trips", Rule: "starts spread over one round trip, shallow buffer: every pacing rate is within 10 % of fair 10 base round trips after the first start",
				Judge: experiment.AtLeast(shallow, "fair@10", "1", "senders", "buffer")},
		},
		Plots: incastPlots(v),
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, n := range v.Numbers("senders") {
				for _, buffer := range v.Numbers("buffers") {
					list = append(list, incastCompare(rows, experiment.Count.Format(n), bufferName(buffer))...)
				}
			}
			return list
		},
	}
}

func incastPlots(v experiment.Values) []experiment.Plot {
	plots := []experiment.Plot{
		{Name: "last", Title: "Last completion of an incast, started together", Kind: experiment.Bars, X: "senders", Y: "last", YUnit: "of bytes x senders / rate", Series: []string{"transport", "buffer"},
			Where: experiment.Where{"starts": "together"}, Also: []experiment.Extra{{Column: "limit", Label: "limit"}}},
		{Name: "fast-slow", Title: "Fastest over slowest completion, started together", Kind: experiment.Bars, X: "senders", Y: "fast-slow", Series: []string{"transport", "buffer"},
			Where: experiment.Where{"starts": "together"}, Levels: []experiment.Level{{Y: experiment.Decimal("1"), Label: "limit"}, {Y: experiment.Decimal("0.97"), Label: "gate 0.97"}}},
	}
	for _, n := range v.Numbers("senders") {
		plots = append(plots, experiment.Plot{Name: "rates-" + experiment.Count.Format(n), Title: "Senders with a fair pacing rate, " + experiment.Count.Format(n) + " to one", Kind: experiment.Traces,
			X: "time", XUnit: "us", Y: "within a tenth of fair", YUnit: "of senders", Published: "published: one or two round trips (ann:incast)", Note: "Four looks a base round trip."})
	}
	return plots
}

func incastCompare(rows []experiment.Row, senders, buffer string) []experiment.Comparison {
	w := experiment.Where{"senders": senders, "buffer": buffer, "starts": "together"}
	what := senders + " to one, " + buffer + ": "
	one := experiment.Decimal("1.0000")
	list := []experiment.Comparison{sideBySide(rows, w, "settled", less), sideBySide(rows, w, "fast-slow", more), sideBySide(rows, w, "last", less)}
	list[0].What, list[0].Unit, list[0].Published = what+"all rates fair after", "us", "one or two round trips (ann:incast)"
	list[1].What, list[1].Unit, list[1].Limit, list[1].Why = what+"fastest over slowest", "ratio", &one, "all equal"
	list[2].What, list[2].Unit, list[2].Limit, list[2].Why = what+"last completion", "of ideal", limitOf(rows, w, "limit"), "headers and one way through the fabric"
	return list
}
