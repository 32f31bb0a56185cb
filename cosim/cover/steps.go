package cover

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

func (c *receive) admit(r *event.Admit) {
	if r.Head.Op == event.AdmitCommand {
		if n := int(r.In.Cmd) - 1; n >= 0 && n < len(event.Commands) {
			c.command.hit(n, b2i(r.Out.Old))
		}
		return
	}
	c.drop.hit(int(r.Out.Reason))
	if kind := kindIndex(r.In.Opcode); kind >= 0 && r.Out.Reason == event.ReasonNone {
		c.kinds[r.Head.Xid] = kind
	}
}

func (c *receive) windowStep(r *event.Window) {
	row := r.Head.Conn<<4 | uint16(r.Head.Path)&15
	p := c.paths[row]
	if p == nil {
		p = &pathState{}
		c.paths[row] = p
	}
	near := b2i(c.lastPath == int64(row) && r.Head.Cycle-c.lastAt <= backToBack)
	c.lastPath, c.lastAt = int64(row), r.Head.Cycle
	before := *p
	p.row, p.time, p.set = r.Path, r.In.TxTime, true
	if r.Head.Op == event.WindowSet || !before.set {
		return
	}
	relation := older
	switch (r.In.Epoch - before.row.Epoch) & 15 {
	case 0:
		relation = current
	case 1:
		relation = next
	}
	class := int(r.Out.Class)
	at := cell{class, relation, b2i(r.In.FlagD), b2i(r.In.Ce), b2i(r.In.FlagL), near}
	if r.Out.Class == event.ClassNew {
		c.waiting[r.Head.Xid] = at
	} else {
		c.settle(at, wire.SyndromeNone)
	}
	if r.Head.Op == event.WindowPacket {
		c.packet(r, &before.row, relation)
	}
	c.windowWraps(r, &before)
}

// packet counts a packet with psn.
func (c *receive) packet(r *event.Window, before *event.WindowPath, relation int) {
	class := int(r.Out.Class)
	c.offset.hit(offsetBin(r.In.Psn - before.Cum))
	if closeToZero(before.Cum, 256) && closeToZero(r.In.Psn, 512) {
		c.straddle.hit(class, b2i(before.Cum>>31 == 0), b2i(r.In.Psn>>31 == 0))
	}
	holds := 0
	switch v := &before.Vector; {
	case v[len(v)-1]>>63 == 1:
		holds = 2
	case *v != [len(v)]uint64{}:
		holds = 1
	}
	c.state.hit(class, holds)
	if kind, ok := c.kinds[r.Head.Xid]; ok {
		delete(c.kinds, r.Head.Xid)
		c.opcode.hit(class, kind, relation)
	}
}

// closeToZero says whether a serial number is less than so many steps above zero, or not more below it.
func closeToZero(n, steps uint32) bool { return n+steps < 2*steps }

func (c *receive) settle(at cell, s wire.Syndrome) {
	c.window.hit(at.class, at.epoch, at.d, at.ce, at.l, int(s), at.near)
}

func offsetBin(off uint32) int {
	switch o := int32(off); {
	case o < -1:
		return 0
	case o == -1:
		return 1
	case o <= 1:
		return 2 + int(o)
	case o <= 254:
		return 4
	case o <= 257:
		return 5 + int(o-255)
	}
	return 8
}

// wraps of the window: the number before is in the upper half of its space, the number now in the lower, and the step
// between them is short.
const (
	wrapPsn = iota
	wrapTsn
	wrapMsn
	wrapRecv
	wrapEpoch
	wrapTime
	wrapCompleted
)

func wrapped(before, now uint32) bool { return before>>31 == 1 && now>>31 == 0 && now-before < 1<<30 }

func (c *receive) windowWraps(r *event.Window, before *pathState) {
	if wrapped(before.row.Cum, r.Path.Cum) {
		c.wrap.hit(wrapPsn)
	}
	if before.row.HighValid && r.Path.HighValid && wrapped(before.row.HighTsn, r.Path.HighTsn) {
		c.wrap.hit(wrapTsn)
	}
	if before.row.Epoch == 15 && r.Path.Epoch == 0 {
		c.wrap.hit(wrapEpoch)
	}
	if wrapped(before.time, r.In.TxTime) {
		c.wrap.hit(wrapTime)
	}
}

// kindIndex numbers the opcodes that carry a message; -1: another.
func kindIndex(op wire.Opcode) int {
	switch op {
	case wire.OpcodeWrite:
		return 0
	case wire.OpcodeWriteImm:
		return 1
	case wire.OpcodeSend:
		return 2
	case wire.OpcodeSendImm:
		return 3
	}
	return -1
}

