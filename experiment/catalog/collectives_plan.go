package catalog

import "metaroce/tandem/experiment"

// aheadOf are the figures in which we have to be ahead of RoCEv2, and the columns that say by how much.
var aheadOf = []struct{ figure, ahead string }{{"time", "ahead"}, {"p50", "ahead-p50"}, {"p99", "ahead-p99"}}

func collectivesPlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "work", Key: true, What: "the collective"},
			{Name: "loss", Key: true, What: "random loss on the whole way, of data and control packets each"},
			transportColumn(),
			{Name: "time", Unit: "us", What: "from the start to the last completion"},
			{Name: "least", Unit: "us", What: "least time for these messages with this transport's headers: ports, without loss"},
			{Name: "limit", Unit: "of time", What: "least over time"},
			{Name: "p50", Unit: "us", What: "median completion time of a flow: all messages of a stream from one host to another"},
			{Name: "p99", Unit: "us", What: "completion time that 99 % of the flows do not exceed"},
			{Name: "message-p50", Unit: "us", What: "median completion time of a message, from its post: of those that wait for others of their stream, the wait counts for the stream only"},
			{Name: "message-p99", Unit: "us", What: "completion time that 99 % of the messages do not exceed"},
			{Name: "kept", Unit: "of no loss", What: "time without loss over time with it, same transport"},
			{Name: "ahead", Unit: "ratio", What: "time of the better RoCEv2 over ours"},
			{Name: "ahead-p50", Unit: "ratio", What: "median completion time of the better RoCEv2 over ours"},
			{Name: "ahead-p99", Unit: "ratio", What: "99th percentile of the better RoCEv2 over ours"},
		}, commonColumns()...),
		Derive: deriveCollectives,
		Gates: []experiment.Gate{
			{Name: "ahead of RoCEv2", Rule: "where links are shared or packets are lost, collective time, p50 and p99 of MetaRoCE are below those of the better RoCEv2 (ratio at least 1.0001); elsewhere not above by more than 2 %, its larger headers. Not judged where no RoCEv2 is run: above the loss of lossy-most, but for all-to-all", Judge: func(rows []experiment.Row) []experiment.Check { return judgeAhead(v, rows) }},
			{Name: "kept at 1 % loss", Rule: "all-to-all from 256 KB a pair, and rings in 4 or more slices of 256 KB, keep at least 0.93 of their throughput without loss", Judge: func(rows []experiment.Row) []experiment.Check {
				if v.Number("pair") < 256<<10 || v.Number("slice") < 256<<10 || v.Number("slices") < 4 {
					return nil
				}
				return judgeKept(rows)
			}},
		},
		Plots:   collectivesPlots(v),
		Compare: func(rows []experiment.Row) []experiment.Comparison { return collectivesCompare(v, rows) },
	}
}

// deriveCollectives puts each row beside that without loss and beside RoCEv2.
func deriveCollectives(rows []experiment.Row) {
	for _, r := range rows {
		none, ok := experiment.One(rows, experiment.Where{"work": r.Text("work"), "loss": "0%", "transport": r.Text("transport")}, "time")
		if t, here := r.Number("time"); ok && here {
			r.Share("kept", uint64(none.N), uint64(t.N))
		}
		if r.Text("transport") != metaName {
			continue
		}
		for _, a := range aheadOf {
			base, ok := baseline(rows, experiment.Where{"work": r.Text("work"), "loss": r.Text("loss")}, a.figure, less)
			if ours, here := r.Number(a.figure); ok && here {
				r.Share(a.ahead, uint64(base.N), uint64(ours.N))
			}
		}
	}
}

// judgeAhead holds ours against the better RoCEv2, where one is run. A row of ours that lacks it fails; where rows have none
// at all (--only, --set) there is nothing to look at.
func judgeAhead(v experiment.Values, rows []experiment.Row) []experiment.Check {
	if len(experiment.Pick(rows, experiment.Where{"transport": roceLossy}))+len(experiment.Pick(rows, experiment.Where{"transport": rocePfc})) == 0 {
		return nil
	}
	var checks []experiment.Check
	for _, r := range experiment.Pick(rows, experiment.Where{"transport": metaName}) {
		bound := experiment.Decimal("1.0001")
		if !collectiveOf(r.Text("work")).shared && r.Text("loss") == "0%" {
			bound = experiment.Decimal("0.98")
		}
		if !held(v, r.Text("work"), r.Text("loss")) {
			continue
		}
		for _, a := range aheadOf {
			f, ok := r.Number(a.ahead)
			checks = append(checks, experiment.Check{What: experiment.Label(r, a.ahead, "work", "loss"), Value: f, Bound: bound, Missing: !ok})
		}
	}
	return checks
}

// held says whether a RoCEv2 is run beside ours.
func held(v experiment.Values, work, loss string) bool {
	for _, ppm := range v.Numbers("loss") {
		for _, who := range v.Words(pTransports) {
			if who != metaName && experiment.PerMill.Format(ppm) == loss && compared(v, who, work, ppm) {
				return true
			}
		}
	}
	return false
}

func judgeKept(rows []experiment.Row) []experiment.Check {
	var checks []experiment.Check
	for _, r := range experiment.Pick(rows, experiment.Where{"transport": metaName, "loss": "1%"}) {
		if f, ok := r.Number("kept"); ok && collectiveOf(r.Text("work")).kept {
			checks = append(checks, experiment.Check{What: experiment.Label(r, "kept", "work"), Value: f, Bound: experiment.Decimal("0.93")})
		}
	}
	return checks
}

func collectivesPlots(v experiment.Values) []experiment.Plot {
	var plots []experiment.Plot
	for _, name := range v.Words("work") {
		plots = append(plots, experiment.Plot{Name: "time-" + name, Title: "Time of " + name + " over loss", Kind: experiment.Bars, X: "loss", Y: "time", YUnit: "us", Series: []string{"transport"},
			Where: experiment.Where{"work": name}, LogY: true, Also: []experiment.Extra{{Column: "least", Label: "limit without loss"}}, Published: "published: ahead of RoCEv2 (ann:r-rccl)", Note: "The axis is logarithmic."})
	}
	return plots
}

func collectivesCompare(v experiment.Values, rows []experiment.Row) []experiment.Comparison {
	var list []experiment.Comparison
	for _, name := range v.Words("work") {
		for _, ppm := range v.Numbers("loss") {
			w := experiment.Where{"work": name, "loss": experiment.PerMill.Format(ppm)}
			c := sideBySide(rows, w, "time", less)
			c.What, c.Unit, c.Published = name+", "+w["loss"]+" loss", "us", "ahead of RoCEv2 (ann:r-rccl)"
			c.Limit, c.Why = limitOf(rows, with(w, "transport", metaName), "least"), "ports and headers, no loss"
			list = append(list, c)
		}
	}
	return list
}
