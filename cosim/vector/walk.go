package vector

import (
	"fmt"

	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// walk runs a stimulus through the pure blocks: every frame and command goes through all engines before the next one
// enters, one transaction a cycle. It is the model without a schedule, so what it shows is what any device must show
// that is slow enough. observe gets every record and must not keep it.
func walk(p preset.Params, items stimulus.List, observe func(record []byte)) error {
	w, err := newWalker(p, observe)
	if err != nil {
		return err
	}
	for i := range items {
		if err := w.item(&items[i]); err != nil {
			return fmt.Errorf("item %d (%v): %w", i, items[i].Kind, err)
		}
	}
	return w.settle()
}

func newWalker(p preset.Params, observe func(record []byte)) (*walker, error) {
	r, err := conn.New(p)
	if err != nil {
		return nil, err
	}
	r.SetBounds(conn.Unbounded) // order and time are made here
	return &walker{r: r, observe: observe, room: admit.RoomTaken}, nil
}

type walker struct {
	r       *conn.Receiver
	cycle   uint64
	room    uint8
	observe func([]byte)
	dst     [event.MaxRecord]byte
}

func (w *walker) item(it *stimulus.Item) error {
	switch it.Kind {
	case stimulus.KindFrame:
		w.r.Frame(it.Data)
		if err := w.exec(event.KindPacketIn, 0); err != nil {
			return err
		}
		if err := w.exec(event.KindAdmit, event.AdmitPacket); err != nil {
			return err
		}
		return w.drain()
	case stimulus.KindWrite, stimulus.KindRead:
		return w.access(it)
	case stimulus.KindWaitCycles:
		w.cycle += uint64(it.Value)
		return w.drain()
	case stimulus.KindWaitIdle:
		return w.settle()
	case stimulus.KindFault:
		err := w.settle()
		w.r.FaultRange(it.Lo, it.Hi)
		return err
	}
	return nil // latency and stalls: there is no time here
}

func (w *walker) access(it *stimulus.Item) error {
	if it.Kind == stimulus.KindWrite {
		w.r.SetRegister(it.Addr, it.Value)
	} else {
		w.r.GetRegister(it.Addr)
	}
	if err := w.exec(event.KindRegister, 0); err != nil {
		return err
	}
	if _, ok := w.r.Ready(event.KindAdmit, event.AdmitCommand); !ok {
		return nil
	}
	if err := w.exec(event.KindAdmit, event.AdmitCommand); err != nil {
		return err
	}
	return w.drain()
}

func (w *walker) exec(kind event.Kind, op uint8) error {
	w.cycle++
	n, bad := w.r.Exec(kind, op, conn.Told{Cycle: w.cycle, Room: w.room}, &w.dst)
	if bad != nil {
		return bad
	}
	w.observe(w.dst[:n])
	return nil
}

// order is that in which pending work is looked for: pipeline first, then what follows from it.
var order = func() (list []struct {
	kind event.Kind
	ops  []uint8
}) {
	add := func(k event.Kind, ops ...uint8) {
		list = append(list, struct {
			kind event.Kind
			ops  []uint8
		}{k, ops})
	}
	add(event.KindWindow, event.WindowPacket, event.WindowFlush, event.WindowSet)
	add(event.KindKey, event.KeyCheck, event.KeySet, event.KeyClear)
	add(event.KindRecv, event.RecvMatch, event.RecvPost, event.RecvClear)
	add(event.KindMessage, event.MessagePacket, event.MessageQuery, event.MessageSet, event.MessageClose, event.MessageFault)
	add(event.KindMemWrite, 0)
	add(event.KindPlace, 0, 1)
	add(event.KindComplete, event.CompleteDone, event.CompleteRun, event.CompleteSet, event.CompleteClose)
	add(event.KindCompletion, 0)
	add(event.KindCoalesce, event.CoalescePacket, event.CoalesceSet)
	add(event.KindCommandDone, 0)
	add(event.KindCtimer, event.CtimerFire)
	add(event.KindAck, event.AckRequest, event.AckTimer, event.AckNotice, event.AckNak, event.AckAnswer)
	add(event.KindPacketOut, 0)
	return list
}()

// drain does all that is due by now. What follows from a transaction stands behind it in the order, but for faults of the
// memory, which go back to message.
func (w *walker) drain() error {
	for again := true; again; {
		for i := range order {
			o := &order[i]
			for _, op := range o.ops {
				for {
					due, ok := w.r.Ready(o.kind, op)
					if !ok || due.From > w.cycle {
						break
					}
					if err := w.exec(o.kind, op); err != nil {
						return err
					}
				}
			}
		}
		_, again = w.r.Ready(event.KindMessage, event.MessageFault)
	}
	return nil
}

// settle lets time pass until nothing is left: timers and notices that wait become due.
func (w *walker) settle() error {
	for w.r.Pending() > 0 {
		if err := w.drain(); err != nil {
			return err
		}
		if w.r.Pending() == 0 {
			break
		}
		next, ok := w.next()
		if !ok {
			return fmt.Errorf("%d pieces of work are pending and none of them can go on", w.r.Pending())
		}
		w.cycle = max(w.cycle, next)
	}
	return nil
}

// next is when the first of what waits becomes due.
func (w *walker) next() (at uint64, found bool) {
	for i := range order {
		for _, op := range order[i].ops {
			if due, ok := w.r.Ready(order[i].kind, op); ok && (!found || due.From < at) {
				at, found = due.From, true
			}
		}
	}
	return at, found
}
