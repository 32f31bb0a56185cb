package admit_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// write is a Write that nothing is wrong with.
func write() modeltest.Packet {
	return modeltest.Packet{
		Base:    wire.Base{Opcode: wire.OpcodeWrite, Epoch: 3, FlagA: true, FlagL: true, DstConn: 0x050002, Path: 1, Psn: 10, Tsn: 11, TxTime: 12},
		Message: wire.Message{Stream: 7, Msn: 8, Length: 50, Offset: 9}, Target: wire.Target{Rkey: 0x101, Addr: 1 << 40},
		Payload: []byte("thirteen byte"),
	}
}

const (
	ipv4At = 14
	udpAt  = ipv4At + 20
	baseAt = udpAt + 8
)

// fixIP sets the header checksum right again.
func fixIP(f []byte) {
	f[ipv4At+10], f[ipv4At+11] = 0, 0
	sum := uint32(0)
	for i := ipv4At; i < udpAt; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(f[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(f[ipv4At+10:], ^uint16(sum))
}

// seal sets the ICRC right again.
func seal(f []byte) {
	body := f[baseAt : len(f)-4]
	binary.LittleEndian.PutUint32(f[len(f)-4:], wire.ICRC(body))
}

// resized sets the lengths of IP and UDP to the frame's.
func resized(f []byte) []byte {
	binary.BigEndian.PutUint16(f[ipv4At+2:], uint16(len(f)-ipv4At))
	binary.BigEndian.PutUint16(f[udpAt+4:], uint16(len(f)-udpAt))
	fixIP(f)
	return f
}

func datagram(b []byte) []byte { return modeltest.Net{}.Wrap(modeltest.Seal(b)) }

// parserReasons has one frame or more for each reason that the parser gives, each wrong in one way.
var parserReasons = []struct {
	name   string
	frame  func() []byte
	reason event.Reason
}{
	{"whole", func() []byte { p := write(); return p.Frame() }, event.ReasonNone},
	{"no bytes", func() []byte { return nil }, event.ReasonRunt},
	{"13 bytes", func() []byte { p := write(); return p.Frame()[:13] }, event.ReasonRunt},
	{"one byte too long", func() []byte { p := write(); p.Tail = preset.MaxFrame + 1 - len(p.Frame()); return p.Frame() }, event.ReasonTooLong},
	{"as long as may be", func() []byte { p := write(); p.Tail = preset.MaxFrame - len(p.Frame()); return p.Frame() }, event.ReasonNone},
	{"ARP", func() []byte { p := write(); f := p.Frame(); f[13] = 6; return f }, event.ReasonEthertype},
	{"two VLAN tags", func() []byte { p := write(); p.VLAN = true; f := p.Frame(); f[16], f[17] = 0x81, 0; return f }, event.ReasonEthertype},
	{"ends inside the VLAN tag", func() []byte { p := write(); p.VLAN = true; return p.Frame()[:17] }, event.ReasonEthertype},
	{"ends inside IPv4", func() []byte { p := write(); return p.Frame()[:udpAt-1] }, event.ReasonIpHeader},
	{"IPv4 with another version", func() []byte { p := write(); f := p.Frame(); f[ipv4At] = 0x65; fixIP(f); return f }, event.ReasonIpHeader},
	{"IPv4 options", func() []byte { p := write(); f := p.Frame(); f[ipv4At] = 0x46; fixIP(f); return f }, event.ReasonIpHeader},
	{"more fragments", func() []byte { p := write(); f := p.Frame(); f[ipv4At+6] = 0x20; fixIP(f); return f }, event.ReasonIpHeader},
	{"fragment offset", func() []byte { p := write(); f := p.Frame(); f[ipv4At+7] = 1; fixIP(f); return f }, event.ReasonIpHeader},
	{"header checksum", func() []byte { p := write(); f := p.Frame(); f[ipv4At+8]--; return f }, event.ReasonIpHeader},
	{"ends inside IPv6", func() []byte { p := write(); p.IPv6 = true; return p.Frame()[:14+39] }, event.ReasonIpHeader},
	{"IPv6 with another version", func() []byte { p := write(); p.IPv6 = true; f := p.Frame(); f[14] = 0x50; return f }, event.ReasonIpHeader},
	{"IPv4 length beyond the frame", func() []byte { p := write(); f := p.Frame(); return f[:len(f)-1] }, event.ReasonIpLength},
	{"IPv4 length below its header", func() []byte { p := write(); f := p.Frame(); f[ipv4At+2], f[ipv4At+3] = 0, 19; fixIP(f); return f }, event.ReasonIpLength},
	{"IPv6 length beyond the frame", func() []byte { p := write(); p.IPv6 = true; f := p.Frame(); return f[:len(f)-1] }, event.ReasonIpLength},
	{"TCP", func() []byte { p := write(); f := p.Frame(); f[ipv4At+9] = 6; fixIP(f); return f }, event.ReasonNotUdp},
	{"IPv6 extension header", func() []byte { p := write(); p.IPv6 = true; f := p.Frame(); f[20] = 0; return f }, event.ReasonNotUdp},
	{"UDP header cut short", func() []byte { p := write(); return resized(p.Frame()[:udpAt+7]) }, event.ReasonUdpLength},
	{"UDP length too small", func() []byte { p := write(); f := p.Frame(); f[udpAt+5]--; return f }, event.ReasonUdpLength},
	{"another port", func() []byte { p := write(); p.Dport = 4791; return p.Frame() }, event.ReasonUdpPort},
	{"nothing in it", func() []byte { return modeltest.Net{}.Wrap(nil) }, event.ReasonShort},
	{"20 bytes", func() []byte { return modeltest.Net{}.Wrap(make([]byte, 20)) }, event.ReasonShort},
	{"no multiple of 4", func() []byte { return modeltest.Net{}.Wrap(make([]byte, 25)) }, event.ReasonShort},
	{"ICRC", func() []byte { p := write(); f := p.Frame(); f[len(f)-1] ^= 1; return f }, event.ReasonIcrc},
	{"version 2", func() []byte { p := write(); p.Version = 2; return p.Frame() }, event.ReasonVersion},
	{"version before opcode", func() []byte { p := write(); f := p.Frame(); f[baseAt], f[baseAt+1] = 0x20, 0xff; seal(f); return f }, event.ReasonVersion},
	{"unknown opcode", func() []byte { p := write(); f := p.Frame(); f[baseAt+1] = 0xee; seal(f); return f }, event.ReasonOpcode},
	{"shorter than its headers", func() []byte {
		p := write()
		p.Payload = nil
		b := p.Datagram()
		return datagram(b[:len(b)-8])
	}, event.ReasonHeaderLength},
	{"flush with payload", func() []byte {
		p := modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeFlush}, Payload: []byte{1}}
		return p.Frame()
	}, event.ReasonHeaderLength},
	{"more padding than room", func() []byte {
		p := write()
		p.Payload = nil
		f := p.Frame()
		f[baseAt+2] |= 1
		seal(f)
		return f
	}, event.ReasonHeaderLength},
	{"payload too long", func() []byte { p := write(); p.Payload = make([]byte, preset.MaxPayload+4); return p.Frame() }, event.ReasonHeaderLength},
	{"longest payload", func() []byte { p := write(); p.Payload = make([]byte, preset.MaxPayload); return p.Frame() }, event.ReasonNone},
	{"acknowledgement", func() []byte { p := modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeAck}}; return p.Frame() }, event.ReasonNotReceiver},
	{"response", func() []byte {
		p := modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeReadResponse}, Payload: []byte{1}}
		return p.Frame()
	}, event.ReasonNotReceiver},
}

