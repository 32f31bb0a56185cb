package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// drawPacket draws a packet of any kind with all fields that the kind has on the wire, and no others.
func drawPacket(t *rapid.T) Packet {
	ops := make([]wire.Opcode, 0, 16)
	for op := range wire.Kinds {
		if wire.Kinds[op].Known {
			ops = append(ops, wire.Opcode(op))
		}
	}
	u8, u16, u32, u64 := rapid.Uint8(), rapid.Uint16(), rapid.Uint32(), rapid.Uint64()
	flag := rapid.Bool()
	p := Packet{Front: Front{Base: wire.Base{
		Version: preset.Version, Opcode: rapid.SampledFrom(ops).Draw(t, "opcode"), Epoch: u8.Draw(t, "epoch") & 15, Path: u8.Draw(t, "path"),
		FlagA: flag.Draw(t, "a"), FlagD: flag.Draw(t, "d"), FlagR: flag.Draw(t, "r"), FlagB: flag.Draw(t, "b"), FlagL: flag.Draw(t, "l"),
		DstConn: u32.Draw(t, "conn") & 0xffffff, Psn: u32.Draw(t, "psn"), Tsn: u32.Draw(t, "tsn"), TxTime: u32.Draw(t, "time"),
	}}}
	kind := &wire.Kinds[p.Opcode]
	for _, id := range kind.Headers {
		switch id {
		case wire.HeaderMessage:
			p.Stream, p.Attempt, p.Msn = u16.Draw(t, "stream"), u8.Draw(t, "attempt")&15, u32.Draw(t, "msn")
			p.Length, p.Offset = u32.Draw(t, "length"), u32.Draw(t, "offset")
		case wire.HeaderTarget:
			p.Rkey, p.Addr = u32.Draw(t, "rkey"), u64.Draw(t, "addr")
		case wire.HeaderMatch:
			p.RecvIndex = u32.Draw(t, "receive")
		case wire.HeaderImm:
			p.Imm = u32.Draw(t, "immediate")
		case wire.HeaderRead:
			p.Stream, p.Slot, p.Msn, p.Rkey = u16.Draw(t, "stream"), u8.Draw(t, "slot"), u32.Draw(t, "msn"), u32.Draw(t, "rkey")
			p.Addr, p.Length, p.LocalKey, p.LocalAddr = u64.Draw(t, "addr"), u32.Draw(t, "length"), u32.Draw(t, "key"), u64.Draw(t, "local")
		case wire.HeaderResponse:
			p.Slot, p.Offset, p.LocalKey, p.LocalAddr = u8.Draw(t, "slot"), u32.Draw(t, "offset"), u32.Draw(t, "key"), u64.Draw(t, "local")
		case wire.HeaderAtomic:
			p.Stream, p.Slot, p.Msn, p.Rkey = u16.Draw(t, "stream"), u8.Draw(t, "slot"), u32.Draw(t, "msn"), u32.Draw(t, "rkey")
			p.FetchAdd, p.Addr, p.Compare, p.Operand = flag.Draw(t, "add"), u64.Draw(t, "addr"), u64.Draw(t, "compare"), u64.Draw(t, "operand")
		case wire.HeaderAtomicResult:
			p.Slot, p.Operand = u8.Draw(t, "slot"), u64.Draw(t, "value")
		case wire.HeaderAck:
			p.Ack = wire.Ack{EchoPsn: u32.Draw(t, "echo"), Cum: u32.Draw(t, "cum"), HighTsn: u32.Draw(t, "high"), HighValid: flag.Draw(t, "valid"),
				Held: u32.Draw(t, "held") & 0xffffff, Hint: u32.Draw(t, "hint") & 0xfffff, HintGen: u8.Draw(t, "generation"),
				Vector: wire.Bitmap256{u64.Draw(t, "v0"), 0, 0, u64.Draw(t, "v3")}, Bytes: u64.Draw(t, "bytes"), Ce: u32.Draw(t, "ce"),
				NoticeValid: flag.Draw(t, "notice"), NoticeStream: u16.Draw(t, "stream"), NoticeMsn: u32.Draw(t, "completed")}
		case wire.HeaderNak:
			p.Stream, p.Attempt, p.Msn = u16.Draw(t, "stream"), u8.Draw(t, "attempt")&15, u32.Draw(t, "msn")
			p.Syndrome = wire.Syndrome(u8.Draw(t, "syndrome") & 15)
		case wire.HeaderProbe, wire.HeaderAnswer:
			p.Port, p.NewEpoch, p.Query, p.Txn = u16.Draw(t, "port"), u8.Draw(t, "new epoch")&15, flag.Draw(t, "query"), u8.Draw(t, "txn")
			p.Stream, p.Msn = u16.Draw(t, "stream"), u32.Draw(t, "msn")
			if id == wire.HeaderAnswer {
				p.Attempt, p.Syndrome = u8.Draw(t, "attempt")&15, wire.Syndrome(u8.Draw(t, "syndrome")&15)
				p.Completed, p.EchoTime = u32.Draw(t, "completed"), u32.Draw(t, "echo time")
			}
		case wire.HeaderControl:
			p.Control = wire.Control{Action: wire.ControlAction(u8.Draw(t, "action")), Paths: u8.Draw(t, "paths"), Streams: u8.Draw(t, "streams"),
				Txn: u16.Draw(t, "txn"), SrcConn: u32.Draw(t, "source") & 0xffffff, StartPsn: u32.Draw(t, "start"), PortRate: u32.Draw(t, "rate")}
		}
	}
	if kind.Payload {
		if p.Data = rapid.SliceOfN(u8, 0, 70).Draw(t, "payload"); len(p.Data) == 0 {
			p.Data = nil
		}
		p.PayloadLen = uint16(len(p.Data))
	}
	return p
}

