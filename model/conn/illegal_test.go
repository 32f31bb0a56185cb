package conn_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

func requireIllegal(t *testing.T, bad *conn.Illegal, rule string, late bool, why string) {
	t.Helper()
	require.NotNil(t, bad, "it was taken for legal")
	require.Equal(t, rule, bad.Rule)
	require.Equal(t, late, bad.Late)
	require.Contains(t, bad.Why, why)
	require.Contains(t, bad.Error(), rule)
}

// TestNothingPending: no engine and no boundary does what is not there.
func TestNothingPending(t *testing.T) {
	r, err := conn.New(preset.Tiny)
	require.NoError(t, err)
	w := &world{Receiver: r, t: t}
	for _, e := range event.Engines {
		for op := range uint8(7) {
			bad := w.try(e.Kind, op)
			require.NotNil(t, bad, "%s op %d", e.Name, op)
			require.NotEmpty(t, bad.Why)
		}
	}
	require.Zero(t, r.Counters().Transactions)
}

func TestTimer(t *testing.T) {
	w := newWorld(t)
	w.packet(0, 8)
	w.settle()
	armed := w.cycle // the coalesce step is the last but a few
	due, ok := w.Ready(event.KindCtimer, event.CtimerFire)
	require.True(t, ok)
	require.InDelta(t, armed+preset.AckTimer, due.From, 20)

	w.cycle = due.From - 2
	requireIllegal(t, w.try(event.KindCtimer, event.CtimerFire), "R-CTIMER", false, "may fire from")
	require.Nil(t, w.Late(due.From+preset.ToldBound))
	requireIllegal(t, w.Late(due.From+preset.ToldBound+1), "R-CTIMER", true, "did not fire")
	w.cycle = due.From + preset.ToldBound
	requireIllegal(t, w.try(event.KindCtimer, event.CtimerFire), "R-CTIMER", true, "had to fire by")
	w.cycle--
	w.must(event.KindCtimer, event.CtimerFire)
	w.must(event.KindAck, event.AckTimer)
}

func TestNotice(t *testing.T) {
	w := newWorld(t)
	w.packet(0, 8)
	w.settle()
	due, ok := w.Ready(event.KindAck, event.AckNotice)
	require.True(t, ok)
	w.cycle = due.From - 2
	requireIllegal(t, w.try(event.KindAck, event.AckNotice), "R-ACK", false, "goes alone from")
	w.cycle = due.From - 1
	w.must(event.KindAck, event.AckNotice)
}

func TestOrder(t *testing.T) {
	w := newWorld(t)
	w.packet(0, 8, func(p *modeltest.Packet) { p.FlagA = true })
	at := func(kind event.Kind, op uint8, cycle uint64) *conn.Illegal {
		_, bad := w.Exec(kind, op, conn.Told{Cycle: cycle, Room: 1}, &w.dst)
		return bad
	}
	c := w.cycle + 10
	require.Nil(t, at(event.KindWindow, event.WindowPacket, c))
	requireIllegal(t, at(event.KindKey, event.KeyCheck, c-1), "R-ORDER", false, "backwards")
	requireIllegal(t, at(event.KindCoalesce, event.CoalescePacket, c), "R-ORDER", false, "wrong order")
	require.Nil(t, at(event.KindKey, event.KeyCheck, c), "key stands behind window in a cycle")
	requireIllegal(t, at(event.KindKey, event.KeyCheck, c), "R-ORDER", false, "one record a cycle")
	require.Nil(t, at(event.KindCoalesce, event.CoalescePacket, c+1))
}

// TestWriteBeforeItsAnswer: no byte counts before the port took it, no completion leaves before its release, no
// command is confirmed before it is in force.
func TestWriteBeforeItsAnswer(t *testing.T) {
	w := newWorld(t)
	w.packet(0, 8)
	w.settle(event.KindMemWrite, event.KindPlace)
	requireIllegal(t, w.try(event.KindPlace, event.PlaceWrite), "R-PLACE", false, "not accepted")
	requireIllegal(t, w.try(event.KindCompletion, 0), "R-COMPLETION", false, "no completion is pending")
	w.must(event.KindMemWrite, 0)
	requireIllegal(t, w.try(event.KindPlace, event.PlaceEmpty), "R-PLACE", false, "next in order is op write")
	w.must(event.KindPlace, event.PlaceWrite)
	requireIllegal(t, w.try(event.KindComplete, event.CompleteRun), "R-COMPLETE", false, "no run")
	w.must(event.KindComplete, event.CompleteDone)
	w.must(event.KindCompletion, 0)

	w.command(event.CommandStreamClose, nil)
	w.settle(event.KindComplete, event.KindCommandDone)
	requireIllegal(t, w.try(event.KindCommandDone, 0), "R-CMDDONE", false, "did not execute it yet")
	w.must(event.KindComplete, event.CompleteClose)
	w.must(event.KindCommandDone, 0)
}

