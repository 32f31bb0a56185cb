package edge

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/place"
	"metaroce/tandem/model/wire"
)

// Sizes of the bench.
const (
	placeStreams = 16
	placeSlots   = 16
	ringBeats    = 1 << 14
)

// placeRun is a stimulus of the place bench, and what follows from it in order, whatever the cycle.
type placeRun struct {
	t      *testing.T
	p      *packer
	m      *maker
	xid    uint32
	cmd    uint32
	beat   int
	issued int

	tally [placeStreams * placeSlots]event.PlaceTally
	ring  []*big.Int

	descs, writes, errors, commits, dones, faults, cmds []*big.Int
	released                                            int
}

func newPlaceRun(t *testing.T, p *packer, m *maker) *placeRun {
	r := &placeRun{t: t, p: p, m: m, cmd: 0x8000_0001}
	for range ringBeats {
		r.ring = append(r.ring, new(big.Int))
	}
	return r
}

var payloadKinds = []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm}

// packet is a descriptor as message hands it on. n is its payload.
func (r *placeRun) packet(op wire.Opcode, n int) event.Desc {
	r.xid++
	m := r.m
	d := event.Desc{
		Xid: r.xid, Room: 1, FrameLen: uint16(m.Uint32()), Sport: uint16(m.Uint32()), Ce: m.one(2), Opcode: op, FlagL: m.one(2),
		DstConn: m.Uint32() & 0xff_ffff, Path: uint8(m.Uint32()), Psn: m.Uint32(), Tsn: m.Uint32(), TxTime: m.Uint32(),
		Stream: uint16(m.Uint32()), StreamRow: uint16(m.IntN(2)), Msn: uint32(m.IntN(3)) + 0xffff_ffff, Attempt: uint8(m.IntN(2)),
		Length: uint32(n * m.IntN(3)), Offset: m.Uint32(), Addr: m.Uint64(), RecvIndex: m.Uint32(), ImmValue: m.Uint32(),
		PayloadLen: uint16(n), HdrLen: uint8(wire.Kinds[op].HeaderLen), Conn: uint16(m.Uint32()), PathRow: uint16(m.Uint32()),
		WrId: m.Uint32(), Life: uint8(m.IntN(2)), Fresh: m.one(2),
	}
	if n > 0 {
		d.BufBeat = uint16(r.beat)
		d.BufBeats = uint8((int(d.HdrLen) + n + beatBytes - 1) / beatBytes)
	}
	return d
}

// add hands a descriptor over.
func (r *placeRun) add(d event.Desc, verdict event.Verdict) {
	x := r.p.pack(r.t, "Desc", d)
	v := big.NewInt(int64(verdict))
	r.descs = append(r.descs, x.Or(x, v.Lsh(v, uint(r.p.widths["Desc"]))))
	r.beat = (r.beat + int(d.BufBeats)) % ringBeats
	r.released += int(d.BufBeats)
}

// fill puts a payload of n random bytes behind the headers into the buffer, and the beats of its write into the file.
func (r *placeRun) fill(d *event.Desc) {
	whole := r.m.bytes(int(d.BufBeats) * beatBytes)
	for b := range int(d.BufBeats) {
		r.ring[(r.beat+b)%ringBeats] = lanes(whole[b*beatBytes:][:beatBytes])
	}
	rest := whole[d.HdrLen:][:d.PayloadLen]
	for first := true; len(rest) > 0; first = false {
		n := min(len(rest), beatBytes)
		x := concat(r.t, part{1, bit(first)}, part{1, bit(n == len(rest))}, part{32, uint64(d.Xid)}, part{64, d.Addr},
			part{16, uint64(d.PayloadLen)})
		r.writes = append(r.writes, x.Or(x.Lsh(x, 8*beatBytes), lanes(rest[:n])))
		rest = rest[n:]
	}
}

// place is a packet with verdict place, and what comes of it.
func (r *placeRun) place(op wire.Opcode, n int, failed bool) {
	d := r.packet(op, n)
	op8 := event.PlaceEmpty
	if n > 0 {
		r.fill(&d)
		r.errors = append(r.errors, big.NewInt(int64(bit(failed))))
		r.issued++
		op8 = event.PlaceWrite
	}
	in := event.PlaceIn{StreamRow: d.StreamRow, Life: d.Life, Msn: d.Msn, Attempt: d.Attempt, Fresh: d.Fresh, Length: d.Length, PayloadLen: d.PayloadLen,
		Addr: d.Addr, Error: failed && n > 0}
	var out event.PlaceOut
	tally := &r.tally[int(d.StreamRow)*placeSlots+int(d.Msn%placeSlots)]
	place.Step(tally, op8, &in, &out)
	r.commits = append(r.commits, r.commit(op8, &d, &in, &out, tally))
	if out.Done {
		r.dones = append(r.dones, r.done(event.CompleteDone, event.Desc{
			Xid: d.Xid, Conn: d.Conn, Path: d.Path, PathRow: d.PathRow, Stream: d.Stream, StreamRow: d.StreamRow, Life: d.Life, Msn: d.Msn,
			Opcode: d.Opcode, Length: d.Length, ImmValue: d.ImmValue, WrId: d.WrId}))
	}
	if out.Fault {
		r.faults = append(r.faults, r.p.pack(r.t, "Desc", event.Desc{
			Xid: d.Xid, Sport: d.Sport, Conn: d.Conn, Path: d.Path, PathRow: d.PathRow, Stream: d.Stream, StreamRow: d.StreamRow,
			Life: d.Life, Msn: d.Msn, Attempt: d.Attempt}))
	}
	r.add(d, event.VerdictPlace)
}

