package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// idle is how long nothing was sent before the message that is measured.
const idle = sim.Picos(1_000_000_000) // 1 ms

// first: what one message costs when nothing is known.
func first() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "first-message", Short: "one message after idle, 4 KB to 1 MB",
		Claim:  "The price of asking the receiver before sending at full rate.",
		Source: "not announced; reported",
		About: "Two hosts, nothing else. The connection sends one small message, is idle for 1 ms, and sends the message that is measured: from its post until all of it is in place. " +
			"RoCEv2 begins at full rate; MetaRoCE announces itself and sends a few packets, and the rest when the receiver has answered. The limit is the message with headers on the link, and one way through the fabric.",
		Headline: []string{"time"},
		Params: withNetwork(experiment.Params{
			{Name: "bytes", Kind: experiment.Numbers, Unit: experiment.Bytes, Min: 1, Max: 1 << 30, Default: "4k,16k,64k,256k,1m", Why: "from one packet to several times rate x round trip"},
			kindParam("single-switch", "nothing waits in any fabric"),
		}),
		Plan: planFirst,
	}
}

func planFirst(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, bytes := range v.Numbers("bytes") {
		net := shape(kindOf(v.Word(pKind)), 2, 1)
		if err := fit(&net, v); err != nil {
			b.bad.add(err)
			continue
		}
		b.addFirst(net, bytes)
	}
	return b.plan(firstPlan(v))
}

func (b *builder) addFirst(net fabric.Config, bytes uint64) {
	text := experiment.Bytes.Format(bytes)
	b.add(trial{
		name: keyed("bytes", text), net: net,
		work: func(uint64) (*workload.Graph, error) {
			return workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Bytes: 64}, {Src: 0, Dst: 1, Bytes: bytes, At: idle}})
		},
		row: func(o *outcome) experiment.Output {
			l := o.link()
			limit := l.Time(bytes) + l.Latency
			t := o.Flows[1].Duration()
			r := o.start().Word("bytes", text).Num("time", experiment.Micros(uint64(t))).Num("limit", experiment.Micros(uint64(limit))).Share("slowdown", uint64(t), uint64(limit))
			return experiment.Output{Rows: []experiment.Row{o.common(r)}}
		},
	})
}

func firstPlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "bytes", Key: true, What: "of the message"},
			transportColumn(),
			{Name: "time", Unit: "us", What: "from the post until all bytes are in place"},
			{Name: "limit", Unit: "us", What: "the message with this transport's headers on the link, and one way through the fabric"},
			{Name: "slowdown", Unit: "of limit", What: "time over limit"},
		}, commonColumns()...),
		Gates: []experiment.Gate{reported("time", "limit", less, "bytes")},
		Plots: []experiment.Plot{{Name: "time", Title: "First message after idle", X: "bytes", Y: "time", YUnit: "us", Series: []string{"transport"}, Also: []experiment.Extra{{Column: "limit", Label: "limit"}}, LogY: true, Note: "The axis is logarithmic."}},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, bytes := range v.Numbers("bytes") {
				w := experiment.Where{"bytes": experiment.Bytes.Format(bytes)}
				c := sideBySide(rows, w, "time", less)
				c.What, c.Unit, c.Limit, c.Why = "message of "+w["bytes"], "us", limitOf(rows, w, "limit"), "link and one way"
				list = append(list, c)
			}
			return list
		},
	}
}
