package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Times of the incast gates, in base round trips from the first start.
const (
	together = 2
	spread   = 10
	// probes of pacing rates a base round trip
	probesPerRtt = 4
	// mostRtts is how long rates are looked at, in base round trips.
	mostRtts = 25
)

// incast: many hosts send to one.
func incast() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "incast", Short: "127 and 1000 hosts send 2 MB each to one, shallow and deep buffers",
		Claim:  "The receiver hands out its bandwidth, so an incast settles in one or two round trips, fair and with a low tail.",
		Source: "ann:incast, ann:cc-receiver",
		About: "Every sender has one message for the same host. They start at the same instant, or spread at random over one base round trip. The fair rate is the line over the number of senders; the pacing rate of every sender is looked at four times a base round trip. " +
			"Settled is the first look at which all of them are within a tenth of fair. Last is the time from the first start to the last completion, over bytes x senders / rate: no headers, no round trip. " +
			"A pacing rate says what a NIC may send, not what arrives; that is what the completion times are for.",
		Headline: []string{"last", "fast-slow"},
		Params: withNetwork(experiment.Params{
			{Name: "senders", Kind: experiment.Numbers, Min: 2, Max: 4000, Default: "127,1000", Why: "127 is what others publish for; ten or a thousand servers answer at once (ann:road)"},
			{Name: "bytes", Unit: experiment.Bytes, Min: 1, Max: workload.MaxBytes, Default: "2000000", Why: "of a sender: 5 ms at 127 senders"},
			{Name: "buffers", Kind: experiment.Numbers, Unit: experiment.Milli, Min: 10, Max: 1_000_000, Default: "1000,50000", Why: "bytes that may wait at a port, in thousandths of rate x base RTT: shallow and deep"},
			{Name: "starts", Kind: experiment.Choices, Options: []string{"together", "spread"}, Default: "together,spread", Why: "all at one instant, or at random over one base round trip"},
			kindParam("single-switch", "the queue is at the last link in any fabric"),
			{Name: pTransports, Kind: experiment.Choices, Options: transportNames(), Default: "metaroce,rocev2,rocev2-pfc", Why: "flow control is what keeps RoCEv2 alive under an incast"},
			lossyParam("senders", 4000, "200"),
		}),
		Plan: planIncast,
	}
}

func planIncast(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, n := range v.Numbers("senders") {
		for _, buffer := range v.Numbers("buffers") {
			for _, start := range v.Words("starts") {
				net := shape(kindOf(v.Word(pKind)), int(n)+1, 1)
				if err := fit(&net, v); err != nil {
					b.bad.add(err)
					continue
				}
				net.Buffer = uint32(min(bdpOf(&net, v)*buffer/1000, 1<<32-1))
				b.addIncast(v, net, int(n), buffer, start)
			}
		}
	}
	return b.plan(incastPlan(v))
}

func (b *builder) addIncast(v experiment.Values, net fabric.Config, senders int, buffer uint64, start string) {
	rtt := sim.Picos(v.Number(pRtt)) * 1000
	w := workload.Incast{Senders: senders, Bytes: v.Number("bytes")}
	if start == "spread" {
		w.Spread = rtt
	}
	name := bufferName(buffer)
	t := trial{
		name: keyed("senders", senders) + "/" + keyed("buffer", name) + "/" + start, net: net,
		opt:   cluster.Options{Every: rtt / probesPerRtt},
		watch: watchRates(senders),
		work: func(seed uint64) (*workload.Graph, error) {
			x := w
			x.Seed = seed
			return x.Graph()
		},
		row: func(o *outcome) experiment.Output {
			r := o.start().Num("senders", experiment.Whole(senders)).Word("buffer", name).Word("starts", start)
			return o.incast(r, senders, w.Bytes)
		},
	}
	b.addBut(t, func(who string) bool { return who == roceLossy && senders > int(v.Number(pLossy)) })
}

// bufferName writes thousandths of rate x round trip.
func bufferName(milli uint64) string {
	f := experiment.Fixed{N: int64(milli), Places: 3}
	if milli%1000 == 0 {
		f = experiment.Whole(milli / 1000)
	}
	return f.String() + "BDP"
}

// watchRates notes, at each look, how many senders there are with a pacing rate, how many of them within a tenth of the
// fair one, and the least and the greatest rate in kb/s.
func watchRates(senders int) func(o *outcome, now sim.Picos, t cluster.Transport) {
	return func(o *outcome, now sim.Picos, t cluster.Transport) {
		r, ok := t.(rater)
		if !ok || now > mostRtts*o.rtt {
			return
		}
		fair := o.line() * 1000 / uint64(senders)
		low, high := fair-fair/10, fair+fair/10
		seen, good, least, most := uint64(0), uint64(0), ^uint64(0), uint64(0)
		r.Rates(now, func(src, _, _ uint16, kbps uint64) {
			if src == 0 {
				return
			}
			seen++
			least, most = min(least, kbps), max(most, kbps)
			if kbps >= low && kbps <= high {
				good++
			}
		})
		if seen > 0 {
			o.notes = append(o.notes, note{now, []uint64{seen, good, least, most}})
		}
	}
}

// goodAt is how many senders had a fair rate at a time; false if nothing was noted then.
func (o *outcome) goodAt(at sim.Picos) (uint64, bool) {
	for _, n := range o.notes {
		if n.at == at {
			return n.values[1], true
		}
	}
	return 0, false
}

func (o *outcome) incast(r experiment.Row, senders int, bytes uint64) experiment.Output {
	d := o.Durations(nil)
	ideal := sim.MulDiv(bytes*uint64(senders), 8_000_000, o.line())
	rtt := o.trial.opt.Every * probesPerRtt
	good, seen := o.goodAt(together * rtt)
	r = r.Some("fair@2", shareOf(good, senders), seen)
	good, seen = o.goodAt(spread * rtt)
	r = r.Some("fair@10", shareOf(good, senders), seen)
	var points []experiment.Point
	settled := false
	for _, n := range o.notes {
		if !settled && n.values[1] == uint64(senders) {
			settled = true
			r = r.Num("settled", experiment.Micros(uint64(n.at)))
		}
		points = append(points, experiment.Point{X: experiment.Micros(uint64(n.at)), Y: shareOf(n.values[1], senders)})
	}
	r = r.Share("fast-slow", uint64(d.Rank(0)), uint64(d.Rank(1000))).Share("last", uint64(o.Makespan()), ideal).Num("limit", limitShare(o.graph.Limit(o.link()), ideal)).
		Num("p50", experiment.Micros(uint64(d.Rank(500)))).Num("p99", experiment.Micros(uint64(d.Rank(990))))
	plot := "rates-" + experiment.Whole(senders).String()
	label := o.trial.who + ", " + r.Text("buffer") + ", " + r.Text("starts")
	return experiment.Output{Rows: []experiment.Row{o.common(r)}, Traces: []experiment.Trace{{Plot: plot, Label: label, Points: points}}}
}

func shareOf(n uint64, of int) experiment.Fixed {
	f, _ := experiment.Share(n, uint64(of))
	return f
}

func limitShare(limit sim.Picos, ideal uint64) experiment.Fixed {
	f, _ := experiment.Share(uint64(limit), ideal)
	return f
}
