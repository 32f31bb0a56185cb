package mrv

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
)

// Numbers of the messages in an Entry.
const (
	entryHeader protowire.Number = iota + 1
	entryVector
	entryItem
	entryPacket
	entryAct
	entryStep
	entryFate
	entryState
	entryCompletion
	entryReply
	entryRead
	entryDone
	entrySettle
	entrySee
	entryEnd
	entryTail
)

func number(i int) protowire.Number { return protowire.Number(i + 1) }

// encoder hands finished entries to emit.
type encoder struct {
	msg   []byte
	entry []byte
	emit  func(delimited []byte)
	out   []byte
}

func (e *encoder) put(n protowire.Number) {
	e.entry = putMessage(e.entry[:0], n, e.msg)
	e.out = append(protowire.AppendVarint(e.out[:0], uint64(len(e.entry))), e.entry...)
	e.emit(e.out)
	e.msg = e.msg[:0]
}

func (e *encoder) header(h *Header) {
	b := putUint(e.msg[:0], 1, uint64(h.Schema))
	b = putString(b, 2, h.Spec)
	b = putString(b, 3, h.Model)
	e.msg = putString(b, 4, h.Generator)
	e.put(entryHeader)
}

func (e *encoder) vector(v *Vector) {
	b := putString(e.msg[:0], 1, v.Name)
	b = putString(b, 2, v.ID)
	b = putString(b, 3, v.Kind)
	b = putString(b, 4, v.Title)
	for _, r := range v.Rules {
		b = putMessage(b, 5, []byte(r))
	}
	for _, r := range v.Requires {
		b = putMessage(b, 6, []byte(r))
	}
	b = putString(b, 7, v.Preset)
	b = putUint(b, 8, v.Seed)
	s := putString(nil, 1, v.Source.Kind)
	s = putString(s, 2, v.Source.Name)
	s = putString(s, 3, v.Source.Args)
	s = putUint(s, 4, v.Source.Seed)
	s = putString(s, 5, v.Source.Revision)
	e.msg = putBytes(b, 9, s)
	e.put(entryVector)
}

func (e *encoder) item(it *Item) {
	b := putUint(e.msg[:0], 1, uint64(it.Kind))
	b = putUint(b, 2, uint64(it.Port))
	b = putUint(b, 3, uint64(it.Addr))
	b = putUint(b, 4, uint64(it.Value))
	b = putUint(b, 5, uint64(it.Gap))
	b = putUint(b, 6, it.Lo)
	b = putUint(b, 7, it.Hi)
	b = putUint(b, 8, uint64(it.Permille))
	b = putUint(b, 9, uint64(it.Run))
	e.msg = putBytes(b, 10, it.Data)
	e.put(entryItem)
}

func flags(list ...bool) (v uint64) {
	for i, f := range list {
		v |= uint64(flag(f)) << i
	}
	return v
}

func (e *encoder) packet(it *Item) {
	p := it.Packet
	n := &p.Net
	b := e.msg[:0]
	for i, v := range [...]uint64{uint64(it.Gap), uint64(p.Op), uint64(p.Epoch), flags(p.A, p.D, p.R, p.B, p.L, p.Query), uint64(p.Path), uint64(p.DstConn),
		uint64(p.Psn), uint64(p.Tsn), uint64(p.Time), uint64(p.Stream), uint64(p.Attempt), uint64(p.Msn), uint64(p.Length), uint64(p.Offset), uint64(p.Rkey), p.Addr,
		uint64(p.Recv), uint64(p.Imm), uint64(p.Port), uint64(p.NewEpoch), uint64(p.Txn), uint64(p.Bytes), flags(n.VLAN, n.IPv6, n.CE), uint64(n.Sport), uint64(n.Dport),
		uint64(n.PadTo), uint64(n.Cut), uint64(n.Bad), uint64(it.Row), uint64(it.Line)} {
		b = putUint(b, number(i), v)
	}
	e.msg = b
	e.put(entryPacket)
}

func appendAct(b []byte, a *Act) []byte {
	b = putUint(b, 1, uint64(a.Endpoint))
	b = putString(b, 2, a.What)
	for _, v := range a.Values {
		m := putString(nil, 1, v.Name)
		m = putUint(m, 2, v.Value)
		b = putMessage(b, 3, putBytes(m, 3, v.Data))
	}
	return b
}

