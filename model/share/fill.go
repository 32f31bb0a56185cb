package share

import (
	"math/bits"

	"metaroce/tandem/model/event"
)

// level computes the fair level, and with it when the next one is due.
func (e *Engine) level(port *event.SharePort, all *Classes, in *event.ShareIn, out *event.ShareOut) {
	if port.Joining && int32(in.Now-port.JoinAt) >= 0 {
		port.Joining = false
		out.Joined = true
	}
	if int32(in.Now-port.Due) >= 0 {
		port.Due = in.Now + max(e.epoch, e.sweep*port.Senders)
	}
	e.planesAlive(port, in.Now)
	was := port.Level
	port.Level = fill(port, all, e.capacity(port))
	if port.Level != was || port.LevelGen == 0 {
		port.LevelGen++
		if port.LevelGen == 0 {
			port.LevelGen = 1
		}
	}
	port.Lapse = uint32(min(e.packetTime/uint64(port.Level), 1<<30)) + e.margin
	out.Moved = e.moved(was, port.Level)
}

// capacity is what is given out: the planes that carry something, less the headroom unless one sender is alone.
func (e *Engine) capacity(port *event.SharePort) uint64 {
	alive := e.planes - uint32(bits.OnesCount8(port.Silent))
	if alive == 0 {
		alive = e.planes
	}
	whole := (1 << hintBits) * uint64(alive) / uint64(e.planes)
	if port.Senders > 1 {
		whole -= whole * uint64(e.headroom) >> 10
	}
	return whole
}

// planesAlive judges the planes at the end of a watch. A plane that was silent is dropped only if the others carried
// enough: a port with little to receive knows nothing about its planes.
func (e *Engine) planesAlive(port *event.SharePort, now uint32) {
	if now-port.Since < e.watch || port.Heard < e.evidence {
		return
	}
	port.Silent = ^port.Seen & uint8(1<<e.planes-1)
	port.Since, port.Seen, port.Heard = now, 0, 0
}

// fill is max-min fair water-filling over the classes, lowest first.
//
//	demand   ..1.  3  ..2..  | 5 |    4 without limit
//	                         level lies in this class: it and all above take the level
func fill(port *event.SharePort, all *Classes, left uint64) uint32 {
	rest := uint64(port.Senders)
	for filled := port.Filled; filled != 0; {
		c := bits.TrailingZeros64(filled)
		filled &= filled - 1
		if filled == 0 {
			break // the highest class takes what is left, whether it asks for so much or not
		}
		n, sum := uint64(all[c].Count), all[c].Sum
		if sum+(rest-n)*upper(c) > left {
			break // with all of the class below the level, more than the port would be given out
		}
		left -= sum
		rest -= n
	}
	return uint32(min(max(left/max(rest, 1), 1), hintMax))
}

// classOf gives the class of a demand: below 32 all in class 0, then four an octave.
func classOf(rate uint32) uint8 {
	if rate < 32 {
		return 0
	}
	octave := bits.Len32(rate) // 6..20
	return uint8(1 + (octave-6)*4 + int(rate>>(octave-3)&3))
}

// upper is the least demand above those of a class.
func upper(class int) uint64 {
	if class == 0 {
		return 32
	}
	return uint64(5+(class-1)&3) << (3 + (class-1)>>2)
}

// move takes a sender from its class to another, or gives it another rate within its class.
func move(s *event.ShareSender, port *event.SharePort, all *Classes, class uint8, rate uint32) {
	if class == s.Class && rate == s.Rate {
		return
	}
	leave(port, all, s.Class, s.Rate)
	enter(port, all, class, rate)
	s.Class, s.Rate = class, rate
}

func enter(port *event.SharePort, all *Classes, class uint8, rate uint32) {
	all[class].Count++
	if class != noLimit {
		all[class].Sum += uint64(rate)
	}
	port.Filled |= 1 << class
}

func leave(port *event.SharePort, all *Classes, class uint8, rate uint32) {
	all[class].Count--
	if class != noLimit {
		all[class].Sum -= uint64(rate)
	}
	if all[class].Count == 0 {
		port.Filled &^= 1 << class
	}
}
