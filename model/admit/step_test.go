package admit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

var tiny = preset.Tiny

// TestPacketReasons: each change alone gives its reason, and with all changes before it undone it is the first.
func TestPacketReasons(t *testing.T) {
	steps := []struct {
		reason event.Reason
		change func(*event.AdmitConn, *event.AdmitIn)
	}{
		{event.ReasonOverrun, func(_ *event.AdmitConn, in *event.AdmitIn) { in.Room = admit.RoomOverrun }},
		{event.ReasonIcrc, func(_ *event.AdmitConn, in *event.AdmitIn) { in.ReasonIn = event.ReasonIcrc }},
		{event.ReasonConn, func(row *event.AdmitConn, _ *event.AdmitIn) { row.Valid = false }},
		{event.ReasonGeneration, func(row *event.AdmitConn, _ *event.AdmitIn) { row.Generation = 6 }},
		{event.ReasonPath, func(_ *event.AdmitConn, in *event.AdmitIn) { in.Path = 3 }},
		{event.ReasonStream, func(_ *event.AdmitConn, in *event.AdmitIn) { in.Stream = 4 }},
		{event.ReasonStream, func(_ *event.AdmitConn, in *event.AdmitIn) { in.Open = false }},
		{event.ReasonMsgWindow, func(_ *event.AdmitConn, in *event.AdmitIn) { in.Completed = in.Msn - 64 }},
		{event.ReasonZeroPayload, func(_ *event.AdmitConn, in *event.AdmitIn) { in.PayloadLen = 0 }},
		{event.ReasonNoRoom, func(_ *event.AdmitConn, in *event.AdmitIn) { in.Room = admit.RoomNone }},
	}
	for first := range steps {
		row := event.AdmitConn{Valid: true, Generation: 5, Paths: 3, StreamBase: 8, StreamLog2: 2}
		in := event.AdmitIn{
			Room: 1, Opcode: wire.OpcodeWrite, DstConn: 0x050002, Path: 2, Stream: 3, Msn: 10, Length: 4, PayloadLen: 4, Open: true, Completed: 10,
		}
		for i := len(steps) - 1; i >= first; i-- {
			steps[i].change(&row, &in)
		}
		before := row
		var out event.AdmitOut
		admit.Step(&tiny, &row, event.AdmitPacket, &in, &out)
		require.Equal(t, event.AdmitOut{Reason: steps[first].reason}, out)
		require.Equal(t, before, row)
	}
}

func TestAdmitted(t *testing.T) {
	row := event.AdmitConn{Valid: true, Generation: 5, Paths: 3, StreamBase: 8, StreamLog2: 2}
	base := event.AdmitIn{Room: 1, Opcode: wire.OpcodeWrite, DstConn: 0x050002, Path: 2, Stream: 3, Msn: 10, Length: 4, PayloadLen: 4, Open: true, Completed: 10}
	with := func(change func(*event.AdmitIn)) event.AdmitIn { in := base; change(&in); return in }
	good := event.AdmitOut{Conn: 2, PathRow: 10, StreamRow: 11}
	old := good
	old.Old = true
	for _, c := range []struct {
		name string
		in   event.AdmitIn
		want event.AdmitOut
	}{
		{"next message", base, good},
		{"last of the message window", with(func(in *event.AdmitIn) { in.Completed = in.Msn - 63 }), good},
		{"below completed", with(func(in *event.AdmitIn) { in.Completed = in.Msn + 1 }), old},
		{"far below completed", with(func(in *event.AdmitIn) { in.Completed = in.Msn + 1<<31 }), old},
		{"message of no bytes", with(func(in *event.AdmitIn) { in.Length, in.PayloadLen = 0, 0 }), good},
		{"flush has no stream", with(func(in *event.AdmitIn) { in.Opcode, in.Stream, in.Open = wire.OpcodeFlush, 0, false }), event.AdmitOut{Conn: 2, PathRow: 10, StreamRow: 8}},
		{"path probe does not look at its stream", with(func(in *event.AdmitIn) { in.Opcode, in.Open, in.Completed = wire.OpcodeProbe, false, 0 }), good},
		{"query beyond the message window", with(func(in *event.AdmitIn) { in.Opcode, in.Query, in.Completed = wire.OpcodeProbe, true, in.Msn-70 }), good},
		{"read request", with(func(in *event.AdmitIn) { in.Opcode, in.PayloadLen = wire.OpcodeReadRequest, 0 }), good},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := row
			var out event.AdmitOut
			admit.Step(&tiny, &r, event.AdmitPacket, &c.in, &out)
			require.Equal(t, c.want, out)
			if c.in.Opcode != wire.OpcodeFlush && (c.in.Opcode != wire.OpcodeProbe || c.in.Query) {
				streamRow, ok := admit.StreamLookup(&row, &c.in)
				require.True(t, ok)
				require.Equal(t, uint16(11), streamRow)
			}
		})
	}
}