// commit packs mr_place_commit_t: op, xid, conn, path, stream, out, in, row, first field lowest.
func (r *placeRun) commit(op uint8, d *event.Desc, in *event.PlaceIn, out *event.PlaceOut, tally *event.PlaceTally) *big.Int {
	head := concat(r.t, part{16, uint64(d.Stream)}, part{8, uint64(d.Path)}, part{16, uint64(d.Conn)}, part{32, uint64(d.Xid)}, part{8, uint64(op)})
	at := uint(80)
	for _, v := range []struct {
		name string
		x    *big.Int
	}{{"PlaceOut", r.p.pack(r.t, "PlaceOut", *out)}, {"PlaceIn", r.p.pack(r.t, "PlaceIn", *in)}, {"PlaceTally", r.p.pack(r.t, "PlaceTally", *tally)}} {
		head.Or(head, v.x.Lsh(v.x, at))
		at += uint(r.p.widths[v.name])
	}
	require.Equal(r.t, r.p.widths["PlaceCommit"], int(at))
	return head
}

func (r *placeRun) done(op uint8, d event.Desc) *big.Int {
	x := r.p.pack(r.t, "Desc", d)
	v := big.NewInt(int64(op))
	return x.Or(x, v.Lsh(v, uint(r.p.widths["Desc"])))
}

// drop is a packet that goes no further; its beats are given back.
func (r *placeRun) drop(n int, verdict event.Verdict) {
	d := r.packet(payloadKinds[r.m.IntN(4)], n)
	r.add(d, verdict)
}

// command is any command; one in five is void.
func (r *placeRun) command() {
	op := event.Command(1 + r.m.IntN(9))
	d := event.Desc{Op: op, Xid: r.cmd, StreamRow: uint16(r.m.IntN(placeStreams)), Msn: r.m.Uint32(), Txn: uint8(r.m.Uint32()),
		Rkey: r.m.Uint32(), Old: r.m.one(5)}
	r.cmd++
	settles := !d.Old && (op == event.CommandStreamSet || op == event.CommandStreamClose)
	if settles {
		kind := event.CompleteSet
		if op == event.CommandStreamClose {
			kind = event.CompleteClose
		}
		r.dones = append(r.dones, r.done(kind, event.Desc{Op: op, Xid: d.Xid, StreamRow: d.StreamRow, Msn: d.Msn, Txn: d.Txn}))
	}
	r.cmds = append(r.cmds, concat(r.t, part{1, bit(settles)}, part{32, uint64(r.issued)}, part{4, uint64(op)}, part{32, uint64(d.Xid)}))
	r.add(d, event.VerdictNone)
}

func (r *placeRun) start(b *bench, plus ...string) map[string]int {
	for name, list := range map[string][]*big.Int{"descs": r.descs, "writes": r.writes, "commits": r.commits, "dones": r.dones,
		"faults": r.faults, "cmds": r.cmds} {
		b.write(r.t, name+".hex", list)
		plus = append(plus, fmt.Sprintf("%s=%d", name, len(list)))
	}
	for len(r.errors) < len(r.writes) { // the bench reads as many as there are beats
		r.errors = append(r.errors, new(big.Int))
	}
	b.write(r.t, "errors.hex", r.errors)
	b.write(r.t, "ring.hex", r.ring[:ringBeats-1])
	counts := b.run(r.t, plus...)
	assert.Equal(r.t, r.released, counts["released"], "beats given back")
	return counts
}

func TestPlace(t *testing.T) {
	b := newBench(t, "mr_place_tb", "common/mr_fifo.sv", "common/mr_ram.sv", "common/mr_lookup.sv", "common/mr_rmw.sv", "place/mr_place*.sv",
		"place/tb/mr_place_tb.sv")
	p := newPacker(t)
	m := &maker{rand.New(rand.NewPCG(4, 4))}

	for _, c := range []struct{ name, stall, latency string }{
		{"nothing held back", "stall=0", "latency=3"},
		{"every stream held back", "stall=9", "latency=40"},
		{"answers come late", "stall=1", "latency=200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newPlaceRun(t, p, m)
			for range 1200 {
				switch m.IntN(12) {
				case 0:
					r.command()
				case 1, 2:
					r.drop(m.IntN(300)*m.IntN(2), event.Verdict(m.IntN(8)+2)%9&^1) // any but place
				case 3:
					r.place(payloadKinds[m.IntN(4)], 0, false)
				case 4:
					r.place(payloadKinds[m.IntN(4)], 1+m.IntN(1200), m.one(8))
				default: // every length and header around one and two beats, often failing
					r.place(payloadKinds[m.IntN(4)], 1+m.IntN(150), m.one(8))
				}
			}
			require.Less(t, r.released, ringBeats, "the ring of the bench is filled once")
			for name, list := range map[string][]*big.Int{"dones": r.dones, "faults": r.faults, "cmds": r.cmds} {
				require.Greater(t, len(list), 20, name)
			}
			r.start(b, c.stall, c.latency)
		})
	}

	for _, c := range []struct {
		name     string
		n, beats int
	}{
		{"one write a cycle from one beat", 16, 1},
		{"64 bytes behind 48 of header: two buffer beats", 64, 2},
		{"4096 bytes", 4096, 65},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newPlaceRun(t, p, m)
			const count = 200
			for range count {
				r.place(wire.OpcodeWrite, c.n, false)
			}
			counts := r.start(b, "stall=0", "latency=3")
			assert.LessOrEqual(t, counts["cycles"], count*c.beats+2, "a beat of the packet buffer in every cycle")
		})
	}
}
