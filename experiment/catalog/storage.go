package catalog

import (
	"slices"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// storage: clients read from ten or a thousand servers at once.
func storage() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "storage", Short: "reads from 10 or 1000 servers that answer at once",
		Claim:  "Storage and KV caches: ten or a thousand servers answer at once.",
		Source: "ann:road",
		About: "A client sends a small request to a number of servers, each answers at once, and when the last answer is in the next round begins. A round is from its first request to its last answer. With a fan of 10, 16 clients read from 64 servers; with a fan of 1000 one client reads from as many. " +
			"The limit is the time of the answers on the client's port, both ways through the fabric, and headers; nothing of this is a published figure.",
		Headline: []string{"p99", "slowdown"},
		Params: withNetwork(experiment.Params{
			{Name: "fan", Kind: experiment.Numbers, Min: 2, Max: 2000, Default: "10,1000", Why: "servers that answer one client: as announced"},
			{Name: "answer", Kind: experiment.Numbers, Unit: experiment.Bytes, Min: 1, Max: 1 << 30, Default: "16k,256k", Why: "of one server: a block, and a piece of a KV cache"},
			{Name: "rounds", Min: 1, Max: 1000, Default: "5", Why: "of a client, one behind the other: the first is cold"},
			kindParam("single-switch", "the queue is at the client's port in any fabric"),
			{Name: pTransports, Kind: experiment.Choices, Options: transportNames(), Default: "metaroce,rocev2,rocev2-pfc", Why: "flow control is what keeps RoCEv2 alive when a thousand answer"},
			lossyParam("servers", 2000, "200"),
		}),
		Plan: planStorage,
	}
}

// crowd is where a fan counts as large: one client, and as many servers as it asks.
const crowd = 100

func storageWork(v experiment.Values, fan int, bytes uint64) workload.Storage {
	w := workload.Storage{Clients: 16, Servers: max(64, fan), Fan: fan, Bytes: bytes, Rounds: int(v.Number("rounds"))}
	if fan >= crowd {
		w.Clients, w.Servers = 1, fan
	}
	return w
}

func planStorage(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, fan := range v.Numbers("fan") {
		for _, bytes := range v.Numbers("answer") {
			w := storageWork(v, int(fan), bytes)
			net := shape(kindOf(v.Word(pKind)), w.Clients+w.Servers, 1)
			if err := fit(&net, v); err != nil {
				b.bad.add(err)
				continue
			}
			b.addStorage(v, net, w)
		}
	}
	return b.plan(storagePlan(v))
}

func (b *builder) addStorage(v experiment.Values, net fabric.Config, w workload.Storage) {
	answer := experiment.Bytes.Format(w.Bytes)
	t := trial{
		name: keyed("fan", w.Fan) + "/" + keyed("answer", answer), net: net,
		work: func(seed uint64) (*workload.Graph, error) {
			x := w
			x.Seed = seed
			return x.Graph()
		},
		row: func(o *outcome) experiment.Output {
			first, later := o.rounds(w)
			l := o.link()
			limit := l.Time(64) + l.Time(uint64(w.Fan)*w.Bytes) + 2*l.Latency
			r := o.start().Num("fan", experiment.Whole(w.Fan)).Word("answer", answer).Num("first", experiment.Micros(uint64(first.Rank(990)))).
				Num("p50", experiment.Micros(uint64(later.Rank(500)))).Num("p99", experiment.Micros(uint64(later.Rank(990)))).Num("most", experiment.Micros(uint64(later.Rank(1000)))).
				Num("limit", experiment.Micros(uint64(limit))).Share("slowdown", uint64(later.Rank(990)), uint64(limit))
			return experiment.Output{Rows: []experiment.Row{o.common(r)}}
		},
	}
	b.addBut(t, func(who string) bool { return who == roceLossy && w.Fan > int(v.Number(pLossy)) })
}

// rounds are the times of all rounds, the first of each client apart. A round of a client is 2 x Fan messages behind each
// other: requests, then answers (workload.Storage). Where there is one round only, it is both.
func (o *outcome) rounds(w workload.Storage) (first, later cluster.Durations) {
	size := 2 * w.Fan
	for at := 0; at < len(o.Flows); at += size {
		begin, end := o.Flows[at].Posted, sim.Picos(0)
		for i := range o.Flows[at : at+size] {
			f := &o.Flows[at+i]
			begin, end = min(begin, f.Posted), max(end, f.Done)
		}
		if at < w.Clients*size {
			first = append(first, end-begin)
		} else {
			later = append(later, end-begin)
		}
	}
	slices.Sort(first)
	slices.Sort(later)
	if len(later) == 0 {
		later = first
	}
	return first, later
}

func storagePlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "fan", Key: true, What: "servers that answer one client"},
			{Name: "answer", Key: true, What: "bytes of one server"},
			transportColumn(),
			{Name: "first", Unit: "us", What: "first rounds, 99th percentile: nothing is known of the other side yet"},
			{Name: "p50", Unit: "us", What: "median of the later rounds"},
			{Name: "p99", Unit: "us", What: "99th percentile of the later rounds"},
			{Name: "most", Unit: "us", What: "slowest of the later rounds"},
			{Name: "limit", Unit: "us", What: "answers on the client's port with this transport's headers, and both ways through the fabric"},
			{Name: "slowdown", Unit: "of limit", What: "99th percentile over the limit"},
		}, commonColumns()...),
		Gates: []experiment.Gate{reported("p50", "limit", less, "fan", "answer")},
		Plots: []experiment.Plot{{Name: "slowdown", Title: "Rounds of reads, 99th percentile", Kind: experiment.Bars, X: "fan", Y: "slowdown", YUnit: "of limit", Series: []string{"transport", "answer"}, LogY: true, Levels: atLimit, Note: "The axis is logarithmic; 1 is the limit."}},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, fan := range v.Numbers("fan") {
				for _, bytes := range v.Numbers("answer") {
					w := experiment.Where{"fan": experiment.Count.Format(fan), "answer": experiment.Bytes.Format(bytes)}
					c := sideBySide(rows, w, "p99", less)
					c.What, c.Unit, c.Limit, c.Why = w["fan"]+" servers, "+w["answer"]+" each: round, p99", "us", limitOf(rows, w, "limit"), "port of the client, both ways, MetaRoCE's headers"
					list = append(list, c)
				}
			}
			return list
		},
	}
}
