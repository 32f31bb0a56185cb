package sim

// BareLoop runs an event loop with nothing in it and returns the time of its last event, which depends on the arguments
// alone. It is the yardstick for the speed of a simulator: a binary heap, the obvious list of events, so that a better
// calendar does not move what it is measured with. pending events are always to come; each one popped pushes one, a
// little (1..near ps) or much (1..far ps) later, turn about.
func BareLoop(seed uint64, events, pending int, near, far Picos) Picos {
	draw, keys := NewRandom(seed, "bare loop"), NewRandom(seed, "bare loop keys")
	var h heap
	for range pending {
		h.push(heapEvent{Picos(draw.Below(uint64(near))), uint32(keys.Uint64())})
	}
	var now Picos
	for i := range events {
		e := h.pop()
		now = e.at
		delay := near
		if i&1 == 1 {
			delay = far
		}
		h.push(heapEvent{now + 1 + Picos(draw.Below(uint64(delay))), uint32(keys.Uint64())})
	}
	return now
}

// CalendarLoop is the same loop over a Calendar, whose expected gap is that of the loop.
func CalendarLoop(seed uint64, events, pending int, near, far Picos) Picos {
	draw := NewRandom(seed, "bare loop")
	c := NewCalendar(seed, "bare loop keys", near/Picos(max(pending, 1)))
	for range pending {
		c.Push(Picos(draw.Below(uint64(near))), 0)
	}
	var now Picos
	for i := range events {
		at, what, _ := c.Pop(^Picos(0))
		now = at
		delay := near
		if i&1 == 1 {
			delay = far
		}
		c.Push(now+1+Picos(draw.Below(uint64(delay))), what)
	}
	return now
}

type heapEvent struct {
	at  Picos
	key uint32
}

func (e heapEvent) before(f heapEvent) bool { return e.at < f.at || e.at == f.at && e.key < f.key }

// heap is a binary heap, the least first.
type heap []heapEvent

func (h *heap) push(e heapEvent) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 && e.before(s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = e
}

func (h *heap) pop() heapEvent {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
		}
		if !s[child].before(last) {
			break
		}
		s[i] = s[child]
		i = child
	}
	if len(s) > 0 {
		s[i] = last
	}
	return top
}
