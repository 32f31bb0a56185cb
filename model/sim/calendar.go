package sim

import (
	"math/bits"
	"slices"
)

// Calendar is a list of events to come, popped in the order of their times. Events of one time go in an order that is
// drawn when they are pushed: none of two hosts that always do the same at once is favoured for ever, and a run is still
// the same for the same seed. The order is total, (time, drawn key, What), so that it does not depend on how the list is
// built.
//
//	  popped       near: one epoch, a list a bucket          far: a list an epoch, one lap       beyond: one list
//	<--------|[active, sorted]|[ ][.][ ][ ][.][.][ ][ ]|[      . .  ][  .     ][        ][ . .  ]| .   .    .
//	         cursor                                     each is dealt out when the cursor gets there
//
// Lists are not sorted until their bucket is reached, so pushing costs the same however many events share a time. Nodes
// are pooled: a run that has reached its depth no longer allocates.
type Calendar struct {
	nodes  []node // 0 is no node
	free   uint32
	count  int
	keys   Random
	active []activeEvent // descending: the next is the last
	cursor uint64        // bucket, counted from time 0, that active is of; every list is of later ones

	shift    uint // log2 of the width of a bucket in ps
	near     []uint32
	nearUsed bitset
	far      []uint32
	farUsed  bitset
	beyond   uint32
}

// Handle names an event from its Push to its Pop or Cancel. 0 is none.
type Handle uint32

type node struct {
	at   Picos
	key  uint32
	what uint32
	next uint32
	prev uint32 // 0: the first of its list
}

type activeEvent struct {
	at   Picos
	key  uint32
	node uint32
}

const (
	nearLog = 14 // buckets of an epoch
	farLog  = 12 // epochs of a lap
)

// NewCalendar returns an empty calendar whose keys are drawn from the stream of that name. gap is the time that is
// expected between two events that follow each other: the calendar is fast when that is right within a factor of ten,
// and correct in any case.
func NewCalendar(seed uint64, name string, gap Picos) *Calendar {
	return &Calendar{
		nodes:    make([]node, 1, 1024),
		keys:     NewRandom(seed, name),
		shift:    uint(min(bits.Len64(uint64(gap)), 40)),
		near:     make([]uint32, 1<<nearLog),
		nearUsed: newBitset(1 << nearLog),
		far:      make([]uint32, 1<<farLog),
		farUsed:  newBitset(1 << farLog),
	}
}

// Len is the number of events to come.
func (c *Calendar) Len() int { return c.count }

// Most is the largest number of events that were to come at one time.
func (c *Calendar) Most() int { return len(c.nodes) - 1 }

// Push adds an event. Times before the last one popped are allowed and come next.
func (c *Calendar) Push(at Picos, what uint32) Handle {
	i := c.free
	if i != 0 {
		c.free = c.nodes[i].next
	} else {
		i = uint32(len(c.nodes))
		c.nodes = append(c.nodes, node{})
	}
	n := &c.nodes[i]
	n.at, n.what, n.key = at, what, uint32(c.keys.Uint64()>>32)
	c.count++
	c.place(i, n)
	return Handle(i)
}

// place puts a node where its time belongs, seen from the cursor.
func (c *Calendar) place(i uint32, n *node) {
	b := uint64(n.at) >> c.shift
	if b <= c.cursor {
		c.activate(activeEvent{n.at, n.key, i})
		return
	}
	list := c.listOf(b)
	n.next, n.prev = *list, 0
	if *list != 0 {
		c.nodes[*list].prev = i
	}
	*list = i
}

// listOf is the list of a bucket behind the cursor, marked as used.
func (c *Calendar) listOf(b uint64) *uint32 {
	switch epoch := b >> nearLog; {
	case epoch == c.cursor>>nearLog:
		i := uint32(b & (1<<nearLog - 1))
		c.nearUsed.set(i)
		return &c.near[i]
	case epoch>>farLog == c.cursor>>(nearLog+farLog):
		i := uint32(epoch & (1<<farLog - 1))
		c.farUsed.set(i)
		return &c.far[i]
	}
	return &c.beyond
}

// activate inserts into active, which stays sorted.
func (c *Calendar) activate(e activeEvent) {
	c.active = append(c.active, e)
	i := len(c.active) - 1
	for ; i > 0 && c.before(c.active[i-1], e); i-- {
		c.active[i] = c.active[i-1]
	}
	c.active[i] = e
}

// before says whether a comes before b.
func (c *Calendar) before(a, b activeEvent) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.key != b.key {
		return a.key < b.key
	}
	return c.nodes[a.node].what < c.nodes[b.node].what
}

// Pop removes the next event if its time is until or before. The cursor does not go beyond until either, so that what
// is pushed afterwards finds its bucket.
func (c *Calendar) Pop(until Picos) (at Picos, what uint32, ok bool) {
	if len(c.active) == 0 && !c.advance(until) {
		return 0, 0, false
	}
	e := c.active[len(c.active)-1]
	if e.at > until {
		return 0, 0, false
	}
	c.active = c.active[:len(c.active)-1]
	what = c.nodes[e.node].what
	c.release(e.node)
	return e.at, what, true
}

func (c *Calendar) release(i uint32) {
	c.nodes[i].next = c.free
	c.free = i
	c.count--
}

