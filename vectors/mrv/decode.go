package mrv

import (
	"bytes"
	"fmt"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// uints reads a message whose fields are all varints: list[i] is field i+1, which may be up to most[i].
func uints(name string, b []byte, list, most []uint64) error {
	f := fields{b: b, name: name}
	var g field
	last := -1
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		i := int(g.number) - 1
		if i >= len(list) {
			return f.unknown(&g)
		}
		if i == last {
			return fmt.Errorf("%s: field %d twice", name, i+1)
		}
		if err := f.under(&g, most[i]); err != nil {
			return err
		}
		list[i], last = g.num, i
	}
}

const (
	u1  = 1
	u4  = 15
	u6  = 63
	u8  = 1<<8 - 1
	u16 = 1<<16 - 1
	u24 = 1<<24 - 1
	u31 = 1<<31 - 1
	u32 = 1<<32 - 1
	u64 = 1<<64 - 1
)

func decodeHeader(b []byte, h *Header) error {
	f := fields{b: b, name: "header"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		switch {
		case g.number == 1 && !g.wide:
			h.Schema = uint32(min(g.num, u32))
		case g.number == 2 && g.wide:
			h.Spec = string(g.data)
		case g.number == 3 && g.wide:
			h.Model = string(g.data)
		case g.number == 4 && g.wide:
			h.Generator = string(g.data)
		case h.Schema > Schema: // what a newer form has more is its business: it is refused by its version
		default:
			return f.unknown(&g)
		}
	}
}

func decodeVector(b []byte, v *Vector) error {
	f := fields{b: b, name: "vector"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		if g.wide == (g.number == 8) {
			return f.unknown(&g)
		}
		switch s := string(g.data); g.number {
		case 1:
			v.Name = s
		case 2:
			v.ID = s
		case 3:
			v.Kind = s
		case 4:
			v.Title = s
		case 5:
			v.Rules = append(v.Rules, s)
		case 6:
			v.Requires = append(v.Requires, s)
		case 7:
			v.Preset = s
		case 8:
			v.Seed = g.num
		case 9:
			err = decodeSource(g.data, &v.Source)
		default:
			err = f.unknown(&g)
		}
		if err != nil {
			return err
		}
	}
}

func decodeSource(b []byte, s *Source) error {
	f := fields{b: b, name: "source"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		if g.wide == (g.number == 4) {
			return f.unknown(&g)
		}
		switch g.number {
		case 1:
			s.Kind = string(g.data)
		case 2:
			s.Name = string(g.data)
		case 3:
			s.Args = string(g.data)
		case 4:
			s.Seed = g.num
		case 5:
			s.Revision = string(g.data)
		default:
			return f.unknown(&g)
		}
	}
}

var itemMost = [9]uint64{u8, u8, u16, u32, u32, u64, u64, u16, u16}

func decodeItem(b []byte, it *Item) error {
	f := fields{b: b, name: "item"}
	var g field
	var v [9]uint64
	for {
		more, err := f.next(&g)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if g.number == 10 && g.wide {
			it.Data = bytes.Clone(g.data)
			continue
		}
		if g.number > 9 {
			return f.unknown(&g)
		}
		if err := f.under(&g, itemMost[g.number-1]); err != nil {
			return err
		}
		v[g.number-1] = g.num
	}
	it.Kind, it.Port, it.Addr, it.Value, it.Gap = stimulus.Kind(v[0]), stimulus.Port(v[1]), uint16(v[2]), uint32(v[3]), uint32(v[4])
	it.Lo, it.Hi, it.Permille, it.Run = v[5], v[6], uint16(v[7]), uint16(v[8])
	if it.Kind == stimulus.KindNone || it.Kind > stimulus.KindStall || (it.Kind == stimulus.KindFrame) != (len(it.Data) > 0) || it.Port > stimulus.PortRegister {
		return fmt.Errorf("item: kind %v, port %v with %d bytes of data", it.Kind, it.Port, len(it.Data))
	}
	return nil
}

