package conn_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/wire"
)

func (w *world) read(addr uint16) uint32 {
	w.GetRegister(addr)
	w.must(event.KindRegister, 0)
	var rec event.Register
	require.NoError(w.t, rec.Decode(w.dst[:]))
	require.False(w.t, rec.In.Write)
	return rec.In.Data
}

func (w *world) write(addr uint16, v uint32) {
	w.SetRegister(addr, v)
	w.must(event.KindRegister, 0)
}

func TestRegisters(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, uint32(conn.ID), w.read(event.RegId))
	require.Equal(t, event.SchemaHash, uint64(w.read(event.RegSchemaHi))<<32|uint64(w.read(event.RegSchemaLo)))
	require.Equal(t, uint32(4796), w.read(event.RegUDPPort))
	require.Equal(t, uint32(5), w.read(event.RegCmdSent))
	require.Equal(t, uint32(5), w.read(event.RegCmdDone))
	for _, c := range []struct {
		addr        uint16
		wrote, read uint32
	}{
		{event.RegUDPPort, 0xabcd1234, 0x1234},
		{event.RegHint, 0xffffffff, 0xfffff},
		{event.RegHintGen, 0x1ff, 0xff},
		{event.RegCmdMisc, 0xdeadbeef, 0xdeadbeef},
		{event.RegId, 1, conn.ID},
		{event.RegDrops + 2, 1, 0}, // inside an entry
		{event.RegVerdicts + 4*15 + 1, 1, 0},
		{event.RegDrops, 0x12345678, 0x12345678},
		{event.RegVerdicts + 4*15, 3, 3},
		{0x0c, 7, 0},
		{0xffc, 7, 0},
	} {
		w.write(c.addr, c.wrote)
		require.Equal(t, c.read, w.read(c.addr), "address %#x", c.addr)
	}
	w.write(event.RegCmdOp, 10) // names no command
	w.write(event.RegCmdOp, 0)
	require.Equal(t, uint32(5), w.read(event.RegCmdSent))
	require.Zero(t, w.Pending())
}

// TestUdpPortTakesEffect between two frames.
func TestUdpPortTakesEffect(t *testing.T) {
	w := newWorld(t)
	w.write(event.RegUDPPort, 7)
	w.packet(0, 8)
	w.packet(0, 8, func(p *modeltest.Packet) { p.Dport = 7 })
	w.settle()
	require.Equal(t, uint32(1), w.read(event.RegDrops+4*uint16(event.ReasonUdpPort)))
	require.Equal(t, uint32(1), w.read(event.RegDrops))
	require.Equal(t, uint32(1), w.read(event.RegVerdicts+4*uint16(event.VerdictPlace)))
}

// TestCountersGoOn from what was written, and wrap.
func TestCountersGoOn(t *testing.T) {
	w := newWorld(t)
	w.write(event.RegCmdDone, 0xffffffff)
	require.Equal(t, uint32(0xffffffff), w.read(event.RegCmdDone))
	w.command(event.CommandRecvClear, nil)
	w.settle()
	require.Zero(t, w.read(event.RegCmdDone))
	require.Equal(t, uint32(6), w.read(event.RegCmdSent))

	for _, c := range []struct{ sent, xid uint32 }{{0x55555554, 0xd5555555}, {0x7fffffff, 0x80000000}, {0xffffffff, 0x80000000}} {
		w.write(event.RegCmdSent, c.sent)
		w.command(event.CommandRecvClear, nil)
		w.must(event.KindAdmit, event.AdmitCommand)
		var rec event.Admit
		require.NoError(t, rec.Decode(w.dst[:]))
		require.Equal(t, c.xid, rec.Head.Xid)
		require.Equal(t, c.sent+1, w.read(event.RegCmdSent))
		w.settle()
	}

	place := event.RegVerdicts + 4*uint16(event.VerdictPlace)
	w.write(event.RegDrops, 0xffffffff)
	w.write(place, 0xfffffffe)
	w.packet(0, 8)
	w.packet(1, 8)
	w.settle()
	require.Equal(t, uint32(1), w.read(event.RegDrops))
	require.Zero(t, w.read(place))
	require.Equal(t, uint32(2), w.Counters().Drops[0], "what was counted is no matter of registers")
}

// TestHintTakesEffect in the acknowledgement built after it.
func TestHintTakesEffect(t *testing.T) {
	w := newWorld(t)
	now := func(p *modeltest.Packet) { p.FlagA = true }
	w.packet(0, 8, now)
	w.settle(event.KindAck)
	w.write(event.RegHint, 12345)
	w.write(event.RegHintGen, 6)
	w.settle(event.KindPacketOut)
	w.must(event.KindPacketOut, 0)
	var rec event.PacketOut
	require.NoError(t, rec.Decode(w.dst[:]))
	var h wire.Ack
	require.NoError(t, h.Decode(rec.In.Bytes[wire.BaseSize:]))
	require.Equal(t, [2]uint32{12345, 6}, [2]uint32{h.Hint, uint32(h.HintGen)})
	require.Equal(t, conn.DigestBytes(rec.In.Bytes[:rec.In.Length]), rec.In.Hash)
	require.Equal(t, uint16(50000), rec.In.Sport, "an acknowledgement leaves by the port of the packet it answers")
}