func TestReasons(t *testing.T) {
	reached := map[event.Reason]bool{}
	for _, c := range parserReasons {
		t.Run(c.name, func(t *testing.T) {
			frame := c.frame()
			d := event.Desc{Xid: 5, Psn: 6}
			require.Equal(t, c.reason, admit.Parse(frame, preset.UDPPort, &d))
			reached[c.reason] = true
			if c.reason != event.ReasonNone {
				require.Equal(t, event.Desc{Reason: c.reason, Room: 1, FrameLen: uint16(len(frame))}, d)
				require.Nil(t, admit.Payload(frame, &d))
			}
		})
	}
	for r := event.ReasonNone; r <= event.ReasonNotReceiver; r++ {
		require.True(t, reached[r], "reason %v has no frame", r)
	}
}

// TestDescriptor: every field of every kind comes out where it belongs, whatever lies below.
func TestDescriptor(t *testing.T) {
	kinds := []wire.Opcode{
		wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest,
		wire.OpcodeAtomicRequest, wire.OpcodeFlush, wire.OpcodeProbe,
	}
	rapid.Check(t, func(t *rapid.T) {
		u32 := func(n string) uint32 { return rapid.Uint32().Draw(t, n) }
		p := modeltest.Packet{
			Net: modeltest.Net{
				VLAN: rapid.Bool().Draw(t, "vlan"), IPv6: rapid.Bool().Draw(t, "ipv6"), Ce: rapid.Bool().Draw(t, "ce"),
				Sport: uint16(rapid.IntRange(1, 65535).Draw(t, "sport")), Tail: rapid.IntRange(0, 9).Draw(t, "tail"),
			},
			Base: wire.Base{
				Opcode: rapid.SampledFrom(kinds).Draw(t, "opcode"), Epoch: uint8(u32("epoch") & 15), FlagA: rapid.Bool().Draw(t, "a"),
				FlagD: rapid.Bool().Draw(t, "d"), FlagL: rapid.Bool().Draw(t, "l"), FlagR: true, FlagB: true,
				DstConn: u32("dst") & 0xffffff, Path: uint8(u32("path")), Psn: u32("psn"), Tsn: u32("tsn"), TxTime: u32("time"),
			},
			Message: wire.Message{Stream: uint16(u32("stream")), Attempt: uint8(u32("attempt") & 15), Msn: u32("msn"), Length: u32("length"), Offset: u32("offset")},
			Target:  wire.Target{Rkey: u32("rkey"), Addr: rapid.Uint64().Draw(t, "addr")},
			Match:   wire.Match{RecvIndex: u32("recv")}, Imm: wire.Imm{ImmValue: u32("imm")},
		}
		p.Read = wire.Read{Stream: p.Message.Stream, Msn: p.Message.Msn, Rkey: 1, Addr: 2, Length: 3}
		p.Atomic = wire.Atomic{Stream: p.Message.Stream, Msn: p.Message.Msn, Rkey: 1, Addr: 2}
		p.Probe = wire.Probe{Port: uint16(u32("port")), NewEpoch: uint8(u32("new") & 15), Query: rapid.Bool().Draw(t, "query"), Txn: uint8(u32("txn")), Stream: p.Message.Stream, Msn: p.Message.Msn}
		kind := wire.Kinds[p.Opcode]
		if kind.Payload {
			p.Payload = rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "payload")
		}
		frame := p.Frame()
		want := event.Desc{
			Room: 1, FrameLen: uint16(len(frame)), Sport: p.Sport, Ce: p.Ce, Opcode: p.Opcode, Epoch: p.Epoch, FlagA: p.FlagA, FlagD: p.FlagD, FlagL: p.FlagL,
			DstConn: p.DstConn, Path: p.Path, Psn: p.Psn, Tsn: p.Tsn, TxTime: p.Base.TxTime, PayloadLen: uint16(len(p.Payload)), HdrLen: uint8(kind.HeaderLen),
		}
		if len(p.Payload) > 0 {
			want.BufBeats = uint8((kind.HeaderLen + len(p.Payload) + 63) / 64)
		}
		for _, id := range kind.Headers {
			switch id {
			case wire.HeaderMessage:
				m := p.Message
				want.Stream, want.Attempt, want.Msn, want.Length, want.Offset = m.Stream, m.Attempt, m.Msn, m.Length, m.Offset
			case wire.HeaderTarget:
				want.Rkey, want.Addr = p.Target.Rkey, p.Target.Addr
			case wire.HeaderMatch:
				want.RecvIndex = p.RecvIndex
			case wire.HeaderImm:
				want.ImmValue = p.ImmValue
			case wire.HeaderRead, wire.HeaderAtomic:
				want.Stream, want.Msn = p.Message.Stream, p.Message.Msn
			case wire.HeaderProbe:
				want.Stream, want.Msn = p.Message.Stream, p.Message.Msn
				want.Port, want.NewEpoch, want.Query, want.Txn = p.Port, p.NewEpoch, p.Query, p.Probe.Txn
			}
		}
		var d event.Desc
		require.Equal(t, event.ReasonNone, admit.Parse(frame, preset.UDPPort, &d))
		require.Equal(t, want, d)
		require.Equal(t, string(p.Payload), string(admit.Payload(frame, &d)))
	})
}

