package catalog

import (
	"slices"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/workload"
)

// loss: one flow over a lossy network.
func loss() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "loss", Short: "one flow at full rate under random loss of data and acknowledgements",
		Claim:  "Throughput declines with packet loss and does not collapse: about 86 % at 1 %, useful bandwidth at 10 %.",
		Source: "ann:r-loss",
		About: "One connection sends messages, several under way at once, to one other host over a network that drops packets at random, data and acknowledgements alike. " +
			"Goodput is payload over the time from the first post to the last completion, so it contains the start and the repair of the last packets. " +
			"The published figure is of a cluster of 64 nodes and of collectives; here it is one flow, so only the shape can be compared. The limit is the share of payload in a packet, times the share of packets that arrive: " +
			"what is lost has used the link as well.",
		Headline: []string{"share"},
		Params: withNetwork(experiment.Params{
			{Name: "loss", Kind: experiment.Numbers, Unit: experiment.PerMill, Max: 500_000, Default: "0%,0.1%,1%,10%", Why: "random loss on the whole way, of data and of control packets each"},
			{Name: "bytes", Unit: experiment.Bytes, Min: 1, Max: workload.MaxBytes, Default: "1m", Why: "of one message"},
			{Name: "messages", Min: 1, Max: 100_000, Default: "512", Why: "11 ms at full rate: start and end weigh less than a hundredth"},
			{Name: "depth", Min: 1, Max: 1024, Default: "16", Why: "messages under way at once: several times rate x round trip"},
		}),
		Plan: planLoss,
	}
}

func planLoss(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, ppm := range v.Numbers("loss") {
		net := shape(fabric.SingleSwitch, 2, 1)
		if err := fit(&net, v); err != nil {
			b.bad.add(err)
			continue
		}
		net.Loss = fabric.Loss{Data: uint32(ppm), Control: uint32(ppm), Where: fabric.LastLink}
		text := experiment.PerMill.Format(ppm)
		b.add(trial{
			name: keyed("loss", text), net: net, opt: cluster.Options{},
			work: func(uint64) (*workload.Graph, error) {
				return workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Bytes: v.Number("bytes"), Count: int(v.Number("messages")), Depth: int(v.Number("depth"))}})
			},
			row: func(o *outcome) experiment.Output {
				limit, _ := experiment.Share(payloadSize*(fabric.Million-ppm), transportOf(o.trial.who).size*fabric.Million)
				r := o.start().Word("loss", text).Num("goodput", gbps(o.Goodput())).Share("share", o.Goodput(), o.line()).Num("limit", limit)
				return experiment.Output{Rows: []experiment.Row{o.common(r)}}
			},
		})
	}
	return b.plan(experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "loss", Key: true, What: "random loss on the whole way, of data and control packets each"},
			transportColumn(),
			{Name: "goodput", Unit: "Gb/s", What: "payload over the time from the first post to the last completion"},
			{Name: "share", Unit: "of line", What: "goodput over the rate of the link"},
			{Name: "limit", Unit: "of line", What: "payload in a full packet, times the packets that arrive"},
		}, commonColumns()...),
		Gates: []experiment.Gate{
			{Name: "1 % loss", Rule: "goodput of MetaRoCE at 1 % loss is at least 0.955 of the line", Judge: experiment.AtLeast(experiment.Where{"loss": "1%", "transport": metaName}, "share", "0.955", "loss")},
			{Name: "10 % loss", Rule: "goodput of MetaRoCE at 10 % loss is at least 0.865 of the line", Judge: experiment.AtLeast(experiment.Where{"loss": "10%", "transport": metaName}, "share", "0.865", "loss")},
		},
		Plots: []experiment.Plot{{
			Name: "goodput", Title: "Goodput of one flow under random loss", X: "loss", Y: "share", YUnit: "of line", Series: []string{"transport"},
			Also: []experiment.Extra{{Column: "limit", Label: "limit"}}, Levels: lossPublished(v),
			Published: "published: about 0.86 of the throughput without loss at 1 %, useful bandwidth at 10 % (ann:r-loss)", Note: "The limit: payload in a full packet, times the share of packets that arrive.",
		}},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, ppm := range v.Numbers("loss") {
				text := experiment.PerMill.Format(ppm)
				c := sideBySide(rows, experiment.Where{"loss": text}, "share", more)
				c.What, c.Unit = "goodput at "+text+" loss", "of line"
				c.Limit, c.Why = limitOf(rows, experiment.Where{"loss": text}, "limit"), "payload of a full MetaRoCE packet x packets that arrive"
				if ppm == 10_000 {
					c.Published = "about 0.86 of the throughput without loss (ann:r-loss)"
				}
				if ppm == 100_000 {
					c.Published = "useful bandwidth (ann:r-loss)"
				}
				list = append(list, c)
			}
			return list
		},
	})
}

// lossPublished is what was published for 1 % loss, on the axis of the plot.
func lossPublished(v experiment.Values) []experiment.Level {
	if !slices.Contains(v.Numbers("loss"), 10_000) {
		return nil
	}
	y, _ := experiment.Share(86*payloadSize, 100*dataSize)
	return []experiment.Level{{Y: y, Label: "published at 1 %"}}
}
