package modeltest

import (
	"bytes"
	"fmt"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
)

// Random is setup and n pieces of random traffic.
func Random(p preset.Params, seed uint64, n int) []Item {
	t := NewTraffic(p, seed)
	items := t.Setup()
	for range n {
		items = append(items, t.Next())
	}
	return items
}

// MinimumFrames is set-up and n back-to-back Writes of one small packet each, in order on one path.
func MinimumFrames(p preset.Params, n int) []Item {
	t := NewTraffic(p, 1)
	items := t.Setup()
	first := t.First(0, 0, 0)
	first.Payload = make([]byte, 8)
	first.Message.Length = 8
	for i := range uint32(n) {
		q := first
		q.Psn += i
		q.Tsn += i
		q.Message.Msn += i
		items = append(items, Item{Frame: q.Frame()})
	}
	return items
}

// Feed gives random traffic to all devices and receivers.
func Feed(p preset.Params, seed uint64, n int, to ...any) { Give(Random(p, seed, n), to...) }

// Give gives items to devices (*pipe.Device) and receivers (*conn.Receiver), to each the same.
func Give(items []Item, to ...any) {
	for _, i := range items {
		for _, x := range to {
			switch x := x.(type) {
			case *pipe.Device:
				giveDevice(x, &i)
			case *conn.Receiver:
				giveReceiver(x, &i)
			default:
				panic(fmt.Sprintf("modeltest: items given to a %T", x))
			}
		}
	}
}

func giveDevice(d *pipe.Device, i *Item) {
	if i.Frame != nil {
		d.Frame(i.Frame, 0)
	}
	for _, a := range i.Accesses {
		d.Write(a.Addr, a.Value)
	}
	if i.WaitIdle {
		d.WaitIdle()
	}
}

func giveReceiver(r *conn.Receiver, i *Item) {
	if i.Frame != nil {
		r.Frame(i.Frame)
	}
	for _, a := range i.Accesses {
		r.SetRegister(a.Addr, a.Value)
	}
}

// Records runs a device until it is idle and returns its records, one slice each.
func Records(d *pipe.Device) ([][]byte, error) {
	var all [][]byte
	for {
		recs, err := d.Run(1 << 16)
		if err != nil {
			return all, err
		}
		if len(recs) == 0 {
			return all, nil
		}
		for recs = bytes.Clone(recs); len(recs) > 0; {
			n := event.RecordSize * (1 + int(recs[3]))
			all = append(all, recs[:n:n])
			recs = recs[n:]
		}
	}
}

// Check holds records against a receiver that was given their stimulus, and returns in one line where they part, ""
// if they do not. What the device never did is part of it.
func Check(r *conn.Receiver, records [][]byte) string {
	var dst [event.MaxRecord]byte
	for i, rec := range records {
		n, bad := r.ExecRecord(rec, &dst)
		if bad != nil {
			return bad.Error()
		}
		if !bytes.Equal(rec, dst[:n]) {
			return fmt.Sprintf("record %d: %s", i, Difference(rec, dst[:n]))
		}
		if i%64 == 0 {
			if bad := r.Late(cycleOf(rec)); bad != nil {
				return bad.Error()
			}
		}
	}
	if left := r.Leftovers(); len(left) > 0 {
		return left[0].Error()
	}
	return ""
}

func cycleOf(rec []byte) uint64 {
	var h event.Head
	if h.Decode(rec) != nil {
		return 0
	}
	return h.Cycle
}

// Difference names the values in which a record differs from what was expected.
func Difference(got, want []byte) string {
	kind := event.Kind(want[1])
	s := kind.String() + " differs in"
	n := 0
	for d := range event.DiffFields(kind, got, want) {
		s += fmt.Sprintf(" %s: %s, expected %s;", d.Field.FullName(), d.Field.Format(d.A), d.Field.Format(d.B))
		n++
	}
	if n == 0 {
		s += " bytes that hold no field"
	}
	return s
}