// mostPayload bounds the payload of a packet, and padding and cut of its frame: what the scenario language allows.
const (
	mostPayload = 9500
	mostFrame   = 12000
)

var packetMost = [30]uint64{u32, u8, u4, u6, u8, u24, u32, u32, u32, u16, u4, u32, u32, u32, u32, u64, u32, u32, u16, u4, u8, mostPayload, 7, u16, u16, mostFrame, mostFrame,
	uint64(len(compose.Mutations)), u16, u31}

func decodePacket(b []byte, it *Item, p *compose.Packet) error {
	var v [30]uint64
	if err := uints("packet", b, v[:], packetMost[:]); err != nil {
		return err
	}
	op := wire.Opcode(v[1])
	if !wire.Kinds[op].Known {
		return fmt.Errorf("packet: opcode %d", v[1])
	}
	bit := func(i int, n uint) bool { return v[i]>>n&1 != 0 }
	*p = compose.Packet{Op: op, Epoch: uint8(v[2]), A: bit(3, 0), D: bit(3, 1), R: bit(3, 2), B: bit(3, 3), L: bit(3, 4), Query: bit(3, 5), Path: uint8(v[4]), DstConn: uint32(v[5]),
		Psn: uint32(v[6]), Tsn: uint32(v[7]), Time: uint32(v[8]), Stream: uint16(v[9]), Attempt: uint8(v[10]), Msn: uint32(v[11]), Length: uint32(v[12]), Offset: uint32(v[13]),
		Rkey: uint32(v[14]), Addr: v[15], Recv: uint32(v[16]), Imm: uint32(v[17]), Port: uint16(v[18]), NewEpoch: uint8(v[19]), Txn: uint8(v[20]), Bytes: int(v[21]),
		Net: compose.Net{VLAN: bit(22, 0), IPv6: bit(22, 1), CE: bit(22, 2), Sport: uint16(v[23]), Dport: uint16(v[24]), PadTo: int(v[25]), Cut: int(v[26]), Bad: compose.Bad(v[27])}}
	*it = Item{Item: stimulus.Item{Kind: stimulus.KindFrame, Gap: uint32(v[0])}, Packet: p, Row: uint16(v[28]), Line: int(v[29])}
	return nil
}

func decodeAct(b []byte, a *Act) error {
	f := fields{b: b, name: "act"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		switch {
		case g.number == 1 && !g.wide && g.num <= u32:
			a.Endpoint = uint32(g.num)
		case g.number == 2 && g.wide:
			a.What = string(g.data)
		case g.number == 3 && g.wide:
			var n Named
			err = decodeNamed(g.data, &n)
			a.Values = append(a.Values, n)
		default:
			err = f.unknown(&g)
		}
		if err != nil {
			return err
		}
	}
}

func decodeNamed(b []byte, n *Named) error {
	f := fields{b: b, name: "named"}
	var g field
	for {
		more, err := f.next(&g)
		if !more || err != nil {
			return err
		}
		switch {
		case g.number == 1 && g.wide:
			n.Name = string(g.data)
		case g.number == 2 && !g.wide:
			n.Value = g.num
		case g.number == 3 && g.wide:
			n.Data = bytes.Clone(g.data)
		default:
			return f.unknown(&g)
		}
	}
}

func decodeStep(b []byte, s *Step) error {
	f := fields{b: b, name: "step"}
	var g field
	var change []byte
	for {
		more, err := f.next(&g)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case g.number == 1 && !g.wide && g.num <= u8:
			s.Op = uint8(g.num)
		case g.number == 2 && g.wide:
			s.Before = bytes.Clone(g.data)
		case g.number == 3 && g.wide:
			change = g.data
		default:
			return f.unknown(&g)
		}
	}
	if len(change) > len(s.Before) {
		return fmt.Errorf("step: a change of %d bytes in %d", len(change), len(s.Before))
	}
	s.After = bytes.Clone(s.Before)
	for i, x := range change {
		s.After[i] ^= x
	}
	return nil
}
