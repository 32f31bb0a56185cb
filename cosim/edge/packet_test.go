package edge

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// part is a field of a struct that is written by hand, most significant first.
type part struct {
	width int
	value uint64
}

func concat(t *testing.T, parts ...part) *big.Int {
	sum := new(big.Int)
	for _, p := range parts {
		x := new(big.Int).SetUint64(p.value)
		require.LessOrEqual(t, x.BitLen(), p.width)
		sum.Or(sum.Lsh(sum, uint(p.width)), x)
	}
	return sum
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// buildWidth is MR_BUILD_W of rtl/common/mr_link.svh.
const buildWidth = 466

// build is one packet: what ack hands over, and the bytes that model/ack makes of it.
type build struct {
	op          uint8
	xid         uint32
	conn, sport uint16
	path        uint8
	in          event.AckIn
	out         event.AckOut
	row         event.WindowPath
	notice      ack.Notice
	reply       ack.Reply
	completed   uint32
}

func (m *maker) build() *build {
	b := &build{op: uint8(m.IntN(5)), xid: m.Uint32(), conn: uint16(m.Uint32()), sport: uint16(m.Uint32()), path: uint8(m.Uint32())}
	b.in = event.AckIn{Now: m.Uint32(), Hint: m.Uint32() & 0xf_ffff, HintGen: uint8(m.Uint32())}
	b.out = event.AckOut{Held: m.Uint32() & 0xff_ffff}
	b.row = event.WindowPath{
		Cum: m.Uint32(), HighPsn: m.Uint32(), HighTsn: m.Uint32(), HighValid: m.one(2), Epoch: uint8(m.IntN(16)), LastCe: m.one(2),
		Packets: m.Uint32(), Bytes: m.Uint64() & 0xffff_ffff_ffff, Ce: m.Uint32(), Dups: m.Uint32(), TooNew: m.Uint32(),
		LastPsn: m.Uint32(), LastTime: m.Uint32(), LastNow: m.Uint32(), LastSport: uint16(m.Uint32()), LastD: m.one(2),
		Peer: m.Uint32() & 0xff_ffff, Vector: wire.Bitmap256{m.Uint64(), m.Uint64(), m.Uint64(), m.Uint64()},
	}
	if m.one(2) {
		b.notice = ack.Notice{Valid: true, Stream: uint16(m.Uint32()), Completed: m.Uint32()}
	}
	if b.op >= event.AckNak {
		b.notice = ack.Notice{}
		b.reply = ack.Reply{
			Xid: m.Uint32(), Conn: b.conn, Path: b.path, PathRow: uint16(m.Uint32()), Stream: uint16(m.Uint32()), StreamRow: uint16(m.Uint32()),
			Sport: b.sport, TxTime: m.Uint32(), Port: uint16(m.Uint32()), NewEpoch: uint8(m.IntN(16)), Query: m.one(2), Txn: uint8(m.Uint32()),
			Syndrome: wire.Syndrome(m.IntN(9)), Attempt: uint8(m.IntN(16)), Msn: m.Uint32(),
		}
		b.completed = m.Uint32()
	}
	return b
}

func (b *build) payload() []byte {
	switch b.op {
	case event.AckNak:
		return ack.AppendNak(nil, &b.row, &b.reply, b.in.Now)
	case event.AckAnswer:
		return ack.AppendAnswer(nil, &b.row, &b.reply, b.in.Now, b.completed)
	}
	return ack.AppendAck(nil, &b.row, b.path, &b.in, &b.out, b.notice)
}

func (b *build) pack(t *testing.T, p *packer) *big.Int {
	r := &b.reply
	x := concat(t, part{32, uint64(r.Xid)}, part{16, uint64(r.Conn)}, part{8, uint64(r.Path)}, part{16, uint64(r.PathRow)},
		part{16, uint64(r.Stream)}, part{16, uint64(r.StreamRow)}, part{16, uint64(r.Sport)}, part{32, uint64(r.TxTime)},
		part{16, uint64(r.Port)}, part{4, uint64(r.NewEpoch)}, part{1, bit(r.Query)}, part{8, uint64(r.Txn)},
		part{4, uint64(r.Syndrome)}, part{4, uint64(r.Attempt)}, part{32, uint64(r.Msn)},
		part{8, uint64(b.op)}, part{32, uint64(b.xid)}, part{16, uint64(b.conn)}, part{8, uint64(b.path)}, part{16, uint64(b.sport)},
		part{32, uint64(b.in.Now)}, part{24, uint64(b.out.Held)}, part{20, uint64(b.in.Hint)}, part{8, uint64(b.in.HintGen)},
		part{1, bit(b.notice.Valid)}, part{16, uint64(b.notice.Stream)}, part{32, uint64(b.notice.Completed)}, part{32, uint64(b.completed)})
	row := p.pack(t, "WindowPath", b.row)
	return x.Or(x, row.Lsh(row, buildWidth))
}

// beats are {xid, conn, path, sport, first, last, bytes[7:0], data}.
func (b *build) beats(t *testing.T) []*big.Int {
	var out []*big.Int
	rest := b.payload()
	for first := true; len(rest) > 0; first = false {
		n := min(len(rest), beatBytes)
		x := concat(t, part{32, uint64(b.xid)}, part{16, uint64(b.conn)}, part{8, uint64(b.path)}, part{16, uint64(b.sport)},
			part{1, bit(first)}, part{1, bit(n == len(rest))}, part{8, uint64(n)})
		out = append(out, x.Or(x.Lsh(x, 8*beatBytes), lanes(rest[:n])))
		rest = rest[n:]
	}
	return out
}

func TestAckPacket(t *testing.T) {
	b := newBench(t, "mr_ack_packet_tb", "ack/mr_ack_packet.sv", "ack/tb/mr_ack_packet_tb.sv")
	p := newPacker(t)
	m := &maker{rand.New(rand.NewPCG(3, 3))}
	var builds, beats []*big.Int
	const count = 600
	for range count {
		one := m.build()
		builds = append(builds, one.pack(t, p))
		beats = append(beats, one.beats(t)...)
	}
	b.write(t, "builds.hex", builds)
	b.write(t, "beats.hex", beats)
	counts := b.run(t, fmt.Sprintf("builds=%d", len(builds)), fmt.Sprintf("beats=%d", len(beats)))
	assert.LessOrEqual(t, counts["cycles"], 2*count+10, "a packet in two cycles")
	for _, stall := range []int{4, 12} {
		b.run(t, fmt.Sprintf("builds=%d", len(builds)), fmt.Sprintf("beats=%d", len(beats)), fmt.Sprintf("stall=%d", stall))
	}
}
