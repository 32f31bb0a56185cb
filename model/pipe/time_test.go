package pipe_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

func cycleOf(rec []byte) uint64 { return binary.LittleEndian.Uint64(rec[8:]) }

// TestZeroLatencyIsThePureBlocks: with no latency the trace is that of an obvious loop over conn, which does in each
// cycle whatever is pending.
func TestZeroLatencyIsThePureBlocks(t *testing.T) {
	const seed, n = 5, 400
	d, err := pipe.New(pipe.Config{Params: preset.Tiny})
	require.NoError(t, err)
	r, err := conn.New(preset.Tiny)
	require.NoError(t, err)
	items := modeltest.Random(preset.Tiny, seed, n)
	modeltest.Give(items, d)
	records, err := modeltest.Records(d)
	require.NoError(t, err)

	// The loop is given frames and accesses in the cycles in which the device took them, and the rooms it gave.
	modeltest.Give(items, r)
	var dst [event.MaxRecord]byte
	at := 0
	for cycle := uint64(0); at < len(records); cycle++ {
		require.LessOrEqual(t, cycle, cycleOf(records[at]), "record %d, %v op %d, has no place", at, event.Kind(records[at][1]), records[at][2])
		for _, x := range pureOrder {
			if !pending(r, x.kind, x.op, cycle) {
				continue
			}
			given := x.kind == event.KindPacketIn || x.kind == event.KindRegister || x.kind == event.KindAck || x.kind == event.KindAdmit ||
				x.kind == event.KindMemWrite || x.kind == event.KindPacketOut
			if given && (cycleOf(records[at]) != cycle || event.Kind(records[at][1]) != x.kind || records[at][2] != x.op) {
				continue // ports take beats, ack and admit take turns: the device's choice
			}
			told := conn.Told{Cycle: cycle}
			if x.kind == event.KindAdmit {
				var e event.Admit
				require.NoError(t, e.Decode(records[at]))
				told.Room = e.In.Room
			}
			k, bad := r.Exec(x.kind, x.op, told, &dst)
			if bad != nil {
				require.Equal(t, "R-ORDER", bad.Rule, bad.Error()) // this engine was busy in this cycle
				continue
			}
			require.Equal(t, records[at], dst[:k], "record %d: %s", at, modeltest.Difference(records[at], dst[:k]))
			at++
		}
	}
	require.Empty(t, r.Leftovers())
}

type transaction struct {
	kind event.Kind
	op   uint8
}

// pureOrder is every transaction in the order of one cycle; where an engine has several, a fault and a run go first.
var pureOrder = func() (all []transaction) {
	add := func(k event.Kind, ops ...uint8) {
		for _, op := range ops {
			all = append(all, transaction{k, op})
		}
	}
	add(event.KindPacketIn, 0)
	add(event.KindAdmit, 1, 0)
	add(event.KindCoalesce, 0, 1)
	add(event.KindCtimer, 0)
	add(event.KindAck, 0, 1, 2, 3, 4)
	add(event.KindWindow, 0, 1, 2)
	add(event.KindKey, 0, 1, 2)
	add(event.KindRecv, 0, 1, 2)
	add(event.KindMessage, 4, 0, 1, 2, 3)
	add(event.KindMemWrite, 0)
	add(event.KindPlace, 0, 1)
	add(event.KindComplete, 1, 0, 2, 3)
	add(event.KindCompletion, 0)
	add(event.KindPacketOut, 0)
	add(event.KindCommandDone, 0)
	add(event.KindRegister, 0)
	return all
}()

// pending tells whether a transaction may be executed in a cycle, by the order of cause and effect alone.
func pending(r *conn.Receiver, k event.Kind, op uint8, cycle uint64) bool {
	due, ok := r.Ready(k, op)
	return ok && (k == event.KindPacketIn || k == event.KindRegister || cycle > due.From || cycle == due.From && conn.Rank(due.After) < conn.Rank(k))
}

// TestSameSeedSameBytes, and another seed gives other times but not other values.
func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) [][]byte {
		cfg := pipe.Config{Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny), Seed: seed, MemoryLo: 1, MemoryHi: 90, Stalls: stalls(50, 9)}
		d, err := pipe.New(cfg)
		require.NoError(t, err)
		modeltest.Feed(preset.Tiny, 2, 150, d)
		records, err := modeltest.Records(d)
		require.NoError(t, err)
		return records
	}
	a := run(1)
	require.Equal(t, a, run(1))
	require.NotEqual(t, a, run(2))
}

// single runs one Write of n bytes through an idle device and returns when each kind of event came, counted from the
// last beat in.
func single(t *testing.T, cfg pipe.Config, n int) map[event.Kind]uint64 {
	t.Helper()
	d, err := pipe.New(cfg)
	require.NoError(t, err)
	tr := modeltest.NewTraffic(cfg.Params, 1)
	modeltest.Give(tr.Setup(), d)
	p := tr.First(0, 0, 0)
	p.Payload = make([]byte, n)
	p.Message.Length = uint32(n)
	d.Frame(p.Frame(), 0)
	records, err := modeltest.Records(d)
	require.NoError(t, err)
	at := map[event.Kind]uint64{}
	start := uint64(0)
	for _, rec := range records {
		if event.Kind(rec[1]) == event.KindPacketIn {
			start = cycleOf(rec)
		}
		if start > 0 {
			if _, seen := at[event.Kind(rec[1])]; !seen {
				at[event.Kind(rec[1])] = cycleOf(rec) - start
			}
		}
	}
	return at
}

