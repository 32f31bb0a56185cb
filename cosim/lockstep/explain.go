package lockstep

import (
	"bytes"
	"fmt"
	"strings"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
)

// historyLength is how many events of the engine and path the report shows.
const historyLength = 16

// waveBefore and waveBehind are the cycles around a divergence that a wave window shows.
const waveBefore, waveBehind = 600, 60

// explain turns a finding into the report's first divergence. whole is the device's transaction with its state records
// if a second look brought it.
func (c *Checker) explain(f *finding, whole []byte) *Divergence {
	d := &Divergence{Seq: c.seq, Cycle: c.cycle}
	record := f.record
	if whole != nil && bytes.Equal(whole[:target.RecordBytes], f.record) {
		record = whole
	} else if whole != nil {
		d.Why = "the head that came is not the one that the device kept: it was changed on the way"
	}
	var h event.Head
	if record != nil && h.Decode(record) == nil {
		d.Kind, d.Op = h.Kind.String(), event.OpName(h.Kind, h.Op)
		d.Cycle, d.Xid, d.Conn, d.Path, d.Stream = h.Cycle, h.Xid, h.Conn, h.Path, h.Stream
		d.DeviceRecord = Format(record)
	}
	switch {
	case f.bad != nil:
		c.illegal(d, f)
		h.Kind, h.Conn, h.Path = f.bad.Kind, d.Conn, d.Path
	case f.model != nil:
		d.What = "differs"
		d.ModelRecord = Format(f.model)
		d.Fields = Fields(h.Kind, record, f.model)
		d.Field, d.Device, d.Model = d.Fields[0].Field, d.Fields[0].Device, d.Fields[0].Model
		if rule, why := portFault(&h); rule != "" {
			d.What, d.Rule, d.Why = "illegal", rule, why
		}
	case h.Kind == 0:
		d.What, d.Why, d.Rule = "hang", f.text, "R-IDLE"
	default:
		d.What, d.Why, d.Rule = "illegal", f.text, "R-RECORD"
	}
	if d.Rule == "" {
		if e := event.Info(h.Kind); e != nil {
			d.Rule = e.Rule
		}
	}
	d.History = c.history(h.Kind, h.Conn, h.Path)
	d.WaveTo = d.Cycle + waveBehind
	if d.Cycle > waveBefore {
		d.WaveFrom = d.Cycle - waveBefore
	}
	return d
}

func (c *Checker) illegal(d *Divergence, f *finding) {
	b := f.bad
	d.What, d.Rule, d.Why = "illegal", b.Rule, b.Why
	switch {
	case f.end:
		d.What = "missing"
	case b.Late:
		d.What = "late"
	}
	if f.record == nil {
		d.Kind, d.Op, d.Xid, d.Conn, d.Path = b.Kind.String(), event.OpName(b.Kind, b.Op), b.Xid, b.Conn, b.Path
		d.Cycle = max(c.cycle, b.Cycle)
	}
}

// Fields lists the values in which two transactions of a kind differ, in record order; never empty. The digest is
// named only if nothing behind it differs: it only repeats them.
func Fields(kind event.Kind, device, model []byte) []FieldDiff {
	var list []FieldDiff
	var digest *FieldDiff
	for x := range event.DiffFields(kind, device, model) {
		d := FieldDiff{x.Field.FullName(), x.Field.Format(x.A), x.Field.Format(x.B)}
		if x.Field.Group == event.GroupHead && x.Field.Name == "digest" {
			digest = &d
			continue
		}
		list = append(list, d)
	}
	if len(list) == 0 && digest != nil {
		list = append(list, *digest)
	}
	if len(list) == 0 {
		list = append(list, FieldDiff{"bytes between the fields", fmt.Sprintf("%x", device), fmt.Sprintf("%x", model)})
	}
	return list
}

// history is the last transactions of one kind, connection and path, oldest first. Both sides agreed on them.
func (c *Checker) history(kind event.Kind, conn uint16, path uint8) []string {
	var found []string
	for back := uint64(1); back <= min(c.seq, target.RingTransactions) && len(found) < historyLength; back++ {
		i := (c.seq - back) % target.RingTransactions
		var h event.Head
		if h.Decode(c.ring[i][:]) != nil || h.Kind != kind || h.Conn != conn || h.Path != path {
			continue
		}
		found = append(found, Format(c.ring[i][:c.length[i]]))
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found
}

// Format shows a transaction on one line: what, where, and every value that is not zero.
func Format(record []byte) string {
	var h event.Head
	if err := h.Decode(record); err != nil {
		return fmt.Sprintf("% x (%v)", record[:min(len(record), 16)], err)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "#%d cycle %d %v %s xid %#x conn %d path %d stream %d:", h.Seq, h.Cycle, h.Kind, event.OpName(h.Kind, h.Op),
		h.Xid, h.Conn, h.Path, h.Stream)
	e := event.Info(h.Kind)
	if e == nil {
		return s.String() + " unknown kind"
	}
	for i := range e.Fields {
		f := &e.Fields[i]
		v := f.Bytes(record)
		if v == nil {
			s.WriteString(" (state not sent)")
			break
		}
		if strings.Trim(string(v), "\x00") != "" {
			fmt.Fprintf(&s, " %s=%s", f.FullName(), f.Format(v))
		}
	}
	return s.String()
}

// Line is the divergence in one line.
func (d *Divergence) Line() string {
	where := fmt.Sprintf("%s %s xid %#x conn %d path %d at cycle %d", d.Kind, d.Op, d.Xid, d.Conn, d.Path, d.Cycle)
	switch d.What {
	case "differs":
		return fmt.Sprintf("divergence: %s: %s is %s in the device, %s in the model (%s)", where, d.Field, d.Device, d.Model, d.Rule)
	case "late", "missing":
		return fmt.Sprintf("divergence: %s:%s: %s (%s)", d.What, where, d.Why, d.Rule)
	case "hang":
		return fmt.Sprintf("divergence: hang at cycle %d: %s", d.Cycle, d.Why)
	}
	return fmt.Sprintf("divergence: %s: %s: %s (%s)", d.What, where, d.Why, d.Rule)
}
