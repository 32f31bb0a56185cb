package mrv

import (
	"bytes"
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
)

var fateMost = [7]uint64{uint64(event.ReasonOverrun), uint64(event.ClassSet) + 1, uint64(wire.SyndromeRemoteOp), uint64(event.VerdictFatalNow), 7, u64, u16}

func decodeFate(b []byte, f *expect.Fate, p *compose.Packet) error {
	var v [7]uint64
	if err := uints("fate", b, v[:], fateMost[:]); err != nil {
		return err
	}
	*f = expect.Fate{Reason: event.Reason(v[0]), Class: event.Class(v[1] - 1), Syndrome: wire.Syndrome(v[2]), Verdict: event.Verdict(v[3])}
	if v[4] == 0 {
		if v[5] != 0 || v[6] != 0 {
			return fmt.Errorf("fate: an address without a write")
		}
		return nil
	}
	f.Write, f.Failed = v[4]&fateWrite != 0, v[4]&fateFailed != 0
	switch {
	case !f.Write:
		return fmt.Errorf("fate: write is %d", v[4])
	case v[4]&fateElsewhere != 0:
		f.Addr, f.Length = v[5], uint16(v[6])
	case p == nil || p.IsSend():
		return fmt.Errorf("fate: a write to the packet's address, which has none")
	default:
		f.Addr, f.Length = p.Addr, uint16(p.Bytes)
	}
	return nil
}

func decodeState(b []byte, p *predictor) (expect.State, error) {
	f := fields{b: b, name: "state"}
	var g field
	var d scalars
	var change []byte
	for {
		more, err := f.next(&g)
		if err != nil {
			return expect.State{}, err
		}
		if !more {
			break
		}
		switch {
		case g.number == 17 && g.wide:
			change = g.data
		case g.number <= 16 && !g.wide:
			d[g.number-1] = zigzag(g.num)
			if d[g.number-1] > 1<<48 || d[g.number-1] < -1<<48 {
				return expect.State{}, fmt.Errorf("state.%d: a difference of %d", g.number, d[g.number-1])
			}
		default:
			return expect.State{}, f.unknown(&g)
		}
	}
	s, ok := p.decode(&d, change)
	if !ok {
		return s, fmt.Errorf("state: of a packet that is not there, or with values beyond their fields")
	}
	return s, nil
}

func decodeCompletion(b []byte, c *expect.Completion) error {
	var v [8]uint64
	if err := uints("completion", b, v[:], []uint64{u32, u16, u16, u32, u8, u32, u32, u32}); err != nil {
		return err
	}
	*c = expect.Completion{Xid: uint32(v[0]), CompletionIn: event.CompletionIn{Conn: uint16(v[1]), Stream: uint16(v[2]), Msn: uint32(v[3]),
		Opcode: wire.Opcode(v[4]), Length: uint32(v[5]), ImmValue: uint32(v[6]), WrId: uint32(v[7])}}
	return nil
}

var replyMost = [8]uint64{u32, u16, u8, u8, u16, u24, 0, u32}

func decodeReply(b []byte, r *expect.Reply) error {
	f := fields{b: b, name: "reply"}
	var g field
	var v [8]uint64
	for {
		more, err := f.next(&g)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if g.number == 7 && g.wide && len(g.data) <= len(r.Body) {
			copy(r.Body[:], g.data)
			continue
		}
		if g.number > 8 {
			return f.unknown(&g)
		}
		if err := f.under(&g, replyMost[g.number-1]); err != nil {
			return err
		}
		v[g.number-1] = g.num
	}
	r.Xid, r.Path, r.Op = uint32(v[0]), expect.Path{Conn: uint16(v[1]), Index: uint8(v[2])}, wire.Opcode(v[3])
	r.Sport, r.Peer, r.Completed = uint16(v[4]), uint32(v[5]), uint32(v[7])
	return nil
}

func decodeSee(b []byte, s *expect.See) error {
	f := fields{b: b, name: "see"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		if wide := g.number <= 2 || g.number >= 8 && g.number <= 10; g.wide != wide {
			return f.unknown(&g)
		}
		switch g.number {
		case 1:
			s.What = string(g.data)
		case 2:
			s.Rule = string(g.data)
		case 3:
			s.Order = expect.Order(min(g.num, 255))
		case 4:
			s.After.Frames = uint32(min(g.num, u32))
		case 5:
			s.Within = g.num != 0
		case 6:
			s.Lo = g.num
		case 7:
			s.Hi = g.num
		case 8:
			s.Where = string(g.data)
		case 9:
			s.Text = string(g.data)
		case 10:
			var x expect.Field
			err = decodeField(g.data, &x)
			s.Fields = append(s.Fields, x)
		case 11:
			s.After.Accesses = uint32(min(g.num, u32))
		case 12:
			s.Anchor = uint32(min(g.num, u32))
		default:
			err = f.unknown(&g)
		}
		if err != nil {
			return err
		}
		if s.Order > expect.Never {
			return fmt.Errorf("see: order %d", s.Order)
		}
	}
}

func decodeField(b []byte, x *expect.Field) error {
	f := fields{b: b, name: "field"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		switch {
		case g.number == 1 && g.wide:
			x.Name = string(g.data)
		case g.number == 2 && g.wide:
			var a expect.Alternative
			if err := decodeAlternative(g.data, &a); err != nil {
				return err
			}
			x.Any = append(x.Any, a)
		default:
			return f.unknown(&g)
		}
	}
}

func decodeAlternative(b []byte, a *expect.Alternative) error {
	f := fields{b: b, name: "alternative"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		switch {
		case g.number == 1 && !g.wide:
			a.Lo = g.num
		case g.number == 2 && !g.wide:
			a.Hi = g.num
		case g.number == 3 && !g.wide:
			a.Mask = g.num
		case g.number == 4 && g.wide && len(g.data) == 32:
			a.Wide = bytes.Clone(g.data)
		default:
			return f.unknown(&g)
		}
	}
}