// TestCommandBounds walks the edge of every table: what is beyond it is void and changes nothing.
func TestCommandBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		in   event.AdmitIn
		void bool
	}{
		{"last connection", event.AdmitIn{Cmd: event.CommandConnSet, DstConn: 3, Path: 4, StreamRowIn: 12, Txn: 2}, false},
		{"connection beyond", event.AdmitIn{Cmd: event.CommandConnSet, DstConn: 4}, true},
		{"too many paths", event.AdmitIn{Cmd: event.CommandConnSet, Path: 5}, true},
		{"streams beyond", event.AdmitIn{Cmd: event.CommandConnSet, Path: 1, StreamRowIn: 13, Txn: 2}, true},
		{"log2 of more than there can be", event.AdmitIn{Cmd: event.CommandConnSet, Path: 1, Txn: 255}, true},
		{"log2 of 32", event.AdmitIn{Cmd: event.CommandConnSet, Path: 1, Txn: 32}, true},
		{"clear the last", event.AdmitIn{Cmd: event.CommandConnClear, DstConn: 3}, false},
		{"clear beyond", event.AdmitIn{Cmd: event.CommandConnClear, DstConn: 4}, true},
		{"last path", event.AdmitIn{Cmd: event.CommandPathSet, DstConn: 3, Path: 3}, false},
		{"path beyond", event.AdmitIn{Cmd: event.CommandPathSet, DstConn: 3, Path: 4}, true},
		{"path of a connection beyond", event.AdmitIn{Cmd: event.CommandPathSet, DstConn: 4}, true},
		{"last key", event.AdmitIn{Cmd: event.CommandKeySet, Rkey: 0x0fff}, false},
		{"key beyond", event.AdmitIn{Cmd: event.CommandKeySet, Rkey: 0x1000}, true},
		{"clear a key beyond", event.AdmitIn{Cmd: event.CommandKeyClear, Rkey: 0xffffffff}, true},
		{"last stream", event.AdmitIn{Cmd: event.CommandStreamSet, StreamRowIn: 15}, false},
		{"stream beyond", event.AdmitIn{Cmd: event.CommandStreamSet, StreamRowIn: 16}, true},
		{"close beyond", event.AdmitIn{Cmd: event.CommandStreamClose, StreamRowIn: 16}, true},
		{"post beyond", event.AdmitIn{Cmd: event.CommandRecvPost, StreamRowIn: 16}, true},
		{"take back beyond", event.AdmitIn{Cmd: event.CommandRecvClear, StreamRowIn: 65535}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := event.AdmitConn{Valid: true, Generation: 9}
			before := row
			var out event.AdmitOut
			admit.Step(&tiny, &row, event.AdmitCommand, &c.in, &out)
			require.Equal(t, c.void, out.Old)
			require.Equal(t, event.ReasonNone, out.Reason)
			require.Equal(t, c.in.StreamRowIn, out.StreamRow)
			if c.void {
				require.Equal(t, before, row)
			}
		})
	}
}

func TestConnCommands(t *testing.T) {
	var row event.AdmitConn
	var out event.AdmitOut
	in := event.AdmitIn{Cmd: event.CommandConnSet, DstConn: 0xab0001, Path: 3, StreamRowIn: 4, Txn: 2}
	admit.Step(&tiny, &row, event.AdmitCommand, &in, &out)
	require.Equal(t, event.AdmitConn{Valid: true, Generation: 0xab, Paths: 3, StreamBase: 4, StreamLog2: 2}, row)
	require.Equal(t, event.AdmitOut{Conn: 1, StreamRow: 4}, out)
	admit.Step(&tiny, &row, event.AdmitCommand, &event.AdmitIn{Cmd: event.CommandConnClear, DstConn: 1}, &out)
	require.Zero(t, row)
}

// TestNothingSlipsThrough: whatever the inputs, what is admitted names rows inside the tables.
func TestNothingSlipsThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var row event.AdmitConn
		var out event.AdmitOut
		set := event.AdmitIn{
			Cmd: event.CommandConnSet, DstConn: rapid.Uint32Range(0, 0xffffff).Draw(t, "conn"), Path: uint8(rapid.IntRange(0, 20).Draw(t, "paths")),
			StreamRowIn: uint16(rapid.IntRange(0, 20).Draw(t, "base")), Txn: uint8(rapid.IntRange(0, 6).Draw(t, "log2")),
		}
		set.DstConn &= 0xff0007
		admit.Step(&tiny, &row, event.AdmitCommand, &set, &out)
		in := event.AdmitIn{
			Room: 1, Opcode: rapid.SampledFrom([]wire.Opcode{wire.OpcodeWrite, wire.OpcodeFlush, wire.OpcodeProbe}).Draw(t, "opcode"),
			DstConn: set.DstConn, Path: uint8(rapid.IntRange(0, 20).Draw(t, "path")), Stream: uint16(rapid.IntRange(0, 70).Draw(t, "stream")),
			Length: 1, PayloadLen: 1, Open: true,
		}
		admit.Step(&tiny, &row, event.AdmitPacket, &in, &out)
		if out.Reason == event.ReasonNone {
			require.Less(t, int(out.PathRow), tiny.Conns*tiny.Paths)
			if admit.HasStream(in.Opcode, in.Query) {
				require.Less(t, int(out.StreamRow), tiny.Streams)
			}
		}
	})
}
