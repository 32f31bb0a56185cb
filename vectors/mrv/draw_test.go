package mrv

import (
	"bytes"

	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/stimulus"
)

// anyPacket draws a packet that can be stored; its kinds are those that reach memory and some that do not.
func anyPacket(t *rapid.T) compose.Packet {
	u32 := func(name string) uint32 { return rapid.Uint32().Draw(t, name) }
	p := compose.Packet{
		Op:    rapid.SampledFrom([]wire.Opcode{wire.OpcodeWrite, wire.OpcodeSend, wire.OpcodeWriteImm, wire.OpcodeFlush, wire.OpcodeProbe, wire.OpcodeReadRequest}).Draw(t, "op"),
		Epoch: uint8(rapid.IntRange(0, 15).Draw(t, "epoch")), A: rapid.Bool().Draw(t, "a"), D: rapid.Bool().Draw(t, "d"), L: rapid.Bool().Draw(t, "l"),
		Path: uint8(rapid.IntRange(0, 3).Draw(t, "path")), DstConn: u32("conn") & 3, Psn: u32("psn"), Tsn: u32("tsn"), Time: u32("time"), Stream: uint16(u32("stream")),
		Msn: u32("msn"), Length: u32("length"), Offset: u32("offset"), Rkey: u32("rkey"), Addr: rapid.Uint64().Draw(t, "addr"), Recv: u32("recv"), Imm: u32("imm"),
		Bytes: rapid.IntRange(0, 200).Draw(t, "bytes"), Net: compose.Net{CE: rapid.Bool().Draw(t, "ce"), Sport: uint16(u32("sport")), IPv6: rapid.Bool().Draw(t, "ipv6")},
	}
	if rapid.IntRange(0, 5).Draw(t, "bad") == 0 {
		p.Net.Bad = compose.BadICRC
	}
	return p
}

func anyItem(t *rapid.T) Item {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return Item{Item: stimulus.Item{Kind: stimulus.KindWaitIdle}}
	case 1:
		return Item{Item: stimulus.Item{Kind: stimulus.KindWrite, Addr: rapid.Uint16().Draw(t, "addr"), Value: rapid.Uint32().Draw(t, "value")}}
	case 2:
		return Item{Item: stimulus.Item{Kind: stimulus.KindFault, Lo: rapid.Uint64().Draw(t, "lo"), Hi: rapid.Uint64().Draw(t, "hi")}}
	case 3:
		return Item{Item: stimulus.Item{Kind: stimulus.KindFrame, Gap: rapid.Uint32().Draw(t, "gap"), Data: rapid.SliceOfN(rapid.Byte(), 1, 90).Draw(t, "data")}}
	case 4:
		return Item{Item: stimulus.Item{Kind: stimulus.KindStall, Port: stimulus.PortAck, Permille: 7, Run: 9}}
	}
	p := anyPacket(t)
	return Item{Item: stimulus.Item{Kind: stimulus.KindFrame, Gap: rapid.Uint32().Draw(t, "gap")}, Packet: &p, Row: rapid.Uint16().Draw(t, "row"), Line: 3}
}

// anyVector draws a vector whose expectations fit its stimulus in form, though no model would say them.
func anyVector(t *rapid.T, name string) *Vector {
	v := &Vector{Name: name, Kind: Receive, Title: "drawn", Rules: []string{"R-ACK", "R-WINDOW"}, Requires: []string{"receive"}, Preset: "tiny", Seed: rapid.Uint64().Draw(t, "seed"),
		Source: Source{Kind: "random", Name: "n", Args: "a b", Seed: 5, Revision: "r"}}
	v.Items = rapid.SliceOfN(rapid.Custom(anyItem), 1, 12).Draw(t, "items")
	prog := v.Program()
	v.Want.Fates = make([]expect.Fate, len(prog.Frames))
	for i := range v.Want.Fates {
		v.Want.Fates[i] = anyFate(t, &prog.Frames[i])
	}
	for _, p := range expect.Points(prog.Items) {
		v.Want.Segments = append(v.Want.Segments, anySegment(t, p, len(prog.Frames)))
	}
	v.Want.Hints = expect.Hints(prog.Items)
	if rapid.Bool().Draw(t, "see") {
		v.Sees = []expect.See{{What: "ack", Rule: "R-ACK", Order: expect.Anywhere, After: expect.Point{Frames: 1, Accesses: 2}, Anchor: 3, Within: true, Lo: 3, Hi: 9, Where: "a:1:2", Text: "ack cum=1",
			Fields: []expect.Field{{Name: "cum", Any: []expect.Alternative{{Lo: 1, Hi: 1}, {Lo: 4, Mask: 6}}}, {Name: "vector", Any: []expect.Alternative{{Wide: make([]byte, 32)}}}}}}
	}
	return v
}

