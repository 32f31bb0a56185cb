package endpoint

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// traffic is work of all kinds on some streams of both ends of a connection, each request in memory of its own, so that
// what has to be in memory can be told for every one of them at any time.
type traffic struct {
	w       *world
	conn    [2]uint16
	streams int
	jobs    [2][][]job // by requester and stream, in the order of posting
	done    [2][]int   // requester: completions seen
	placed  [2][]int   // by requester: completions that its peer gave
	recvs   [2][]int   // receiver: receives posted
	needs   [2][]int   // receiver: receives that will be needed
	next    uint64     // address
	total   int
	seen    int
}

type job struct {
	Work
	recvAt uint64 // where a Send goes
	expect uint64 // atomic: value before
}

func newTraffic(w *world, streams uint8, paths uint8) *traffic {
	a, b := w.connect(paths, streams)
	return trafficOn(w, a, b, streams)
}

// trafficOn is traffic on a connection that is open.
func trafficOn(w *world, a, b uint16, streams uint8) *traffic {
	x := &traffic{w: w, streams: 1 << streams, next: 64, conn: [2]uint16{a, b}}
	for i := range 2 {
		x.jobs[i] = make([][]job, x.streams)
		x.done[i], x.placed[i] = make([]int, x.streams), make([]int, x.streams)
		x.recvs[i], x.needs[i] = make([]int, x.streams), make([]int, x.streams)
	}
	w.check = x.completed
	return x
}

func (x *traffic) room(n uint32) uint64 {
	at := x.next
	x.next += uint64(n) + 64&^7
	x.next = (x.next + 7) &^ 7
	return at
}

// post draws and posts one request.
func (x *traffic) post(host int, most uint32) {
	w := x.w
	stream := int(w.rng.Below(uint64(x.streams)))
	j := job{}
	j.ID = uint64(x.total)
	j.Rkey = testKey
	ops := []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm,
		wire.OpcodeReadRequest, wire.OpcodeAtomicRequest}
	j.Op = ops[w.rng.Below(uint64(len(ops)))]
	j.Length = uint32(w.rng.Below(uint64(most) + 1))
	if w.rng.Permille(300) {
		j.Length = uint32(w.rng.Below(64))
	}
	j.Imm = uint32(w.rng.Uint64())
	if j.Op == wire.OpcodeAtomicRequest {
		j.Length = 8
	}
	j.Local, j.Remote = x.room(j.Length), x.room(j.Length)
	switch j.Op {
	case wire.OpcodeReadRequest:
		w.fillMemory(1-host, j.Remote, j.Length, j.ID+1)
	case wire.OpcodeAtomicRequest:
		w.fillMemory(1-host, j.Remote, 8, j.ID+1)
		j.expect = w.word(1-host, j.Remote)
		j.Add, j.Compare, j.Operand = w.rng.Permille(500), j.expect+w.rng.Below(2), w.rng.Uint64()
	default:
		w.fillMemory(host, j.Local, j.Length, j.ID+1)
	}
	if consumes(j.Op) {
		x.needs[1-host][stream]++
		j.recvAt = x.room(j.Length)
		if j.Op != wire.OpcodeWriteImm {
			j.Remote = 0
		}
	}
	x.jobs[host][stream] = append(x.jobs[host][stream], j)
	x.total++
	w.post(host, x.conn[host], uint16(stream), j.Work)
}

// postRecvs posts up to n receives that are needed and not there yet.
func (x *traffic) postRecvs(host, n int) {
	for stream := range x.streams {
		at := 0 // of the receives that are needed
		for i := range x.jobs[1-host][stream] {
			j := &x.jobs[1-host][stream][i]
			if !consumes(j.Op) {
				continue
			}
			if at == x.recvs[host][stream] && n > 0 {
				index, err := x.w.nics[host].PostRecv(x.conn[host], uint16(stream), uint32(j.ID), j.recvAt, j.Length)
				if err != nil {
					return // as many as there is room for
				}
				require.Equal(x.w.t, uint32(at), index)
				x.recvs[host][stream]++
				n--
			}
			at++
		}
	}
}