// TestEveryBitCounts: no bit of the UDP payload can change unseen, and none below it can change what is placed.
func TestEveryBitCounts(t *testing.T) {
	p := write()
	p.VLAN = true
	frame := p.Frame()
	var good event.Desc
	admit.Parse(frame, preset.UDPPort, &good)
	payload := string(admit.Payload(frame, &good))
	for bit := range 8 * len(frame) {
		frame[bit/8] ^= 1 << (bit % 8)
		var d event.Desc
		reason := admit.Parse(frame, preset.UDPPort, &d)
		if bit/8 >= baseAt+4 {
			require.Equal(t, event.ReasonIcrc, reason, "bit %d", bit)
		}
		if reason == event.ReasonNone {
			require.Equal(t, payload, string(admit.Payload(frame, &d)), "bit %d", bit)
			d.Sport, d.Ce = good.Sport, good.Ce // the ports and ECN are not covered by the ICRC
			require.Equal(t, good, d, "bit %d", bit)
		}
		frame[bit/8] ^= 1 << (bit % 8)
	}
}

// TestEveryTruncation ends in a reason.
func TestEveryTruncation(t *testing.T) {
	for _, net := range []modeltest.Net{{}, {VLAN: true}, {IPv6: true}} {
		p := write()
		p.Net = net
		frame := p.Frame()
		for n := range frame {
			var d event.Desc
			require.NotEqual(t, event.ReasonNone, admit.Parse(frame[:n], preset.UDPPort, &d), "%d of %d bytes", n, len(frame))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range parserReasons {
		f.Add(c.frame())
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var d event.Desc
		reason := admit.Parse(frame, preset.UDPPort, &d)
		payload := admit.Payload(frame, &d)
		if reason != event.ReasonNone {
			require.Equal(t, event.Desc{Reason: reason, Room: 1, FrameLen: uint16(min(len(frame), 0xffff))}, d)
			return
		}
		require.Len(t, payload, int(d.PayloadLen))
		require.True(t, wire.Kinds[d.Opcode].Side.Receiver())
	})
}

// FuzzDatagram gets past the ICRC: what is read behind it is any bytes.
func FuzzDatagram(f *testing.F) {
	for _, c := range parserReasons {
		if frame := c.frame(); len(frame) > baseAt+4 {
			f.Add(frame[baseAt : len(frame)-4])
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		body = body[:min(len(body), 9000)&^3]
		frame := datagram(body)
		var d event.Desc
		switch reason := admit.Parse(frame, preset.UDPPort, &d); reason {
		case event.ReasonNone:
			kind := wire.Kinds[d.Opcode]
			require.Equal(t, kind.HeaderLen, int(d.HdrLen))
			require.Equal(t, string(body[d.HdrLen:int(d.HdrLen)+int(d.PayloadLen)]), string(admit.Payload(frame, &d)))
			require.LessOrEqual(t, len(body)-int(d.HdrLen)-int(d.PayloadLen), 3, "more than padding is left over")
		case event.ReasonShort, event.ReasonVersion, event.ReasonOpcode, event.ReasonHeaderLength, event.ReasonNotReceiver:
		default:
			t.Fatalf("reason %v of a frame that is whole below", reason)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	p := write()
	frame := p.Frame()
	var d event.Desc
	b.ReportAllocs()
	for range b.N {
		admit.Parse(frame, preset.UDPPort, &d)
	}
}
