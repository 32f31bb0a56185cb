package block

import (
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/window"
	"metaroce/tandem/model/wire"
)

// admitVectors are for the sizes of preset tiny, which are the defaults of the RTL step.
func admitVectors() func(*draw, *record, *record) {
	p := preset.Tiny
	return func(d *draw, before, after *record) {
		r := event.Admit{Conn: event.AdmitConn{
			Valid: !d.rarely(8), Generation: d.u8(), Paths: uint8(d.small(5)),
			StreamBase: uint16(d.small(16)), StreamLog2: uint8(d.small(5)),
		}}
		if d.rarely(8) {
			r.Conn = event.AdmitConn{}
		}
		if d.rarely(5) {
			r.Head.Op = event.AdmitCommand
			r.In = admitCommand(d)
		} else {
			r.In = admitPacket(d, &p, &r.Conn)
		}
		r.Encode(before)
		admit.Step(&p, &r.Conn, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}

func admitPacket(d *draw, p *preset.Params, row *event.AdmitConn) event.AdmitIn {
	if d.rarely(16) {
		return event.AdmitIn{Room: admit.RoomOverrun}
	}
	in := event.AdmitIn{
		FrameLen: d.u16(), Room: admit.RoomTaken, Opcode: wire.Opcode(d.opcode()),
		DstConn: uint32(row.Generation)<<16 | d.small(4), Path: uint8(d.small(uint64(row.Paths) + 1)),
		Stream: uint16(d.small(2 << row.StreamLog2)), Length: d.u32(), PayloadLen: uint16(1 + d.small(9000)),
		Query: d.flip(), Open: !d.rarely(8), Completed: d.serial(),
	}
	in.Msn = in.Completed + of(d, 0, 1, 1<<32-1, uint32(p.MsgSlots)-1, uint32(p.MsgSlots), uint32(p.MsgSlots)+1, 1<<31, 1<<31-1, 1<<31+1, d.u32())
	if d.rarely(6) {
		in.DstConn = uint32(d.near(uint64(in.DstConn), 24))
	}
	if d.rarely(6) {
		in.PayloadLen, in.Length = 0, of(d, 0, 1, d.u32())
	}
	if d.rarely(8) {
		in.Room = admit.RoomNone
	}
	if d.rarely(8) {
		in.ReasonIn = event.Reason(1 + d.small(14))
	}
	if d.rarely(8) {
		in.Path, in.Stream = d.u8(), d.u16()
	}
	return in
}

func admitCommand(d *draw) event.AdmitIn {
	in := event.AdmitIn{
		Cmd: event.Command(1 + d.small(9)), DstConn: d.small(256)<<16 | d.small(5), Path: uint8(d.small(6)),
		Stream: d.u16(), Msn: d.u32(), Length: d.u32(), StreamRowIn: uint16(d.small(18)), Txn: uint8(d.small(6)),
		Rkey: d.small(18)<<8 | d.small(256), Room: 0,
	}
	if d.rarely(6) {
		in.DstConn, in.StreamRowIn, in.Txn, in.Rkey, in.Path = uint32(d.u64(24)), d.u16(), d.u8(), d.u32(), d.u8()
	}
	return in
}

// windowVectors continue the row of the line before three times of four, so that it fills, wraps and drains.
func windowVectors() func(*draw, *record, *record) {
	var row event.WindowPath
	return func(d *draw, before, after *record) {
		if d.rarely(4) {
			row = windowRow(d)
		}
		r := event.Window{Path: row, In: windowIn(d, &row)}
		switch d.Below(24) {
		case 0, 1:
			r.Head.Op = event.WindowFlush
		case 2:
			r.Head.Op = event.WindowSet
		}
		r.Encode(before)
		window.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
		row = r.Path
	}
}

func windowRow(d *draw) event.WindowPath {
	row := event.WindowPath{
		Cum: d.serial(), HighTsn: d.serial(), HighValid: !d.rarely(6), Epoch: d.bits(4), LastCe: d.flip(),
		Packets: d.u32(), Bytes: d.u64(48), Ce: d.u32(), Dups: d.u32(), TooNew: d.u32(), LastPsn: d.u32(),
		LastTime: d.u32(), LastNow: d.u32(), LastSport: d.u16(), LastD: d.flip(), Peer: uint32(d.u64(24)),
	}
	// bit 0 is never set; a run of ones, then a hole, then anything sparse, dense or nothing
	run := of(d, 0, 1, 2, 14, 15, 16, 17, 31, 32, 127, 128, 253, 254, 255, d.small(256))
	for i := uint32(1); i <= run && i < 256; i++ {
		row.Vector.Set(i)
	}
	if density := d.Below(4); density > 0 && d.flip() {
		for i := run + 2; i < 256; i++ {
			if d.Below(4) < density {
				row.Vector.Set(i)
			}
		}
	}
	row.HighPsn = row.Cum - 1
	for i := range uint32(256) {
		if row.Vector.Get(i) {
			row.HighPsn = row.Cum + i
		}
	}
	return row
}

func windowIn(d *draw, row *event.WindowPath) event.WindowIn {
	off := of(d, 0, 0, 0, 1, 2, 15, 16, 17, 127, 128, 254, 255, 255, 256, 256, 257, 1<<32-1, 1<<32-2, 1<<30-1, 1<<31, 1<<31-1, d.small(256), d.small(256))
	psn := row.Cum + off
	if d.rarely(3) {
		psn = row.HighPsn + of[uint32](d, 1<<32-1, 0, 1, 1, 2, 3)
	}
	return event.WindowIn{
		Now: d.u32(), Psn: psn, Tsn: row.HighTsn + of(d, 0, 1, 2, 1<<32-1, 1<<31, 1<<31-1, 1<<31+1, d.u32()),
		Epoch: (row.Epoch + of[uint8](d, 0, 0, 0, 1, 2, 15, 8, d.bits(4))) & 15,
		FlagA: d.rarely(4), FlagD: d.rarely(4), FlagL: d.rarely(4), Ce: d.near8(b2i(row.LastCe))&1 != 0,
		PayloadLen: d.u16(), TxTime: d.u32(), Sport: d.u16(),
	}
}

func b2i(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
