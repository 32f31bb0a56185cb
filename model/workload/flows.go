package workload

import (
	"fmt"

	"metaroce/tandem/model/sim"
)

// Flow is a number of equal messages from one host to another on one stream.
type Flow struct {
	Src, Dst, Stream int
	Bytes            uint64 // of one message
	Count            int    // messages; 0: 1
	// Depth of them are under way at once: message i starts when i-Depth is complete. 0: 1.
	Depth int
	At    sim.Picos // start of the first
}

// Flows are flows that know nothing of each other.
func Flows(hosts int, flows []Flow) (*Graph, error) {
	c := &check{workload: "flows"}
	between(c, "Hosts", hosts, 2, MaxHosts)
	if len(flows) == 0 {
		c.bad("Flows", 0, "want at least one")
	}
	messages := uint64(0)
	for i := range flows {
		f := &flows[i]
		name := fmt.Sprintf("Flows[%d].", i)
		between(c, name+"Src", f.Src, 0, hosts-1)
		between(c, name+"Dst", f.Dst, 0, hosts-1)
		if f.Src == f.Dst {
			c.bad(name+"Dst", f.Dst, "want another host than Src")
		}
		between(c, name+"Stream", f.Stream, 0, MaxHosts-1)
		checkRun(c, name, f.Bytes, f.Count, f.Depth)
		between(c, name+"At", f.At, 0, MaxTime)
		messages += uint64(orOne(f.Count))
	}
	c.total("the sum of Count", messages)
	if err := c.err(); err != nil {
		return nil, err
	}
	return flowGraph(hosts, int(messages), flows), nil
}

// checkRun checks what every workload of repeated messages has.
func checkRun(c *check, prefix string, bytes uint64, count, depth int) {
	between(c, prefix+"Bytes", bytes, 1, MaxBytes)
	between(c, prefix+"Count", count, 0, MaxMessages)
	between(c, prefix+"Depth", depth, 0, MaxMessages)
}

// flowGraph takes flows that are known to be right.
func flowGraph(hosts, messages int, flows []Flow) *Graph {
	g := newGraph(hosts, messages)
	for i := range flows {
		f := &flows[i]
		first, depth := uint32(len(g.message)), orOne(f.Depth)
		for k := range orOne(f.Count) {
			s := step{src: f.Src, dst: f.Dst, stream: f.Stream, bytes: f.Bytes}
			if k < depth {
				s.at = f.At
				g.add(s)
				continue
			}
			g.add(s, first+uint32(k-depth))
		}
	}
	return g
}

// rounds is the time of count equal messages on one link, of which depth are under way at once: in a round of depth
// messages the link is busy all the time, or waits for the first of the round before to arrive.
func rounds(l Link, count, depth int, bytes uint64, pause sim.Picos) sim.Picos {
	depth = min(depth, count)
	one := l.Time(bytes)
	whole := (count - 1) / depth
	last := count - whole*depth
	return sim.Picos(whole)*max(sim.Picos(depth)*one, one+l.Latency+pause) + sim.Picos(last)*one + l.Latency
}
