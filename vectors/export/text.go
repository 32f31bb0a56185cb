package export

import (
	"fmt"
	"io"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

// Text writes a vector as a time line for people: what goes in, and behind each settle what must have come out.
func Text(w io.Writer, v *mrv.Vector) error {
	p := &printer{w: w}
	p.line("%s  %s", v.Name, v.ID)
	p.line("  %s", v.Title)
	p.line("  kind %s, preset %s, seed %d, rules %s", v.Kind, v.Preset, v.Seed, strings.Join(v.Rules, " "))
	if len(v.Requires) > 0 {
		p.line("  requires %s", strings.Join(v.Requires, " "))
	}
	p.line("  from %s", strings.Join(strings.Fields(fmt.Sprintf("%s %s %s seed %d (%s)", v.Source.Kind, v.Source.Name, v.Source.Args, v.Source.Seed, v.Source.Revision)), " "))
	if len(v.Steps) > 0 {
		p.steps(v)
	} else {
		p.items(v)
	}
	for i := range v.Sees {
		p.line("  see %s%s", v.Sees[i].Text, [...]string{expect.Next: "", expect.Anywhere: ", anywhere", expect.Never: ", never"}[v.Sees[i].Order])
	}
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) steps(v *mrv.Vector) {
	e := block.ByName(v.Kind)
	if e == nil {
		p.line("  %d steps of an engine that is not known here", len(v.Steps))
		return
	}
	if err := e.Fits(v); err != nil {
		p.line("  %d steps that mean nothing here: %v", len(v.Steps), err)
		return
	}
	info := e.Info()
	for i := range v.Steps {
		s := &v.Steps[i]
		head := make([]byte, mrv.BodyAt)
		before, after := append(head[:len(head):len(head)], s.Before...), append(head[:len(head):len(head)], s.After...)
		p.line("  step %d %s", i, event.OpName(info.Kind, s.Op))
		for _, g := range []struct {
			name  string
			group event.Group
			rec   []byte
		}{{"row", event.GroupRow, before}, {"in", event.GroupIn, before}, {"out", event.GroupOut, after}} {
			p.line("    %-5s%s", g.name, values(info, g.group, g.rec, nil))
		}
		p.line("    %-5s%s", "left", values(info, event.GroupRow, after, before))
	}
}

// values lists the values of a group that are not zero, or that differ from another record.
func values(info *event.EngineInfo, group event.Group, rec, than []byte) string {
	var b strings.Builder
	for i := range info.Fields {
		f := &info.Fields[i]
		x := f.Bytes(rec)
		if f.Group != group || than == nil && zero(x) || than != nil && string(x) == string(f.Bytes(than)) {
			continue
		}
		fmt.Fprintf(&b, " %s=%s", f.Name, f.Format(x))
	}
	if b.Len() == 0 {
		return " -"
	}
	return b.String()
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func (p *printer) items(v *mrv.Vector) {
	var now expect.Point
	seg, frame := 0, 0
	settle := func() {
		if seg < len(v.Want.Segments) && v.Want.Segments[seg].End == now {
			p.segment(&v.Want.Segments[seg], seg)
			seg++
		}
	}
	for i := range v.Items {
		switch it := &v.Items[i]; it.Kind {
		case stimulus.KindFrame:
			now.Frames++
			p.line("  > %s", frameText(it, frame+1, len(v.Program().Items[i].Data)))
			if frame < len(v.Want.Fates) {
				p.line("      %s", FateText(&v.Want.Fates[frame]))
			}
			frame++
		case stimulus.KindWrite:
			now.Accesses++
			p.line("  > write register %#x = %#x%s", it.Addr, it.Value, commandText(it))
		case stimulus.KindRead:
			now.Accesses++
			p.line("  > read register %#x", it.Addr)
		case stimulus.KindWaitCycles:
			p.line("  > wait %d cycles", it.Value)
		case stimulus.KindWaitIdle:
			p.line("  > wait idle")
			settle()
		case stimulus.KindFault:
			settle()
			p.line("  > memory fails in %#x..%#x", it.Lo, it.Hi)
		case stimulus.KindLatency:
			p.line("  > memory answers after %d..%d cycles", it.Lo, it.Hi)
		case stimulus.KindStall:
			p.line("  > port %v stalls: %d permille, up to %d cycles", it.Port, it.Permille, it.Run)
		}
	}
	settle()
}

func commandText(it *mrv.Item) string {
	if it.Addr == event.RegCmdOp {
		return " (command " + event.Command(it.Value).String() + ")"
	}
	return ""
}

func frameText(it *mrv.Item, xid, bytes int) string {
	gap := ""
	if it.Gap > 0 {
		gap = fmt.Sprintf("+%d ", it.Gap)
	}
	p := it.Packet
	if p == nil {
		return fmt.Sprintf("%sframe %d: %d bytes", gap, xid, bytes)
	}
	s := fmt.Sprintf("%sframe %d: %s path %d psn %#x tsn %#x epoch %d", gap, xid, p.Op, p.Path, p.Psn, p.Tsn, p.Epoch)
	if p.HasMessage() {
		s += fmt.Sprintf(" stream %d msn %#x bytes %d+%d of %d", p.Stream, p.Msn, p.Offset, p.Bytes, p.Length)
	}
	if f := flags(it); f != "" {
		s += " " + f
	}
	if p.Net.Bad != 0 {
		s += fmt.Sprintf(" bad %v", p.Net.Bad)
	}
	return s
}

// FateText says what becomes of a frame.
func FateText(f *expect.Fate) string {
	if f.Reason != event.ReasonNone {
		return "dropped: " + f.Reason.String()
	}
	s := "admitted"
	if f.Class != expect.NoClass {
		s += ", " + f.Class.String()
	}
	if f.Verdict != event.VerdictNone {
		s += ", " + f.Verdict.String()
	}
	if f.Syndrome != 0 {
		s += " (" + f.Syndrome.String() + ")"
	}
	if f.Write {
		s += fmt.Sprintf(", %d bytes to %#x", f.Length, f.Addr)
	}
	if f.Failed {
		s += ", which fails"
	}
	return s
}

func (p *printer) segment(s *expect.Segment, n int) {
	p.line("  -- segment %d ends; so far frames %d, register accesses %d", n, s.End.Frames, s.End.Accesses)
	for i := range s.Completions {
		c := &s.Completions[i]
		p.line("  < completion of stream %d.%d msn %#x: %s, %d bytes, immediate %#x, work request %#x", c.Conn, c.Stream, c.Msn, c.Opcode, c.Length, c.ImmValue, c.WrId)
	}
	for i := range s.Replies {
		p.line("  < %s", s.Replies[i].String())
	}
	last := map[expect.Path]*expect.State{}
	var order []expect.Path
	for i := range s.States {
		if last[s.States[i].Path] == nil {
			order = append(order, s.States[i].Path)
		}
		last[s.States[i].Path] = &s.States[i]
	}
	for _, path := range order {
		a := &last[path].Ack
		p.line("  < ACKs of path %d.%d up to cum %#x, packets %d, bytes %d, ce %d, dups %d", path.Conn, path.Index, a.Cum, a.Packets, a.Bytes, a.Ce, a.Dups)
	}
	for _, r := range s.Reads {
		p.line("  < register %#x is %#x", r.Addr, r.Value)
	}
	for _, d := range s.Dones {
		p.line("  < %s %s confirmed", expect.XidName(d.Xid), d.Op)
	}
}