func TestMemoryAndFaults(t *testing.T) {
	w := newWorld(t)
	w.KeepMemory()
	w.KeepMemory()
	w.packet(0, 8)
	w.FaultRange(0x1044, 0x1044) // one byte of the next write
	w.packet(1, 8)
	w.settle()
	b := make([]byte, 0x50)
	w.Memory().Read(0x1000, b)
	want := make([]byte, 0x50)
	copy(want, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	require.Equal(t, want, b)
	w.FaultRange(1, 0) // no ranges any more
	w.packet(2, 8)
	w.settle()
	require.Equal(t, uint32(1), w.Counters().Verdicts[event.VerdictStreamError], "the fault stays until the stream is opened again")
	w.command(event.CommandStreamSet, modeltest.Args{"life": 2, "msn": 60})
	w.settle()
	w.packet(3, 8, func(p *modeltest.Packet) { p.Message.Msn = 60 })
	w.settle()
	require.Equal(t, uint64(1), w.Counters().ByKind[event.KindCompletion]-1)
}

// TestSendLandsInItsReceive, wr_id and all.
func TestSendLandsInItsReceive(t *testing.T) {
	w := newWorld(t)
	w.KeepMemory()
	w.packet(0, 5, func(p *modeltest.Packet) { p.Opcode, p.Message.Length, p.Message.Offset = wire.OpcodeSend, 9, 4 })
	w.packet(1, 4, func(p *modeltest.Packet) { p.Opcode, p.Message.Msn, p.Message.Length = wire.OpcodeSend, 50, 9 })
	w.settle(event.KindCompletion)
	w.must(event.KindCompletion, 0)
	var rec event.Completion
	require.NoError(t, rec.Decode(w.dst[:]))
	require.Equal(t, event.CompletionIn{Msn: 50, Opcode: wire.OpcodeSend, Length: 9, WrId: 77}, rec.In)
	b := make([]byte, 9)
	w.Memory().Read(0x8000, b)
	require.Equal(t, []byte{1, 2, 3, 4, 1, 2, 3, 4, 5}, b)
}

// TestVoidCommandIsConfirmed and leaves no trace in any engine behind admit.
func TestVoidCommandIsConfirmed(t *testing.T) {
	w := newWorld(t)
	before := w.Counters()
	for cmd, args := range map[event.Command]modeltest.Args{
		event.CommandConnSet: {"conn": 99}, event.CommandConnClear: {"conn": 0xffff}, event.CommandPathSet: {"conn": 0, "path": 4},
		event.CommandStreamSet: {"row": 16}, event.CommandStreamClose: {"row": 0xffff}, event.CommandKeySet: {"rkey": 0x1000},
		event.CommandKeyClear: {"rkey": 0xffffffff}, event.CommandRecvPost: {"row": 16}, event.CommandRecvClear: {"row": 16},
	} {
		w.command(cmd, args)
	}
	w.settle()
	c := w.Counters()
	require.Equal(t, before.Done+9, c.Done)
	for _, k := range []event.Kind{event.KindWindow, event.KindKey, event.KindRecv, event.KindMessage, event.KindComplete, event.KindCoalesce} {
		require.Equal(t, before.ByKind[k], c.ByKind[k], "%v", k)
	}
}

// TestPathProbeKeepsItsPlace: it is answered behind the query before it though message makes no record of it.
func TestPathProbeKeepsItsPlace(t *testing.T) {
	w := newWorld(t)
	probe := func(query bool, txn uint8) func(*modeltest.Packet) {
		return func(p *modeltest.Packet) {
			*p = modeltest.Packet{Base: wire.Base{Opcode: wire.OpcodeProbe, DstConn: 0x010000}, Probe: wire.Probe{Query: query, Txn: txn}}
		}
	}
	w.packet(0, 0, probe(true, 1))
	w.packet(0, 0, probe(false, 2))
	_, ok := w.Ready(event.KindAck, event.AckAnswer)
	require.False(t, ok)
	w.settle(event.KindPacketOut)
	for txn := uint8(1); txn <= 2; txn++ {
		w.must(event.KindPacketOut, 0)
		var rec event.PacketOut
		require.NoError(t, rec.Decode(w.dst[:]))
		var h wire.Answer
		require.NoError(t, h.Decode(rec.In.Bytes[wire.BaseSize:]))
		require.Equal(t, txn, h.Txn)
		require.Equal(t, txn == 1, h.Query)
		require.Equal(t, map[bool]uint32{true: 50, false: 0}[h.Query], h.Completed)
	}
}

func TestCommandWithoutRegisters(t *testing.T) {
	w := newWorld(t)
	xid := w.Command(event.Desc{Op: event.CommandKeyClear, Rkey: 7})
	require.Equal(t, conn.FirstCommand+5, xid)
	w.settle()
	w.packet(0, 8)
	w.settle()
	require.Equal(t, uint32(1), w.Counters().Verdicts[event.VerdictFatalNow])
}

func TestDigestBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		padded := append(append([]byte{}, b...), make([]byte, -len(b)&7)...)
		require.Equal(t, event.Digest(padded), conn.DigestBytes(b))
	})
}

func TestMemoryTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b conn.Memory
		twin := map[uint64]byte{}
		type write struct {
			addr uint64
			data []byte
		}
		var writes []write
		for range rapid.IntRange(0, 12).Draw(t, "writes") {
			w := write{rapid.OneOf(rapid.Uint64Range(0, 9000), rapid.Uint64Range(^uint64(0)-100, ^uint64(0))).Draw(t, "addr"), rapid.SliceOfN(rapid.Byte(), 0, 5000).Draw(t, "data")}
			writes = append(writes, w)
			a.Write(w.addr, w.data)
			for i, v := range w.data {
				twin[w.addr+uint64(i)] = v
			}
		}
		for _, w := range writes {
			got := make([]byte, len(w.data)+2)
			a.Read(w.addr-1, got)
			for i, v := range got {
				require.Equal(t, twin[w.addr-1+uint64(i)], v)
			}
		}
		for addr, v := range twin {
			b.Write(addr, []byte{v})
		}
		require.Equal(t, a.Digest(), b.Digest(), "the digest is of the contents")
	})
}
