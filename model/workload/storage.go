package workload

import (
	"metaroce/tandem/model/sim"
)

// Storage lets clients read from many servers at once. In each round a client sends a request to Fan servers, each of
// them answers, and when the last answer is in the next round begins. Hosts 0..Clients-1 are clients, the servers come
// behind them; client c asks servers c, c+1, ... c+Fan-1, modulo Servers.
type Storage struct {
	Clients, Servers int
	Fan              int       // servers that a client asks in a round; 0: all
	Request          uint64    // bytes of a request; 0: 64
	Bytes            uint64    // of an answer
	Rounds           int       // 0: 1
	Think            sim.Picos // between request and answer
	Spread           sim.Picos // starts of the clients are uniform over 0..Spread
	Seed             uint64
}

// maxEdges bounds how often messages wait for each other in one graph: 4 bytes each, twice.
const maxEdges = 1 << 25

// Graph checks the numbers and makes the workload.
func (w Storage) Graph() (*Graph, error) {
	w = w.filled()
	c := &check{workload: "storage"}
	between(c, "Clients", w.Clients, 1, MaxHosts-1)
	between(c, "Servers", w.Servers, 1, MaxHosts-1)
	between(c, "Fan", w.Fan, 1, w.Servers)
	between(c, "Request", w.Request, 1, MaxBytes)
	between(c, "Bytes", w.Bytes, 1, MaxBytes)
	between(c, "Rounds", w.Rounds, 1, MaxMessages)
	between(c, "Think", w.Think, 0, MaxTime)
	between(c, "Spread", w.Spread, 0, MaxTime)
	if len(c.all) == 0 && w.Clients+w.Servers > MaxHosts {
		c.bad("Clients + Servers", w.Clients+w.Servers, "want at most %d hosts", MaxHosts)
	}
	reads := uint64(w.Clients) * uint64(w.Fan)
	c.total("2 x Clients x Fan", 2*reads)
	c.total("2 x Clients x Fan x Rounds", 2*reads*uint64(w.Rounds))
	if edges := reads * uint64(w.Fan) * uint64(w.Rounds-1); len(c.all) == 0 && edges > maxEdges {
		c.bad("Clients x Fan x Fan x (Rounds - 1)", edges, "want at most %d: every request waits for all answers before it", maxEdges)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	g := newGraph(w.Clients+w.Servers, int(2*reads)*w.Rounds)
	at := starts(w.Clients, w.Spread, w.Seed)
	answers := make([][]uint32, w.Clients)
	for range w.Rounds {
		for client := range w.Clients {
			answers[client] = w.round(g, client, at[client], answers[client])
		}
	}
	g.limit = w.limit
	return g, nil
}

func (w Storage) filled() Storage {
	if w.Fan == 0 {
		w.Fan = w.Servers
	}
	if w.Request == 0 {
		w.Request = 64
	}
	w.Rounds = orOne(w.Rounds)
	return w
}

// round adds requests behind the answers of the round before, and returns the answers of this one.
func (w Storage) round(g *Graph, client int, at sim.Picos, before []uint32) []uint32 {
	requests := make([]uint32, w.Fan)
	answers := make([]uint32, w.Fan)
	for i := range w.Fan {
		s := step{src: client, dst: w.server(client, i), bytes: w.Request}
		if len(before) == 0 {
			s.at = at
		}
		requests[i] = g.add(s, before...)
	}
	for i := range w.Fan {
		answers[i] = g.add(step{src: w.server(client, i), dst: client, bytes: w.Bytes, delay: w.Think}, requests[i])
	}
	return answers
}

func (w Storage) server(client, i int) int { return w.Clients + (client+i)%w.Servers }

// limit: the ports of a client, round after round, and those of the busiest server over all rounds. Answers come behind
// the first request, and the last answer behind all requests.
func (w Storage) limit(l Link) sim.Picos {
	between := 2*l.Latency + w.Think
	ports := func(messages int) sim.Picos {
		n := uint64(messages)
		return between + max(l.Time(w.Request)+l.Time(n*w.Bytes), l.Time(n*w.Request)+l.Time(w.Bytes))
	}
	busiest := 0
	load := make([]int, w.Servers)
	for c := range w.Clients {
		for i := range w.Fan {
			server := (c + i) % w.Servers
			load[server]++
			busiest = max(busiest, load[server])
		}
	}
	return max(sim.Picos(w.Rounds)*ports(w.Fan), ports(busiest*w.Rounds))
}