// TestCodecRoundTrip: what is decoded is what was encoded, and its length is the one that links are charged for.
func TestCodecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPacket(t)
		b := p.Append([]byte{1, 2, 3})
		require.Equal(t, []byte{1, 2, 3}, b[:3])
		require.Len(t, b[3:], p.UDPBytes())
		var q Packet
		require.Equal(t, event.ReasonNone, q.Decode(b[3:]))
		p.Pad = uint8(-len(p.Data) & 3)
		require.Equal(t, p, q)
		b[3+rapid.IntRange(0, len(b)-4).Draw(t, "broken")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		require.Equal(t, event.ReasonIcrc, q.Decode(b[3:]), "one bit is wrong")
	})
}

// FuzzDecode: no bytes make the codec fail otherwise than by a reason, and what it takes is written again as it was, but
// for reserved bits and padding.
func FuzzDecode(f *testing.F) {
	for op := range wire.Kinds {
		if wire.Kinds[op].Known {
			p := Packet{Front: Front{Base: wire.Base{Opcode: wire.Opcode(op)}, PayloadLen: 5}}
			f.Add(p.Append(nil))
		}
	}
	f.Add([]byte{})
	f.Add(make([]byte, 24))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 4 {
			sum := wire.ICRC(b[:len(b)-4]) // else almost nothing gets further than the sum
			b = append([]byte(nil), b...)
			for i := range 4 {
				b[len(b)-4+i] = byte(sum >> (8 * i))
			}
		}
		var p, q Packet
		if p.Decode(b) != event.ReasonNone {
			return
		}
		again := p.Append(nil)
		require.Equal(t, event.ReasonNone, q.Decode(again))
		require.Equal(t, p, q)
		require.Len(t, again, p.UDPBytes())
	})
}

// TestAckIsTheBuilt: an acknowledgement that is sent as a Packet has the bytes that the receive side builds in lockstep.
func TestAckIsTheBuilt(t *testing.T) {
	w := newWorld(t, 1, nil)
	_, b := w.connect(2, 0)
	n := w.nics[1]
	p := Packet{Front: Front{Base: wire.Base{Opcode: wire.OpcodeWrite, DstConn: n.connName(n.conns[b]), Psn: n.conns[b].peerFirst, Tsn: 4, TxTime: 9, FlagL: true},
		Sport: 777, PayloadLen: 10, Length: 10, Rkey: testKey}, Data: make([]byte, 10)}
	n.OnPacket(1e6, 0, &p)
	row := n.conns[b].rx[0].window
	var got Packet
	require.True(t, n.Pull(3e6, 0, &got))
	require.Equal(t, wire.OpcodeAck, got.Opcode)
	require.Equal(t, uint16(777), got.Sport)
	in := event.AckIn{Now: 750, LastNow: row.LastNow, Hint: got.Ack.Hint, HintGen: got.Ack.HintGen}
	out := event.AckOut{Held: 500, Notice: true}
	want := ack.AppendAck(nil, &row, 0, &in, &out, ack.Notice{Valid: true, Completed: 1})
	require.Equal(t, want, got.Append(nil))
}