func (w *world) word(host int, addr uint64) uint64 {
	var b [8]byte
	w.mem[host].Read(addr, b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// completed holds each completion against the order of its stream and against memory as it stands now.
func (x *traffic) completed(host int, c *Completion) {
	t, w := x.w.t, x.w
	require.Equal(t, StatusOK, c.Status, "%+v", *c)
	from := host
	if c.Responder {
		from = 1 - host
	}
	at := &x.done[from][c.Stream]
	if c.Responder {
		at = &x.placed[from][c.Stream]
	}
	require.Less(t, *at, len(x.jobs[from][c.Stream]), "one too many: %+v", *c)
	j := &x.jobs[from][c.Stream][*at]
	require.Equal(t, uint32(*at), c.Msn)
	*at++
	require.Equal(t, j.Op, c.Op)
	require.Equal(t, j.Length, c.Bytes)
	if c.Responder {
		require.Equal(t, consumes(j.Op), c.Receive)
		if c.Receive {
			require.Equal(t, j.ID, c.ID)
		}
		if j.Op == wire.OpcodeWriteImm || j.Op == wire.OpcodeSendImm {
			require.Equal(t, j.Imm, c.Imm)
		}
	} else {
		require.Equal(t, j.ID, c.ID)
		x.seen++
		require.LessOrEqual(t, *at, x.placed[from][c.Stream], "told to the requester before it is complete at the responder")
	}
	x.inMemory(w, from, j, c)
}

// inMemory holds memory behind a completion.
func (x *traffic) inMemory(w *world, from int, j *job, c *Completion) {
	t := w.t
	switch j.Op {
	case wire.OpcodeWrite, wire.OpcodeWriteImm:
		require.True(t, w.sameBytes(from, j.Local, 1-from, j.Remote, j.Length), "Write %d", j.ID)
	case wire.OpcodeSend, wire.OpcodeSendImm:
		require.True(t, w.sameBytes(from, j.Local, 1-from, j.recvAt, j.Length), "Send %d", j.ID)
	case wire.OpcodeReadRequest:
		if !c.Responder {
			require.True(t, w.sameBytes(from, j.Local, 1-from, j.Remote, j.Length), "Read %d", j.ID)
		}
	case wire.OpcodeAtomicRequest:
		want := j.expect
		if j.Add {
			want += j.Operand
		} else if j.expect == j.Compare {
			want = j.Operand
		}
		require.Equal(t, want, w.word(1-from, j.Remote), "atomic %d: once, and not twice", j.ID)
		if !c.Responder {
			require.Equal(t, j.expect, c.Value)
			require.Equal(t, j.expect, w.word(from, j.Local))
		}
	}
}

// drive posts and receives at random until all is complete.
func (x *traffic) drive(jobs int, most uint32, limit sim.Picos) {
	w := x.w
	posted, lastRecv := 0, w.now
	for x.seen < jobs || x.total < jobs {
		switch {
		case posted < jobs && w.rng.Permille(30):
			x.post(int(w.rng.Below(2)), most)
			posted++
		case w.rng.Permille(20), w.now > lastRecv+200e6: // often enough for the attempts that a message has
			x.postRecvs(0, 1+int(w.rng.Below(4)))
			x.postRecvs(1, 1+int(w.rng.Below(4)))
			lastRecv = w.now
		default:
			if !w.step() {
				w.now += 1e6
				x.postRecvs(0, 10)
				x.postRecvs(1, 10)
				if posted < jobs {
					x.post(int(w.rng.Below(2)), most)
					posted++
				}
			}
		}
		if w.now > limit {
			require.FailNow(w.t, "took too long", "%d of %d complete at %v: %s", x.seen, jobs, w.now, w.describe())
		}
	}
}

// TestTraffic: whatever the channel does, every request completes once, in order, with the right bytes.
func TestTraffic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "planes")
		w := newWorld(t, rapid.Uint64().Draw(t, "seed"), func(c *Config) {
			c.Planes = planes
			c.Mtu = rapid.SampledFrom([]uint16{256, 1000, 4096}).Draw(t, "mtu")
			c.Recvs, c.Paths, c.RnrPause = 8, 16, 50_000
		})
		w.trouble = trouble{
			lose:   rapid.SampledFrom([]uint16{0, 10, 100, 300}).Draw(t, "lose"),
			lose2:  rapid.SampledFrom([]uint16{0, 10, 100, 300}).Draw(t, "lose control"),
			double: rapid.SampledFrom([]uint16{0, 100}).Draw(t, "double"),
			late:   rapid.SampledFrom([]uint16{0, 50, 300}).Draw(t, "late"),
			lateBy: rapid.SampledFrom([]sim.Picos{1e6, 1e7, 1e8}).Draw(t, "late by"),
			mark:   rapid.SampledFrom([]uint16{0, 100, 1000}).Draw(t, "mark"),
		}
		x := newTraffic(w, uint8(rapid.IntRange(0, 2).Draw(t, "streams")), rapid.SampledFrom([]uint8{4, 8, 16}).Draw(t, "paths"))
		jobs := rapid.IntRange(1, 40).Draw(t, "jobs")
		x.drive(jobs, 30_000, 20e12)
		w.trouble = trouble{}
		w.settle(2e12)
		w.quiet()
		for from := range 2 {
			for s := range x.streams {
				require.Equal(t, len(x.jobs[from][s]), x.placed[from][s])
			}
		}
	})
}
