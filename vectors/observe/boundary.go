package observe

import (
	"encoding/binary"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// Digest is the digest of bytes in boundary records: over 8-byte words, the last one filled with zeros.
func Digest(b []byte) uint64 {
	whole := len(b) &^ 7
	if whole == len(b) {
		return event.Digest(b)
	}
	return event.Digest(append(b[:len(b):len(b)], make([]byte, 8-len(b)&7)...))
}

func (o *Observer) memWrite(h *event.Head, rec []byte) {
	var r event.MemWrite
	o.fail(r.Decode(rec))
	o.count("writes")
	if r.In.Error {
		o.count("writes.failed")
	} else {
		o.counts["bytes"] += uint64(r.In.Length)
	}
	if o.prog == nil {
		return
	}
	f := o.frame(h.Xid)
	if f == nil || !f.Proper || len(f.Payload) == 0 || !f.Packet.HasMessage() {
		o.breach(h, "memory written to by a frame that carries nothing to place")
		return
	}
	o.checkWrite(h, &r.In, f)
	life, ok := o.lives[h.Xid]
	if !ok {
		o.breach(h, "memory written to for a packet that was not to be placed, or twice")
	}
	delete(o.lives, h.Xid)
	if !r.In.Error {
		o.stream(f.Row).accepted[attempt{life, f.Packet.Msn, f.Packet.Attempt}] += uint32(r.In.Length)
	}
}

func (o *Observer) checkWrite(h *event.Head, in *event.MemWriteIn, f *compose.Frame) {
	if int(in.Length) != len(f.Payload) || in.Hash != Digest(f.Payload) {
		o.breach(h, "%d bytes written to %#x are not the %d of the packet's payload", in.Length, in.Addr, len(f.Payload))
	}
	if !slices.Contains(o.where(f), in.Addr) {
		o.breach(h, "payload written to %#x: it belongs to %#x", in.Addr, o.where(f))
	}
	failed := false
	for _, r := range o.prog.Faults {
		failed = failed || in.Addr <= r.Hi && in.Addr+uint64(in.Length)-1 >= r.Lo
	}
	if in.Error && !failed {
		o.breach(h, "write to %#x failed outside every fault range", in.Addr)
	}
}

// where tells the addresses at which a packet's payload may land: its own, or that in any receive posted for it.
func (o *Observer) where(f *compose.Frame) []uint64 {
	if !f.Packet.IsSend() {
		return []uint64{f.Packet.Addr}
	}
	var list []uint64
	for _, b := range o.prog.Posted[compose.Receive{Row: f.Row, Index: f.Packet.Recv}] {
		list = append(list, b.Addr+uint64(f.Packet.Offset))
	}
	return list
}

func (o *Observer) completion(h *event.Head, rec []byte) {
	var r event.Completion
	o.fail(r.Decode(rec))
	o.count("completions")
	o.count("completions." + r.In.Opcode.String())
	if len(o.released) == 0 || o.released[0] != r.In {
		o.breach(h, "completion %+v left; not the oldest one released", r.In)
		return
	}
	o.released = o.released[1:]
}

func (o *Observer) register(_ *event.Head, rec []byte) {
	var r event.Register
	o.fail(r.Decode(rec))
	if !r.In.Write {
		o.lastRead[r.In.Addr] = r.In.Data
		o.count("reads")
	}
}

func (o *Observer) packetOut(h *event.Head, rec []byte) {
	var r event.PacketOut
	o.fail(r.Decode(rec))
	var from built
	if len(o.building) > 0 {
		from, o.building = o.building[0], o.building[1:]
	} else {
		o.breach(h, "a packet left that nothing had built")
	}
	n := int(r.In.Length)
	var base wire.Base
	if n > len(r.In.Bytes) || base.Decode(r.In.Bytes[:n]) != nil {
		o.breach(h, "a reply of %d bytes", n)
		return
	}
	udp := r.In.Bytes[:n]
	body := udp[:n-preset.IcrcBytes]
	if wire.ICRC(body) != binary.LittleEndian.Uint32(udp[len(body):]) {
		o.breach(h, "a reply with a wrong ICRC")
	}
	o.count("replies")
	o.count(replyName(base.Opcode))
	switch rest := body[wire.BaseSize:]; base.Opcode {
	case wire.OpcodeAck:
		o.ackOut(h, rest, from)
	case wire.OpcodeNak:
		o.nakOut(h, rest, &from)
	case wire.OpcodeAnswer:
		o.answerOut(h, rest, &from)
	}
}

// ackOut holds an acknowledgement against the psns that came: nothing else, and never less than before.
func (o *Observer) ackOut(h *event.Head, b []byte, from built) {
	a := &wire.Ack{}
	if err := a.Decode(b); err != nil {
		o.breach(h, "an ACK cut short: %v", err)
		return
	}
	o.acks[pathKey{h.Conn, h.Path}] = a
	p := from.path
	if p != nil {
		o.checkNotice(h, a, &from)
	}
	if p == nil || p.life != from.life || o.prog == nil {
		return
	}
	if int32(a.Cum-p.low) > 0 {
		o.breach(h, "ACK with cum %#x: psn %#x did not come", a.Cum, p.low)
	}
	if int32(a.Cum-p.reported) < 0 {
		o.breach(h, "ACK with cum %#x after one with %#x", a.Cum, p.reported)
	}
	p.reported = a.Cum
	o.checkCounts(h, a, &p.tally)
	for i := uint32(0); i < preset.WindowBits; i++ {
		psn := a.Cum + i
		if a.Vector.Get(i) && !p.come[psn] && int32(psn-p.low) >= 0 {
			o.breach(h, "ACK with bit %d: psn %#x did not come", i, psn)
			return
		}
	}
}

// replyName is the count of a kind of reply; "naks" is that of refusals, which is not the same.
func replyName(op wire.Opcode) string {
	if op == wire.OpcodeNak {
		return "nak_replies"
	}
	return op.String() + "s"
}