// advance moves the cursor to the next bucket that holds something, and that bucket into active.
func (c *Calendar) advance(until Picos) bool {
	for c.count > 0 {
		if len(c.active) > 0 { // dealt out by nextEpoch
			return true
		}
		if i, ok := c.nearUsed.next(uint32(c.cursor&(1<<nearLog-1)) + 1); ok {
			b := c.cursor&^(1<<nearLog-1) + uint64(i)
			if b > uint64(until)>>c.shift {
				return false
			}
			c.cursor = b
			c.open(i)
			return true
		}
		if !c.nextEpoch(uint64(until) >> c.shift) {
			return false
		}
	}
	return false
}

// open moves a bucket of near, the cursor's, into active, which is empty.
func (c *Calendar) open(bucket uint32) {
	c.nearUsed.clear(bucket)
	i := c.near[bucket]
	c.near[bucket] = 0
	for ; i != 0; i = c.nodes[i].next {
		c.active = append(c.active, activeEvent{c.nodes[i].at, c.nodes[i].key, i})
	}
	c.sortActive()
}

// sortActive sorts few by insertion, which is the usual case, and many by the library.
func (c *Calendar) sortActive() {
	if len(c.active) > 12 {
		slices.SortFunc(c.active, func(a, b activeEvent) int {
			switch {
			case c.before(a, b):
				return 1
			case c.before(b, a):
				return -1
			}
			return 0
		})
		return
	}
	for k := 1; k < len(c.active); k++ {
		e := c.active[k]
		i := k
		for ; i > 0 && c.before(c.active[i-1], e); i-- {
			c.active[i] = c.active[i-1]
		}
		c.active[i] = e
	}
}

// nextEpoch moves the cursor to the first bucket of the next epoch that holds something, and deals that epoch out. False
// when it begins behind bucket last.
func (c *Calendar) nextEpoch(last uint64) bool {
	i, ok := c.farUsed.next(uint32(c.cursor>>nearLog&(1<<farLog-1)) + 1)
	if !ok {
		return c.nextLap(last)
	}
	start := c.cursor>>(nearLog+farLog)<<(nearLog+farLog) + uint64(i)<<nearLog
	if start > last {
		return false
	}
	c.cursor = start
	c.farUsed.clear(i)
	list := c.far[i]
	c.far[i] = 0
	c.deal(list)
	return true
}

// nextLap moves the cursor to the lap of the earliest event beyond, and deals out all of beyond. False as above.
func (c *Calendar) nextLap(last uint64) bool {
	first := ^uint64(0)
	for i := c.beyond; i != 0; i = c.nodes[i].next {
		first = min(first, uint64(c.nodes[i].at)>>c.shift)
	}
	start := first >> (nearLog + farLog) << (nearLog + farLog)
	if c.beyond == 0 || start > last {
		return false
	}
	c.cursor = start
	list := c.beyond
	c.beyond = 0
	c.deal(list)
	return true
}

// deal places the nodes of a list anew. Those of the cursor's bucket are sorted at the end, all at once: they may be
// many, and of one time.
func (c *Calendar) deal(list uint32) {
	for list != 0 {
		n := &c.nodes[list]
		next := n.next
		if uint64(n.at)>>c.shift == c.cursor {
			c.active = append(c.active, activeEvent{n.at, n.key, list})
		} else {
			c.place(list, n)
		}
		list = next
	}
	c.sortActive()
}

// Next is the time of the next event; false when there is none. The cursor stays.
func (c *Calendar) Next() (Picos, bool) {
	switch {
	case c.count == 0:
		return 0, false
	case len(c.active) > 0:
		return c.active[len(c.active)-1].at, true
	}
	if i, ok := c.nearUsed.next(uint32(c.cursor&(1<<nearLog-1)) + 1); ok {
		return c.earliest(c.near[i]), true
	}
	if i, ok := c.farUsed.next(uint32(c.cursor>>nearLog&(1<<farLog-1)) + 1); ok {
		return c.earliest(c.far[i]), true
	}
	return c.earliest(c.beyond), true
}

func (c *Calendar) earliest(list uint32) Picos {
	at := ^Picos(0)
	for ; list != 0; list = c.nodes[list].next {
		at = min(at, c.nodes[list].at)
	}
	return at
}

// Cancel removes an event that was not popped. The caller forgets its handles as they are popped: a stale one would
// remove somebody else's event.
func (c *Calendar) Cancel(h Handle) {
	i := uint32(h)
	n := &c.nodes[i]
	if b := uint64(n.at) >> c.shift; b <= c.cursor {
		k := slices.IndexFunc(c.active, func(e activeEvent) bool { return e.node == i })
		c.active = slices.Delete(c.active, k, k+1)
	} else {
		c.unlink(n, b)
	}
	c.release(i)
}

// unlink takes a node out of the list of a bucket behind the cursor.
func (c *Calendar) unlink(n *node, b uint64) {
	if n.next != 0 {
		c.nodes[n.next].prev = n.prev
	}
	if n.prev != 0 {
		c.nodes[n.prev].next = n.next
		return
	}
	list := c.listOf(b)
	*list = n.next
	if n.next != 0 {
		return
	}
	switch epoch := b >> nearLog; {
	case epoch == c.cursor>>nearLog:
		c.nearUsed.clear(uint32(b & (1<<nearLog - 1)))
	case epoch>>farLog == c.cursor>>(nearLog+farLog):
		c.farUsed.clear(uint32(epoch & (1<<farLog - 1)))
	}
}