// TestCommandWaitsForWrites: key_clear is confirmed behind the last write that used the key.
func TestCommandWaitsForWrites(t *testing.T) {
	w := newWorld(t)
	w.packet(0, 8)
	w.command(event.CommandKeyClear, modeltest.Args{"rkey": 7})
	w.settle(event.KindPlace)
	requireIllegal(t, w.try(event.KindCommandDone, 0), "R-CMDDONE", false, "no command can be confirmed")
	w.must(event.KindPlace, event.PlaceWrite)
	w.must(event.KindCommandDone, 0)
}

func TestRoom(t *testing.T) {
	admit := func(w *world, room uint8) *conn.Illegal {
		_, bad := w.Exec(event.KindAdmit, event.AdmitPacket, conn.Told{Cycle: w.cycle + 1, Room: room}, &w.dst)
		if bad == nil {
			w.cycle++
		}
		return bad
	}
	frame := func(w *world, n int) {
		p := modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeWrite, DstConn: 0x010000}, Message: wire.Message{Length: uint32(n)}, Payload: make([]byte, n)}
		w.Frame(p.Frame())
		w.must(event.KindPacketIn, 0)
	}
	w := newWorld(t)
	frame(w, 100)
	requireIllegal(t, admit(w, 3), "R-ADMIT", false, "0, 1 or 2")
	requireIllegal(t, admit(w, 2), "R-ADMIT", false, "overrun though")
	requireIllegal(t, admit(w, 0), "R-ADMIT", false, "no room for")
	require.Nil(t, admit(w, 1))
	frame(w, 0)
	requireIllegal(t, admit(w, 0), "R-ADMIT", false, "needs no beat")

	w = newWorld(t) // three of the longest frames take 426 of 512 beats
	for range 5 {
		frame(w, 9000)
	}
	require.Nil(t, admit(w, 1))
	require.Nil(t, admit(w, 1))
	requireIllegal(t, admit(w, 0), "R-ADMIT", false, "at most 284 of 512")
	require.Nil(t, admit(w, 1))
	require.Nil(t, admit(w, 0))
	require.Nil(t, admit(w, 0), "what was refused takes no room")
	frame(w, 5000) // as it frees none
	requireIllegal(t, admit(w, 0), "R-ADMIT", false, "at most 426 of 512")
	require.Equal(t, uint32(2), w.Counters().Drops[event.ReasonMsgWindow]+w.Counters().Drops[event.ReasonNoRoom]+w.Counters().Drops[event.ReasonStream])

	w = newWorld(t)
	for range 4*preset.Tiny.DescDepth + 1 {
		frame(w, 0)
	}
	for range 4 * preset.Tiny.DescDepth {
		require.NotNil(t, admit(w, 2), "fewer descriptors were before it")
		require.Nil(t, admit(w, 1))
	}
	require.Nil(t, admit(w, 2))
	require.Equal(t, uint32(1), w.Counters().Drops[event.ReasonOverrun])
	var rec event.Admit
	require.NoError(t, rec.Decode(w.dst[:]))
	require.Equal(t, event.AdmitIn{Room: 2}, rec.In, "of an overrun nothing is known but its number")
	require.NotZero(t, rec.Head.Xid)
}

// TestGrants: a filled queue is passed over a bounded number of times.
func TestGrants(t *testing.T) {
	w := newWorld(t)
	w.SetBounds(conn.Bounds{Grant: 3})
	probe := func(p *modeltest.Packet) {
		*p = modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeProbe, DstConn: 0x010000}}
	}
	w.packet(0, 0, probe)
	for k := range uint32(4) {
		w.packet(k, 8, func(p *modeltest.Packet) { p.FlagA = true })
		w.settle(event.KindAck)
		if k == 3 {
			requireIllegal(t, w.try(event.KindAck, event.AckRequest), "R-ACK", true, "answer was passed over in 3 grants")
			break
		}
		w.must(event.KindAck, event.AckRequest)
	}
	w.must(event.KindAck, event.AckAnswer)
	w.must(event.KindAck, event.AckRequest)
}

