package block

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/place"
	"metaroce/tandem/model/recv"
	"metaroce/tandem/model/wire"
)

func keyVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Key{Key: event.KeyKey{
			Valid: !d.rarely(8), Tag: d.u8(), Conn: d.u16(), Perm: d.bits(3), Base: d.u64(64), Length: d.u64(64),
		}}
		if d.flip() {
			r.Key.Length = uint64(d.small(1 << 16))
		}
		r.In = keyIn(d, &r.Key)
		switch d.Below(16) {
		case 0:
			r.Head.Op = event.KeySet
			r.In.LengthHi, r.In.Perm, r.In.Addr = d.u32(), d.bits(3), d.u64(64)
		case 1:
			r.Head.Op = event.KeyClear
		}
		r.Encode(before)
		key.Step(&r.Key, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}

// keyIn is a packet at an edge of the region: its first byte, its last, one byte off either, or around the top of memory.
func keyIn(d *draw, row *event.KeyKey) event.KeyIn {
	in := event.KeyIn{Rkey: d.small(16)<<8 | uint32(row.Tag), Conn: row.Conn, PayloadLen: uint16(d.small(9001)), Length: d.u32()}
	switch d.Below(4) {
	case 0:
		in.Addr = row.Base
	case 1:
		in.Addr = row.Base + row.Length - uint64(in.PayloadLen) // its last byte is the region's last
	case 2:
		in.Addr = row.Base + d.Below(row.Length)
	default:
		in.Addr = d.u64(64)
	}
	if d.rarely(3) {
		in.Addr = d.near(in.Addr, 64)
	}
	if d.rarely(4) {
		in.Rkey, in.Conn = uint32(d.near(uint64(in.Rkey), 32)), d.near16(in.Conn)
	}
	return in
}

func recvVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Recv{Recv: event.RecvRecv{
			Valid: !d.rarely(6), Index: d.serial(), Addr: d.u64(64), Length: d.u32(), WrId: d.u32(),
		}}
		r.In = event.RecvIn{
			RecvIndex: r.Recv.Index, StreamRow: d.u16(), Write: d.rarely(3), Length: d.near32(r.Recv.Length), Offset: d.u32(), Addr: d.u64(64),
		}
		if d.rarely(4) {
			r.In.RecvIndex = d.near32(r.In.RecvIndex)
		}
		if d.rarely(4) {
			r.In.SyndromeIn = wire.Syndrome(d.small(9))
		}
		switch d.Below(16) {
		case 0, 1:
			r.Head.Op, r.In.WrId = event.RecvPost, d.u32()
		case 2:
			r.Head.Op = event.RecvClear
		}
		r.Encode(before)
		recv.Step(&r.Recv, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}

func messageVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Message{Stream: event.MessageStream{Open: !d.rarely(10), Life: d.u8(), ErrMsn: d.u32(), ErrAttempt: d.bits(4)}}
		if d.rarely(8) {
			r.Stream.Error = wire.Syndrome(d.small(9))
		}
		r.Slot = event.MessageSlot{
			Msn: d.serial(), Attempt: d.bits(4), Opcode: d.opcode(),
			Length: d.u32(), Refused: d.rarely(5),
		}
		if d.rarely(12) {
			r.Slot.Length = 0
		}
		r.Slot.Arrived = of(d, 0, r.Slot.Length, r.Slot.Length-1, uint32(d.Below(uint64(r.Slot.Length)+1)), d.u32())
		r.In = messageIn(d, &r.Slot)
		r.Stream.Touched = d.sparse() | 1<<(r.In.Msn&63)
		if d.rarely(4) {
			r.Stream.Touched &^= 1 << (r.In.Msn & 63)
		}
		if d.rarely(6) {
			r.Head.Op = of(d, event.MessageQuery, event.MessageSet, event.MessageClose, event.MessageFault)
			r.In.LifeIn = d.near8(r.Stream.Life)
			if d.flip() {
				r.In.Msn = r.Slot.Msn
			}
			if r.Head.Op == event.MessageQuery { // a refusal of this life, or one of a life before
				r.Slot.Refused = r.Slot.Refused || d.flip()
				r.Stream.Touched ^= uint64(d.small(2)) << (r.In.Msn & 63)
			}
		}
		r.Encode(before)
		message.Step(&r.Slot, &r.Stream, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}

// messageIn is a packet of the slot's message and attempt that fits what is missing, or misses that by little.
func messageIn(d *draw, slot *event.MessageSlot) event.MessageIn {
	in := event.MessageIn{
		StreamRow: d.u16(), Msn: slot.Msn, Attempt: slot.Attempt, Opcode: wire.Opcode(slot.Opcode), Length: slot.Length,
		PayloadLen: uint16(min(slot.Length, d.small(9001))), Old: d.rarely(12),
	}
	if left := slot.Length - slot.Arrived; d.flip() && left < 1<<16 {
		in.PayloadLen = uint16(left)
	}
	in.Offset = of(d, 0, in.Length-uint32(in.PayloadLen), in.Length-uint32(in.PayloadLen)+1, uint32(d.Below(uint64(in.Length)+1)), d.u32())
	if d.rarely(3) {
		in.Msn = slot.Msn + of(d, 1, 64, 1<<32-1, 1<<31, 1<<31-1, d.u32())
	}
	if d.rarely(3) {
		in.Attempt = (in.Attempt + of[uint8](d, 1, 7, 8, 9, 15, d.bits(4))) & 15
	}
	if d.rarely(6) {
		in.Length, in.PayloadLen = d.near32(in.Length), d.near16(in.PayloadLen)
	}
	if d.rarely(6) {
		in.Opcode = wire.Opcode(d.opcode())
	}
	if d.rarely(4) {
		in.SyndromeIn = wire.Syndrome(d.small(9))
	}
	return in
}

func placeVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Place{Tally: event.PlaceTally{Bytes: d.u32()}}
		r.In = event.PlaceIn{
			StreamRow: d.u16(), Life: d.u8(), Msn: d.serial(), Attempt: d.bits(4), Fresh: d.rarely(3),
			PayloadLen: d.u16(), Addr: d.u64(64), Error: d.rarely(8),
		}
		if d.rarely(8) {
			r.Head.Op, r.In.PayloadLen, r.In.Error = event.PlaceEmpty, 0, false
		}
		r.In.Length = d.near32(of(d, r.Tally.Bytes+uint32(r.In.PayloadLen), uint32(r.In.PayloadLen), r.Tally.Bytes))
		r.Encode(before)
		place.Step(&r.Tally, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}