func anyFate(t *rapid.T, f *compose.Frame) expect.Fate {
	fate := expect.Fate{Reason: event.Reason(rapid.IntRange(0, int(event.ReasonOverrun)).Draw(t, "reason")), Class: expect.NoClass}
	if rapid.Bool().Draw(t, "window") {
		fate.Class = event.Class(rapid.IntRange(0, 5).Draw(t, "class"))
		fate.Verdict, fate.Syndrome = event.Verdict(rapid.IntRange(0, 8).Draw(t, "verdict")), wire.Syndrome(rapid.IntRange(0, 8).Draw(t, "syndrome"))
	}
	if fate.Write = rapid.Bool().Draw(t, "write"); fate.Write {
		fate.Failed = rapid.Bool().Draw(t, "failed")
		fate.Addr, fate.Length = f.Packet.Addr, uint16(f.Packet.Bytes)
		if rapid.Bool().Draw(t, "elsewhere") {
			fate.Addr, fate.Length = rapid.Uint64().Draw(t, "addr"), rapid.Uint16().Draw(t, "length")
		}
	}
	return fate
}

func anySegment(t *rapid.T, end expect.Point, frames int) expect.Segment {
	s := expect.Segment{End: end}
	u32 := func(name string) uint32 { return rapid.Uint32().Draw(t, name) }
	for range rapid.IntRange(0, 4).Draw(t, "states") {
		x := expect.State{Path: expect.Path{Conn: uint16(rapid.IntRange(0, 3).Draw(t, "conn")), Index: uint8(rapid.IntRange(0, 3).Draw(t, "path"))}, Peer: u32("peer") & 0xffffff,
			Xid: expect.CommandBit + u32("cmd")&0xff}
		if frames > 0 && rapid.Bool().Draw(t, "frame") {
			x.Xid = uint32(rapid.IntRange(1, frames).Draw(t, "xid"))
		}
		x.Ack = expect.Report{Epoch: uint8(u32("epoch") & 15), Detour: rapid.Bool().Draw(t, "d"), Sport: uint16(u32("sport")), HighValid: true, Cum: u32("cum"), HighTsn: u32("tsn"),
			EchoPsn: u32("psn"), EchoTime: u32("time"), Packets: u32("packets"), Ce: u32("ce"), Dups: u32("dups"), Bytes: rapid.Uint64().Draw(t, "bytes") & (1<<48 - 1)}
		for i := range x.Ack.Vector {
			x.Ack.Vector[i] = rapid.Uint64().Draw(t, "vector")
		}
		s.States = append(s.States, x)
	}
	if rapid.Bool().Draw(t, "others") {
		s.Completions = []expect.Completion{{Xid: u32("xid"), CompletionIn: event.CompletionIn{Conn: 1, Stream: 2, Msn: u32("msn"), Opcode: wire.OpcodeSend, Length: u32("n"), ImmValue: 4, WrId: 5}}}
		r := expect.Reply{Path: expect.Path{Conn: 1, Index: 2}, Xid: u32("xid"), Op: wire.OpcodeAnswer, Sport: 7, Peer: 8, Completed: u32("c")}
		copy(r.Body[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "body"))
		s.Replies = []expect.Reply{r}
		s.Reads, s.Dones = []expect.Read{{Addr: 4, Value: u32("value")}}, []expect.Done{{Xid: u32("xid"), Op: event.CommandKeySet}}
	}
	return s
}

func anyFile(t *rapid.T) *File {
	f := &File{Header: Header{Schema: Schema, Spec: "00ff", Model: "0a", Generator: "test"}}
	for i := range rapid.IntRange(0, 3).Draw(t, "vectors") {
		f.Vectors = append(f.Vectors, anyVector(t, string(rune('a'+i))))
	}
	if rapid.Bool().Draw(t, "block") {
		before := rapid.SliceOfN(rapid.Byte(), 4, 40).Draw(t, "before")
		after := bytes.Clone(before)
		after[2] ^= 0x81
		f.Vectors = append(f.Vectors, &Vector{Name: "block", Kind: "window", Preset: "tiny", Steps: []Step{{Op: 2, Before: before, After: after}}})
	}
	if rapid.Bool().Draw(t, "endpoint") {
		f.Vectors = append(f.Vectors, &Vector{Name: "endpoint", Kind: Endpoint, Preset: "tiny", Acts: []Act{{Endpoint: 1, What: "post_send", Values: []Named{{Name: "bytes", Value: 7}, {Name: "b", Data: []byte{1}}}}}})
	}
	return f
}
