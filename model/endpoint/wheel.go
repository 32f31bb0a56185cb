package endpoint

import "math/bits"

// wheel is a list of coarse timers: paths, streams and connections that have something to do at a time that seldom comes,
// since acknowledgements move it. An owner stands in the wheel once; it is not moved when its time moves on, but looked
// at when its slot comes and put back if it is too early. So the cost of a timer is one visit a timeout and not one a
// packet, and no visit is later than a slot.
//
//	ticks      0      512     1024           wheelSlots * slotTicks: later ones wait in the last slot
//	slots   [ now ][       ][       ] ... [       ]
type wheel struct {
	heads [wheelSlots]uint32 // first node of each slot, 0: none
	used  [wheelSlots / 64]uint64
	nodes []wheelNode // 0 is none
	free  uint32
	at    uint32 // slot number (tick / slotTicks, modulo 2^32/slotTicks) that comes next
	count int
}

type wheelNode struct {
	id   uint32
	next uint32
}

const (
	wheelSlots = 256
	slotLog    = 9
	slotTicks  = 1 << slotLog // 2 us: a quarter of the lateness that R-TIMER allows
	slotWrap   = 1 << (32 - slotLog)
)

// notInWheel is the slot of what does not stand in the wheel.
const notInWheel = slotWrap

// add puts an owner where its time is due, at or after the tick. It returns the number of the slot, by which the owner
// knows its newest entry: entries that were overtaken by an earlier one are told from it.
func (w *wheel) add(id, tick uint32) uint32 {
	if w.nodes == nil {
		w.nodes = make([]wheelNode, 1, 8)
	}
	slot := (w.at + w.ahead(tick)) & (slotWrap - 1)
	i := w.free
	if i != 0 {
		w.free = w.nodes[i].next
	} else {
		i = uint32(len(w.nodes))
		w.nodes = append(w.nodes, wheelNode{})
	}
	s := slot % wheelSlots
	w.nodes[i] = wheelNode{id, w.heads[s]}
	w.heads[s] = i
	w.used[s/64] |= 1 << (s % 64)
	w.count++
	return slot
}

// ahead is how many slots from the next one a time belongs: none if it is overdue, the last if it is beyond the horizon.
func (w *wheel) ahead(tick uint32) uint32 {
	ahead := ((tick+slotTicks-1)>>slotLog - w.at) & (slotWrap - 1)
	if ahead >= slotWrap/2 {
		return 0
	}
	return min(ahead, wheelSlots-1)
}

// before tells whether a time belongs into an earlier slot than the one given.
func (w *wheel) before(tick, slot uint32) bool { return w.ahead(tick) < (slot-w.at)&(slotWrap-1) }

// next is the tick at which the first slot that is not empty is due.
func (w *wheel) next() (uint32, bool) {
	if w.count == 0 {
		return 0, false
	}
	return (w.at + w.first()) << slotLog, true
}

// first is how many slots ahead the first one is that is not empty; there is one.
func (w *wheel) first() uint32 {
	s := w.at % wheelSlots
	if word := w.used[s/64] >> (s % 64); word != 0 {
		return uint32(bits.TrailingZeros64(word))
	}
	ahead := 64 - s%64
	for i := s/64 + 1; ; i++ {
		if word := w.used[i%(wheelSlots/64)]; word != 0 {
			return ahead + uint32(bits.TrailingZeros64(word))
		}
		ahead += 64
	}
}

// pop takes an owner out of a slot that is due at the tick, with the number of the slot.
func (w *wheel) pop(tick uint32) (id, slot uint32, ok bool) {
	now := tick >> slotLog
	if w.count == 0 {
		w.at = now
		return 0, 0, false
	}
	first, behind := w.first(), (now-w.at)&(slotWrap-1)
	switch {
	case behind >= slotWrap/2: // the clock is not there yet
		return 0, 0, false
	case first > behind:
		w.at = now
		return 0, 0, false
	}
	w.at = (w.at + first) & (slotWrap - 1)
	s := w.at % wheelSlots
	i := w.heads[s]
	e := w.nodes[i]
	w.heads[s] = e.next
	w.nodes[i].next = w.free
	w.free = i
	w.count--
	if e.next == 0 {
		w.used[s/64] &^= 1 << (s % 64)
	}
	return e.id, w.at, true
}

// addTimer puts an owner into the wheel of the NIC.
func (n *NIC) addTimer(id, tick uint32) uint32 {
	if n.timers.count == 0 {
		n.timers.at = n.tick >> slotLog // nobody turned it while it was empty: it may stand half a lap of serial numbers behind
	}
	slot := n.timers.add(id, tick)
	n.soon(slot << slotLog)
	return slot
}
