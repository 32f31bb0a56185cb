package block

import (
	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/coalesce"
	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// completeVectors continue the row of the line before three times of four: runs of messages that are done wait and go.
func completeVectors() func(*draw, *record, *record) {
	var row event.CompleteStream
	return func(d *draw, before, after *record) {
		if d.rarely(4) {
			row = event.CompleteStream{
				Open: !d.rarely(8), Life: d.u8(), Completed: d.serial(), Done: d.sparse(), Noticed: d.flip(), NoticeSeq: d.u32(),
			}
			row.Done &^= 1 << (row.Completed & 63) // the message in order is released at once
		}
		r := event.Complete{Stream: row, In: event.CompleteIn{
			StreamRow: d.u16(), Msn: row.Completed + of(d, 0, 0, 0, 1, 2, 63, 1<<32-1, 1<<31, 1<<31-1, d.small(64)), PathRow: d.u16(), Conn: d.u16(),
			Stream: d.u16(), Opcode: wire.Opcode(d.opcode()), Length: d.u32(), ImmValue: d.u32(), WrId: d.u32(), Life: row.Life,
			NoticeHead: row.NoticeSeq + of(d, 0, 1, 1<<32-1, 1<<31, 1<<31+1, d.u32()), NoticeTail: d.u32(),
		}}
		if d.rarely(6) {
			r.In.Life = d.near8(r.In.Life)
		}
		switch d.Below(12) {
		case 0:
			r.Head.Op = event.CompleteSet
		case 1:
			r.Head.Op = event.CompleteClose
		case 2, 3, 4:
			r.Head.Op = event.CompleteRun
			if d.flip() {
				r.Stream.Done |= 1 << (r.In.Msn & 63) // run comes only to what is done
			}
		}
		r.Encode(before)
		complete.Step(&r.Stream, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
		row = r.Stream
	}
}

func coalesceVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Coalesce{Path: event.CoalescePath{Count: d.bits(3), Seen: d.u8()}}
		r.In = event.CoalesceIn{PathRow: d.u16(), AckNow: d.rarely(3), Builds: d.near8(r.Path.Seen), Pending: d.rarely(3)}
		if d.rarely(8) {
			r.Head.Op, r.In.AckNow = event.CoalesceSet, false
		}
		r.Encode(before)
		coalesce.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}

func ctimerVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Ctimer{In: event.CtimerIn{PathRow: d.u16(), ArmedBuilds: d.u8(), Pending: d.rarely(3), Now: d.u32()}}
		r.In.Builds = d.near8(r.In.ArmedBuilds)
		r.Encode(before)
		coalesce.Fire(&r.In, &r.Out)
		r.Encode(after)
	}
}

func ackVectors() func(*draw, *record, *record) {
	return func(d *draw, before, after *record) {
		r := event.Ack{Path: event.AckPath{Builds: d.u8()}}
		r.Head.Op = uint8(d.small(5))
		r.In = event.AckIn{PathRow: d.u16(), Grant: r.Head.Op, Now: d.u32(), Hint: uint32(d.u64(20)), HintGen: d.u8()}
		if ack.Acknowledges(r.Head.Op) {
			r.In.LastNow = r.In.Now - of(d, 0, 1, ack.HeldMax-1, ack.HeldMax, ack.HeldMax+1, 1<<31, d.u32())
			if d.flip() {
				r.In.NoticeValid, r.In.NoticeStreamRow, r.In.NoticeCompleted = true, d.u16(), d.u32()
				r.In.NoticeLife, r.In.StreamOpen = d.u8(), !d.rarely(8)
				r.In.StreamLife = r.In.NoticeLife
				if d.rarely(6) {
					r.In.StreamLife = d.near8(r.In.NoticeLife)
				}
			}
		}
		r.Encode(before)
		ack.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(after)
	}
}
