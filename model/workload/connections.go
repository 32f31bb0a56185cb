package workload

import (
	"metaroce/tandem/model/sim"
)

// Connections lets many pairs of hosts send at the same time, spread evenly: connection c goes from host c mod Hosts to
// the one 1 + c / Hosts behind it. Hosts x (Hosts - 1) of them are all pairs: 64 hosts have 4,032.
type Connections struct {
	Hosts       int
	Connections int
	Bytes       uint64 // of one message
	Count       int    // messages of a connection; 0: 1
	Depth       int    // of a connection's messages under way at once; 0: 1
	Spread      sim.Picos
	Seed        uint64 // of the starts, uniform over 0..Spread
}

// Graph checks the numbers and makes the workload.
func (w Connections) Graph() (*Graph, error) {
	c := &check{workload: "connections"}
	between(c, "Hosts", w.Hosts, 2, MaxHosts)
	between(c, "Connections", w.Connections, 1, min(w.Hosts*(w.Hosts-1), MaxMessages))
	checkRun(c, "", w.Bytes, w.Count, w.Depth)
	between(c, "Spread", w.Spread, 0, MaxTime)
	count := orOne(w.Count)
	c.total("Connections x Count", uint64(w.Connections)*uint64(count))
	if err := c.err(); err != nil {
		return nil, err
	}
	at := starts(w.Connections, w.Spread, w.Seed)
	flows := make([]Flow, w.Connections)
	for i := range flows {
		src := i % w.Hosts
		flows[i] = Flow{Src: src, Dst: (src + 1 + i/w.Hosts) % w.Hosts, Bytes: w.Bytes, Count: w.Count, Depth: w.Depth, At: at[i]}
	}
	g := flowGraph(w.Hosts, w.Connections*count, flows)
	g.limit = func(l Link) sim.Picos {
		busiest := (w.Connections + w.Hosts - 1) / w.Hosts
		port := l.Time(uint64(busiest)*uint64(count)*w.Bytes) + l.Latency
		return max(port, rounds(l, count, orOne(w.Depth), w.Bytes, 0))
	}
	return g, nil
}

// Across has sites far from each other. Every host sends to the host of its number in the next site, and to its
// neighbour in its own. Hosts are numbered site by site.
type Across struct {
	Sites, Hosts int // sites, and hosts of one site
	Far, Near    Run // to the next site, and inside the site; a Run without Bytes is none
	Spread       sim.Picos
	Seed         uint64 // of the starts, uniform over 0..Spread
}

// Run is a number of equal messages, Depth of them under way at once.
type Run struct {
	Bytes        uint64
	Count, Depth int // 0: 1
}

// Graph checks the numbers and makes the workload. Stream 0 carries what goes far, stream 1 what stays near.
func (w Across) Graph() (*Graph, error) {
	c := &check{workload: "scale-across"}
	between(c, "Sites", w.Sites, 2, MaxHosts/2)
	between(c, "Hosts", w.Hosts, 1, MaxHosts/2)
	checkRun(c, "Far.", w.Far.Bytes, w.Far.Count, w.Far.Depth)
	if w.Near.Bytes > 0 {
		checkRun(c, "Near.", w.Near.Bytes, w.Near.Count, w.Near.Depth)
		between(c, "Hosts", w.Hosts, 2, MaxHosts/2)
	}
	between(c, "Spread", w.Spread, 0, MaxTime)
	all := w.Sites * w.Hosts
	if len(c.all) == 0 && all > MaxHosts {
		c.bad("Sites x Hosts", all, "want at most %d hosts", MaxHosts)
	}
	messages := orOne(w.Far.Count)
	if w.Near.Bytes > 0 {
		messages += orOne(w.Near.Count)
	}
	c.total("Sites x Hosts x messages", uint64(all)*uint64(messages))
	if err := c.err(); err != nil {
		return nil, err
	}
	return flowGraph(all, all*messages, w.flows()), nil
}

func (w Across) flows() []Flow {
	all := w.Sites * w.Hosts
	at := starts(all, w.Spread, w.Seed)
	var flows []Flow
	for host := range all {
		site := host / w.Hosts * w.Hosts
		far := w.Far
		flows = append(flows, Flow{host, (host + w.Hosts) % all, 0, far.Bytes, far.Count, far.Depth, at[host]})
		if near := w.Near; near.Bytes > 0 {
			flows = append(flows, Flow{host, site + (host+1)%w.Hosts, 1, near.Bytes, near.Count, near.Depth, at[host]})
		}
	}
	return flows
}