// TestLatenciesAddUp along the pipeline, recv included though a Write has nothing to do there.
func TestLatenciesAddUp(t *testing.T) {
	l := pipe.Latency{Parse: 10, Window: 1, Key: 2, Recv: 3, Message: 4, Issue: 5, Answer: 6, Complete: 7, Coalesce: 8, Ack: 9, Packet: 1, Out: 2}
	at := single(t, pipe.Config{Params: preset.Tiny, Latency: l, MemoryLo: 50, MemoryHi: 50}, 100)
	require.Equal(t, map[event.Kind]uint64{
		event.KindPacketIn: 0, event.KindAdmit: 10, event.KindWindow: 11, event.KindKey: 13, event.KindMessage: 20,
		event.KindMemWrite: 27, event.KindPlace: 83, event.KindComplete: 90, event.KindCompletion: 92, // three beats of the buffer
		event.KindCoalesce: 19, event.KindAck: 28, event.KindPacketOut: 30,
	}, at)
}

// TestThroughput: back-to-back frames of one beat pass at one a cycle.
func TestThroughput(t *testing.T) {
	d, err := pipe.New(pipe.Config{Params: preset.Small, Latency: pipe.DefaultLatency(preset.Small)})
	require.NoError(t, err)
	tr := modeltest.NewTraffic(preset.Small, 1)
	modeltest.Give(tr.Setup(), d)
	const n = 1000
	for i := range uint32(n) {
		p := modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeFlush, DstConn: 0x010000, Tsn: i}}
		d.Frame(p.Frame()[:], 0)
	}
	records, err := modeltest.Records(d)
	require.NoError(t, err)
	var first, last uint64
	for _, rec := range records {
		if event.Kind(rec[1]) == event.KindWindow && rec[2] == event.WindowFlush {
			if first == 0 {
				first = cycleOf(rec)
			}
			last = cycleOf(rec)
		}
	}
	frameBeats := uint64(2) // 14 + 20 + 8 + 20 + 4 bytes
	require.Equal(t, (n-1)*frameBeats, last-first)
}

// TestFrameAt takes the last beat when it is told to.
func TestFrameAt(t *testing.T) {
	d, err := pipe.New(pipe.Config{Params: preset.Tiny})
	require.NoError(t, err)
	d.FrameAt(make([]byte, 60), 100)
	d.FrameAt(make([]byte, 60), 100)
	d.FrameAt(make([]byte, 60), 250)
	records, err := modeltest.Records(d)
	require.NoError(t, err)
	var in []uint64
	for _, rec := range records {
		if event.Kind(rec[1]) == event.KindPacketIn {
			in = append(in, cycleOf(rec))
		}
	}
	require.Equal(t, []uint64{100, 101, 250}, in)
}

func TestWaits(t *testing.T) {
	d, err := pipe.New(pipe.Config{Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny)})
	require.NoError(t, err)
	d.Frame(make([]byte, 300), 7)
	d.WaitCycles(50)
	d.Read(event.RegId)
	d.WaitIdle()
	d.Write(event.RegHint, 1)
	records, err := modeltest.Records(d)
	require.NoError(t, err)
	at := func(i int) uint64 { return cycleOf(records[i]) }
	require.Len(t, records, 4)
	require.Equal(t, uint64(7+4), at(0), "gap and five beats")
	require.Equal(t, at(0)+1+50, at(2))
	require.Equal(t, at(2)+1, at(3))
}

func TestBadConfig(t *testing.T) {
	_, err := pipe.New(pipe.Config{})
	require.ErrorContains(t, err, "preset")
	_, err = pipe.New(pipe.Config{Params: preset.Tiny, Stalls: stalls(1, 0)})
	require.ErrorContains(t, err, "stall of port frame")
}

func TestSkew(t *testing.T) {
	s := pipe.NewSkew()
	head := func(k event.Kind, xid uint32, cycle uint64) []byte {
		b := make([]byte, event.RecordSize)
		b[1] = byte(k)
		binary.LittleEndian.PutUint32(b[16:], xid)
		binary.LittleEndian.PutUint64(b[8:], cycle)
		return b
	}
	for xid := uint32(1); xid <= 100; xid++ {
		at := uint64(xid) * 1000
		s.Device(head(event.KindPacketIn, xid, at+500))
		s.Model(head(event.KindPacketIn, xid, at))
		s.Device(head(event.KindAdmit, xid, at+510))
		s.Model(head(event.KindAdmit, xid, at+10+uint64(xid%10)))
		s.Device(head(event.KindAdmit, xid, at+999)) // only the first counts
	}
	s.Device(head(event.KindKey, 5, 5600))
	s.Model(head(event.KindRecv, 5, 5600))
	s.Device(head(event.KindAck, 0, 77)) // no frame
	s.Model(nil)
	require.Equal(t, []pipe.SkewRow{
		{Kind: event.KindAdmit, Events: 100, P50: 5, P99: 9, Max: 9, DeviceMean: 10, PredictMean: 14},
		{Kind: event.KindKey, Unmatched: 1},
		{Kind: event.KindRecv, Unmatched: 1},
	}, s.Rows())
}