func (e *encoder) step(s *Step) {
	b := putUint(e.msg[:0], 1, uint64(s.Op))
	b = putBytes(b, 2, s.Before)
	change := make([]byte, len(s.After))
	for i := range change {
		change[i] = s.Before[i] ^ s.After[i]
	}
	e.msg = putBytes(b, 3, bytes.TrimRight(change, "\x00"))
	e.put(entryStep)
}

// Bits of Fate.write.
const (
	fateWrite = 1 << iota
	fateFailed
	fateElsewhere
)

// home says whether a write is of a packet's payload to the packet's own address.
func home(p *compose.Packet, f *expect.Fate) bool {
	return p != nil && !p.IsSend() && wire.Kinds[p.Op].Payload && f.Addr == p.Addr && int(f.Length) == p.Bytes
}

func (e *encoder) fate(f *expect.Fate, p *compose.Packet) {
	b := putUint(e.msg[:0], 1, uint64(f.Reason))
	b = putUint(b, 2, uint64(f.Class+1)) // 255 is none, and becomes 0
	b = putUint(b, 3, uint64(f.Syndrome))
	b = putUint(b, 4, uint64(f.Verdict))
	if f.Write {
		at := !home(p, f)
		b = putUint(b, 5, flags(true, f.Failed, at))
		if at {
			b = putUint(b, 6, f.Addr)
			b = putUint(b, 7, uint64(f.Length))
		}
	}
	e.msg = b
	e.put(entryFate)
}

func (e *encoder) segment(s *expect.Segment, p *predictor) {
	for i := range s.States {
		e.msg = p.append(e.msg[:0], &s.States[i])
		e.put(entryState)
	}
	for i := range s.Completions {
		c := &s.Completions[i]
		e.values(entryCompletion, uint64(c.Xid), uint64(c.Conn), uint64(c.Stream), uint64(c.Msn), uint64(c.Opcode), uint64(c.Length), uint64(c.ImmValue), uint64(c.WrId))
	}
	for i := range s.Replies {
		r := &s.Replies[i]
		b := e.msg[:0]
		for i, v := range [...]uint64{uint64(r.Xid), uint64(r.Conn), uint64(r.Index), uint64(r.Op), uint64(r.Sport), uint64(r.Peer)} {
			b = putUint(b, number(i), v)
		}
		b = putBytes(b, 7, bytes.TrimRight(r.Body[:], "\x00"))
		e.msg = putUint(b, 8, uint64(r.Completed))
		e.put(entryReply)
	}
	for _, r := range s.Reads {
		e.values(entryRead, uint64(r.Addr), uint64(r.Value))
	}
	for _, d := range s.Dones {
		e.values(entryDone, uint64(d.Xid), uint64(d.Op))
	}
	e.values(entrySettle, uint64(s.End.Frames), uint64(s.End.Accesses))
}

func (e *encoder) values(n protowire.Number, list ...uint64) {
	b := e.msg[:0]
	for i, v := range list {
		b = putUint(b, number(i), v)
	}
	e.msg = b
	e.put(n)
}

func (e *encoder) see(s *expect.See) {
	b := putString(e.msg[:0], 1, s.What)
	b = putString(b, 2, s.Rule)
	b = putUint(b, 3, uint64(s.Order))
	b = putUint(b, 4, uint64(s.After.Frames))
	b = putUint(b, 5, flags(s.Within))
	b = putUint(b, 6, s.Lo)
	b = putUint(b, 7, s.Hi)
	b = putString(b, 8, s.Where)
	b = putString(b, 9, s.Text)
	for _, f := range s.Fields {
		m := putString(nil, 1, f.Name)
		for _, a := range f.Any {
			v := putUint(nil, 1, a.Lo)
			v = putUint(v, 2, a.Hi)
			v = putUint(v, 3, a.Mask)
			m = putMessage(m, 2, putBytes(v, 4, a.Wide))
		}
		b = putMessage(b, 10, m)
	}
	b = putUint(b, 11, uint64(s.After.Accesses))
	e.msg = putUint(b, 12, uint64(s.Anchor))
	e.put(entrySee)
}
