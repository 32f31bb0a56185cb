package workload

import (
	"fmt"

	"metaroce/tandem/model/sim"
)

// Graph is a workload as a list of messages and of who waits for whom. It is filled once and can be run any number of
// times, by one run at a time.
//
// Who waits is kept per message as a list of those before it, all lists in one slice; Start turns them around once.
type Graph struct {
	hosts   int
	message []Message
	at      []sim.Picos // not before Start + at
	delay   []sim.Picos // between the last one waited for and the start; 0 where none is
	after   []uint32    // before[tag]..before[tag+1]: the tags waited for, lower than tag
	before  []uint32
	limit   func(Link) sim.Picos // nil: Bound
	names   []string             // that a trace gave; nil, or one for each message, "" where it has none

	then  []uint32 // first[tag]..first[tag+1]: the tags that wait for tag
	first []uint32

	began   sim.Picos // of this run
	waiting []uint32  // how many a message still waits for
}

var _ Workload = (*Graph)(nil)

func newGraph(hosts, messages int) *Graph {
	return &Graph{
		hosts:   hosts,
		message: make([]Message, 0, messages),
		at:      make([]sim.Picos, 0, messages),
		delay:   make([]sim.Picos, 0, messages),
		before:  append(make([]uint32, 0, messages+1), 0),
	}
}

// step is a message with what it waits for, as builders make it.
type step struct {
	src, dst, stream int
	bytes            uint64
	at, delay        sim.Picos
}

// add appends a message and returns its tag. after must be lower tags.
func (g *Graph) add(s step, after ...uint32) uint32 {
	tag := uint32(len(g.message))
	g.message = append(g.message, Message{Src: uint16(s.src), Dst: uint16(s.dst), Stream: uint16(s.stream), Bytes: s.bytes, Tag: tag})
	g.at = append(g.at, s.at)
	g.delay = append(g.delay, s.delay)
	g.after = append(g.after, after...)
	g.before = append(g.before, uint32(len(g.after)))
	return tag
}

// Hosts is one more than the highest host that takes part.
func (g *Graph) Hosts() int { return g.hosts }

// Messages is how many messages there are.
func (g *Graph) Messages() int { return len(g.message) }

// Message returns the message with that tag.
func (g *Graph) Message(tag uint32) Message { return g.message[tag] }

// After lists the tags that a message waits for. The slice is the graph's own.
func (g *Graph) After(tag uint32) []uint32 { return g.after[g.before[tag]:g.before[tag+1]] }

// At is the time, from the start of a run, before which a message does not start.
func (g *Graph) At(tag uint32) sim.Picos { return g.at[tag] }

// Delay is the time between the end of the last message that a message waits for and its start.
func (g *Graph) Delay(tag uint32) sim.Picos { return g.delay[tag] }

// Bytes is the payload of all messages.
func (g *Graph) Bytes() uint64 {
	sum := uint64(0)
	for i := range g.message {
		sum += g.message[i].Bytes
	}
	return sum
}

// Start gives out, in the order of tags, the messages that wait for nothing.
func (g *Graph) Start(now sim.Picos, post func(at sim.Picos, m Message)) {
	g.turn()
	g.began = now
	for tag := range g.message {
		g.waiting[tag] = g.before[tag+1] - g.before[tag]
	}
	for tag := range g.message {
		if g.waiting[tag] == 0 {
			post(now+g.at[tag], g.message[tag])
		}
	}
}

// Done gives out, in the order of tags, the messages that waited for m last. It is called once a message.
func (g *Graph) Done(now sim.Picos, m Message, post func(at sim.Picos, m Message)) {
	for _, tag := range g.then[g.first[m.Tag]:g.first[m.Tag+1]] {
		if g.waiting[tag] == 0 {
			panic(fmt.Sprintf("BUG: message %d is done a second time", m.Tag))
		}
		if g.waiting[tag]--; g.waiting[tag] == 0 {
			post(max(g.began+g.at[tag], now+g.delay[tag]), g.message[tag])
		}
	}
}

// turn fills then and first from after and before, by counting.
func (g *Graph) turn() {
	if g.first != nil {
		return
	}
	n := len(g.message)
	g.waiting = make([]uint32, n)
	g.first = make([]uint32, n+1)
	for _, tag := range g.after {
		g.first[tag+1]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	g.then = make([]uint32, len(g.after))
	next := make([]uint32, n)
	copy(next, g.first)
	for tag := range n {
		for _, before := range g.After(uint32(tag)) {
			g.then[next[before]] = uint32(tag)
			next[before]++
		}
	}
}