// requestKind numbers the requests too.
func requestKind(op wire.Opcode) int {
	switch op {
	case wire.OpcodeReadRequest:
		return 4
	case wire.OpcodeAtomicRequest:
		return 5
	}
	return kindIndex(op)
}

// matchStep notes wraps of recv_index; outcomes are counted at the message table, which knows the opcode.
func (c *receive) matchStep(record []byte) {
	var r event.Recv
	if event.Kind(record[1]) != event.KindRecv || r.Decode(record) != nil || r.Head.Op != event.RecvMatch {
		return
	}
	if r.In.RecvIndex == 0 && r.Out.Syndrome == wire.SyndromeNone {
		c.wrap.hit(wrapRecv)
	}
}

var matchSyndromes = map[wire.Syndrome]int{wire.SyndromeNone: 0, wire.SyndromeRnr: 1, wire.SyndromeKey: 2, wire.SyndromeBounds: 3,
	wire.SyndromePermission: 4, wire.SyndromeLength: 5}

func (c *receive) message(r *event.Message) {
	if r.Out.Nak {
		c.nak.hit(int(r.Out.Syndrome) - 1)
		if kind := requestKind(r.In.Opcode); kind >= 0 && r.Head.Op == event.MessagePacket {
			c.refusal.hit(kind, int(r.Out.Syndrome)-1)
		}
	}
	switch r.Head.Op {
	case event.MessageQuery:
		c.reply.hit(int(r.Out.Syndrome))
	case event.MessagePacket:
		if kind := kindIndex(r.In.Opcode); kind >= 0 {
			c.match.hit(kind, matchSyndromes[r.In.SyndromeIn])
			c.verdict.hit(int(r.Out.Verdict)-1, kind)
		}
		if r.In.Msn == 0 && r.Out.Verdict == event.VerdictPlace {
			c.wrap.hit(wrapMsn)
		}
		c.outcome(r)
	}
}

// outcome settles a packet that is not placed: with the refusal that it brought, or else with the one that key or
// receive found in it.
func (c *receive) outcome(r *event.Message) {
	at, ok := c.waiting[r.Head.Xid]
	if !ok || r.Out.Verdict == event.VerdictPlace {
		return
	}
	delete(c.waiting, r.Head.Xid)
	syndrome := r.In.SyndromeIn
	if r.Out.Nak {
		syndrome = r.Out.Syndrome
	}
	c.settle(at, syndrome)
}

func (c *receive) placeStep(r *event.Place) {
	switch {
	case r.In.Error:
		c.place.hit(2)
	case r.Head.Op == event.PlaceEmpty:
		c.place.hit(3)
	default:
		c.place.hit(b2i(r.Out.Done))
	}
	at, ok := c.waiting[r.Head.Xid]
	if !ok {
		return
	}
	delete(c.waiting, r.Head.Xid)
	if r.In.Error {
		c.settle(at, wire.SyndromeRemoteOp)
	} else {
		c.settle(at, wire.SyndromeNone)
	}
}

func (c *receive) completeStep(r *event.Complete) {
	if !r.Out.Release {
		return
	}
	c.complete.hit(int(r.Head.Op), b2i(r.Out.RunNext), b2i(r.Out.Notice))
	if r.Stream.Completed == 0 {
		c.wrap.hit(wrapCompleted)
	}
}

func (c *receive) ackSide(record []byte) {
	switch event.Kind(record[1]) {
	case event.KindCoalesce:
		var r event.Coalesce
		if r.Decode(record) == nil && r.Head.Op == event.CoalescePacket {
			c.coalesce.hit(wish(&r))
		}
	case event.KindCtimer:
		var r event.Ctimer
		if r.Decode(record) == nil {
			c.timer.hit(b2i(r.In.Builds != r.In.ArmedBuilds) + 2*b2i(r.In.Pending))
		}
	case event.KindAck:
		var r event.Ack
		if r.Decode(record) == nil && r.Head.Op <= event.AckAnswer {
			at := int(r.Head.Op)
			if r.Out.Notice && r.Head.Op <= event.AckTimer {
				at += 5
			}
			c.build.hit(at)
		}
	}
}

// wish is the outcome of a coalesce step.
func wish(r *event.Coalesce) int {
	switch {
	case r.In.AckNow && r.Out.Push:
		return 0
	case r.In.AckNow:
		return 1
	case r.Out.Push:
		return 3
	case r.Out.Arm:
		return 5
	case r.In.Pending:
		return 4
	}
	return 2
}
