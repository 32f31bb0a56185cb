package shrink

import (
	"sort"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/scenario"
)

// commandBit is set in the numbers of commands alone. Frames count from 1, and so do commands behind the bit.
const commandBit = 0x8000_0000

// Trace remembers of a run how far it came, and where windows and streams stood on the way. The zero Trace is empty.
type Trace struct {
	frames, commands uint32            // how many entered
	nth              map[uint32]uint32 // by xid, which of the commands: of several that had it, the latest
	windows          map[pathKey][]windowAt
	streams          map[uint16][]streamAt
}

type pathKey struct {
	conn uint16
	path uint8
}

// place is how many frames and commands had gone before: of each record only one of the two is known, by its number.
type windowAt struct {
	number uint32
	scenario.Window
}

type streamAt struct{ number, completed uint32 }

// Observe takes a transaction, as it was found equal on both sides.
func (t *Trace) Observe(record []byte) {
	var h event.Head
	if h.Decode(record) != nil {
		return
	}
	switch h.Kind {
	case event.KindPacketIn, event.KindAdmit:
		t.enter(h.Xid)
	case event.KindWindow:
		var w event.Window
		if w.Decode(record) == nil {
			t.window(&w)
		}
	case event.KindComplete:
		var c event.Complete
		if c.Decode(record) == nil {
			if t.streams == nil {
				t.streams = map[uint16][]streamAt{}
			}
			t.streams[c.In.StreamRow] = append(t.streams[c.In.StreamRow], streamAt{t.number(h.Xid), c.Stream.Completed})
		}
	}
}

func (t *Trace) enter(xid uint32) {
	if xid < commandBit {
		t.frames = max(t.frames, xid)
		return
	}
	if t.nth == nil {
		t.nth = map[uint32]uint32{}
	}
	t.commands++
	t.nth[xid] = t.commands
}

// number is the place of a transaction among the frames, or behind commandBit among the commands. The xid of a command does
// not say it: it goes on from what CMD_SENT was written with. A command that has not entered is the next one.
func (t *Trace) number(xid uint32) uint32 {
	if xid < commandBit {
		return xid
	}
	if n, ok := t.nth[xid]; ok {
		return commandBit + n
	}
	return commandBit + t.commands + 1
}

func (t *Trace) window(w *event.Window) {
	if t.windows == nil {
		t.windows = map[pathKey][]windowAt{}
	}
	at := windowAt{t.number(w.Head.Xid), scenario.Window{Psn: w.Path.Cum, Tsn: w.In.Tsn, Epoch: w.Path.Epoch}}
	if w.Path.HighValid {
		at.Tsn = w.Path.HighTsn + 1
	}
	k := pathKey{w.Head.Conn, w.Head.Path}
	t.windows[k] = append(t.windows[k], at)
}

// before says whether a record is of something in front of that many frames and commands.
func before(number, frames, commands uint32) bool {
	if number >= commandBit {
		return number-commandBit <= commands
	}
	return number <= frames
}

// path is where a window stood behind so many frames and commands.
func (t *Trace) path(conn uint16, path uint8, frames, commands uint32) (scenario.Window, bool) {
	list := t.windows[pathKey{conn, path}]
	n := sort.Search(len(list), func(i int) bool { return !before(list[i].number, frames, commands) })
	if n == 0 {
		return scenario.Window{}, false
	}
	return list[n-1].Window, true
}

// stream is how many messages a stream had completed behind so many frames and commands. A completion may come of a
// packet that others have overtaken, so the latest of all that come of what is in front counts.
func (t *Trace) stream(row uint16, frames, commands uint32) (completed uint32, ok bool) {
	for _, s := range t.streams[row] {
		if before(s.number, frames, commands) {
			completed, ok = s.completed, true
		}
	}
	return completed, ok
}