// TestProbeBeforeARecord: the answer to a probe of a path is passed over only from the time on that the probe has left message
// for certain. Before, it may stand there behind a write that waits for memory.
func TestProbeBeforeARecord(t *testing.T) {
	w := newWorld(t)
	w.SetBounds(conn.Bounds{Grant: 3})
	w.packet(0, 0, func(p *modeltest.Packet) {
		*p = modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeProbe, DstConn: 0x010000}}
	})
	flush := func(p *modeltest.Packet) {
		*p = modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeFlush, DstConn: 0x010000, FlagA: true}}
	}
	for range 8 { // a flush passes message without a record
		w.packet(0, 0, flush)
		w.settle(event.KindAck)
		w.must(event.KindAck, event.AckRequest)
	}
	w.packet(0, 8)
	w.settle(event.KindAck)
	for range 3 {
		w.packet(0, 0, flush)
		w.settle(event.KindAck)
		w.must(event.KindAck, event.AckRequest)
	}
	w.packet(0, 0, flush)
	w.settle(event.KindAck)
	requireIllegal(t, w.try(event.KindAck, event.AckRequest), "R-ACK", true, "answer was passed over in 3 grants")
}

// TestLateNamesEveryKindOfWork: each kind of pending work is late when its bound is over, and a leftover at the end.
func TestLateNamesEveryKindOfWork(t *testing.T) {
	kinds := map[event.Kind]func(*world){
		event.KindAdmit:      func(w *world) { w.command(event.CommandKeyClear, nil) },
		event.KindWindow:     func(w *world) { w.packet(0, 8) },
		event.KindKey:        func(w *world) { w.packet(0, 8); w.settle(event.KindKey, event.KindCoalesce) },
		event.KindRecv:       func(w *world) { w.packet(0, 8, send); w.settle(event.KindRecv, event.KindCoalesce) },
		event.KindMessage:    func(w *world) { w.packet(0, 8); w.settle(event.KindMessage, event.KindCoalesce) },
		event.KindMemWrite:   func(w *world) { w.packet(0, 8); w.settle(event.KindMemWrite, event.KindCoalesce) },
		event.KindPlace:      func(w *world) { w.packet(0, 8); w.settle(event.KindPlace, event.KindCoalesce) },
		event.KindComplete:   func(w *world) { w.packet(0, 8); w.settle(event.KindComplete, event.KindCoalesce) },
		event.KindCompletion: func(w *world) { w.packet(0, 8); w.settle(event.KindCompletion, event.KindAck) },
		event.KindCoalesce:   func(w *world) { w.packet(0, 8); w.settle(event.KindCoalesce) },
		event.KindCtimer:     func(w *world) { w.packet(0, 0); w.settle() },
		event.KindAck:        func(w *world) { w.packet(0, 8, func(p *modeltest.Packet) { p.FlagA = true }); w.settle(event.KindAck) },
		event.KindPacketOut: func(w *world) {
			w.packet(0, 8, func(p *modeltest.Packet) { p.FlagA = true })
			w.settle(event.KindPacketOut)
		},
		event.KindCommandDone: func(w *world) { w.command(event.CommandKeyClear, nil); w.settle(event.KindCommandDone) },
	}
	for k, prepare := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			w := newWorld(t)
			prepare(w)
			require.NotZero(t, w.Pending())
			require.Nil(t, w.Late(w.cycle))
			var named []event.Kind
			for _, left := range w.Leftovers() {
				require.True(t, left.Late)
				named = append(named, left.Kind)
			}
			require.Contains(t, named, k)
			bad := w.Late(w.cycle + 1_000_000)
			require.NotNil(t, bad)
		})
	}
}

func send(p *modeltest.Packet) { p.Opcode = wire.OpcodeSend }

func TestLeftoverStimulus(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.Leftovers())
	w.Frame(nil)
	w.GetRegister(event.RegId)
	left := w.Leftovers()
	require.Len(t, left, 2)
	require.Equal(t, []event.Kind{event.KindPacketIn, event.KindRegister}, []event.Kind{left[0].Kind, left[1].Kind})
	require.Equal(t, 2, w.Unseen())
	require.Zero(t, w.Pending(), "stimulus that was not given is no obligation")
}

func TestBadCalls(t *testing.T) {
	_, err := conn.New(preset.Params{Name: "tiny", Conns: 9})
	require.ErrorContains(t, err, "tiny")
	w := newWorld(t)
	_, bad := w.ExecRecord(make([]byte, 10), &w.dst)
	requireIllegal(t, bad, "R-RECORD", false, "10 bytes")
	for _, k := range []event.Kind{0, event.KindShare, event.KindMemRead, 255} {
		_, bad = w.ExecRecord(append([]byte{1, byte(k)}, bytes.Repeat([]byte{0xff}, 62)...), &w.dst)
		requireIllegal(t, bad, "R-RECORD", false, "no such engine")
	}
}
