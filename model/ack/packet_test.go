package ack_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// open checks the ICRC of a datagram and returns its base header and what follows.
func open(t require.TestingT, b []byte) (wire.Base, []byte) {
	var base wire.Base
	require.NoError(t, base.Decode(b))
	body := b[:len(b)-4]
	require.Equal(t, wire.ICRC(body), binary.LittleEndian.Uint32(b[len(body):]))
	require.Zero(t, len(b)%4)
	return base, body[wire.BaseSize:]
}

func TestAckSaysWhatTheWindowHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := event.WindowPath{
			Cum: rapid.Uint32().Draw(t, "cum"), Vector: wire.Bitmap256{rapid.Uint64().Draw(t, "v0") &^ 1, 2, 3, rapid.Uint64().Draw(t, "v3")},
			HighTsn: rapid.Uint32().Draw(t, "tsn"), HighValid: rapid.Bool().Draw(t, "valid"), Epoch: uint8(rapid.IntRange(0, 15).Draw(t, "epoch")),
			Packets: 5, Bytes: rapid.Uint64Range(0, 1<<48-1).Draw(t, "bytes"), Ce: 7, Dups: 8, LastPsn: 9, LastTime: 10, LastNow: rapid.Uint32().Draw(t, "last"),
			LastD: rapid.Bool().Draw(t, "d"), Peer: 0xabcdef, TooNew: 99,
		}
		in := event.AckIn{Now: rapid.Uint32().Draw(t, "now"), LastNow: row.LastNow, Hint: 0xfffff, HintGen: 3, NoticeValid: rapid.Bool().Draw(t, "notice"), StreamOpen: true}
		var out event.AckOut
		ack.Step(&event.AckPath{}, event.AckRequest, &in, &out)
		n := ack.Notice{Valid: in.NoticeValid, Stream: 4, Completed: 5}
		b := ack.AppendAck([]byte("before"), &row, 6, &in, &out, n)[6:]
		require.Len(t, b, ack.MaxBytes)
		base, rest := open(t, b)
		require.Equal(t, wire.Base{Version: 1, Epoch: row.Epoch, Opcode: wire.OpcodeAck, FlagD: row.LastD, Path: 6, DstConn: 0xabcdef, TxTime: in.Now}, base)
		var h wire.Ack
		require.NoError(t, h.Decode(rest))
		want := wire.Ack{
			EchoPsn: 9, EchoTime: 10, Held: uint32(min(uint64(in.Now-in.LastNow), 1<<24-1)), HighValid: row.HighValid, Cum: row.Cum, Vector: row.Vector,
			HighTsn: row.HighTsn, Packets: 5, Bytes: row.Bytes, Ce: 7, Dups: 8, Hint: 0xfffff, HintGen: 3,
		}
		if n.Valid {
			want.NoticeValid, want.NoticeStream, want.NoticeMsn = true, 4, 5
		}
		require.Equal(t, want, h)
	})
}

func TestNakAndAnswer(t *testing.T) {
	row := event.WindowPath{Epoch: 5, Peer: 0x010203, LastD: true}
	r := ack.Reply{
		Path: 2, Stream: 300, TxTime: 77, Port: 50001, NewEpoch: 6, Query: true, Txn: 9,
		Syndrome: wire.SyndromeRnr, Attempt: 4, Msn: 0xffffffff,
	}
	base, rest := open(t, ack.AppendNak(nil, &row, &r, 123))
	require.Equal(t, wire.Base{Version: 1, Epoch: 5, Opcode: wire.OpcodeNak, Path: 2, DstConn: 0x010203, TxTime: 123}, base)
	var nak wire.Nak
	require.NoError(t, nak.Decode(rest))
	require.Equal(t, wire.Nak{Stream: 300, Attempt: 4, Syndrome: wire.SyndromeRnr, Msn: 0xffffffff}, nak)

	base, rest = open(t, ack.AppendAnswer(nil, &row, &r, 124, 88))
	require.Equal(t, wire.Base{Version: 1, Epoch: 5, Opcode: wire.OpcodeAnswer, Path: 2, DstConn: 0x010203, TxTime: 124}, base)
	var answer wire.Answer
	require.NoError(t, answer.Decode(rest))
	require.Equal(t, wire.Answer{
		Port: 50001, NewEpoch: 6, Query: true, Txn: 9, Stream: 300, Attempt: 4, Syndrome: wire.SyndromeRnr, Completed: 88,
		Msn: 0xffffffff, EchoTime: 77,
	}, answer)
}

func TestStep(t *testing.T) {
	for _, c := range []struct {
		name   string
		op     uint8
		in     event.AckIn
		want   event.AckOut
		builds uint8
	}{
		{"request", event.AckRequest, event.AckIn{Now: 30, LastNow: 10, NoticeValid: true, NoticeLife: 3, StreamOpen: true, StreamLife: 3}, event.AckOut{Held: 20, Notice: true}, 0},
		{"stream closed", event.AckRequest, event.AckIn{NoticeValid: true, NoticeLife: 3, StreamLife: 3}, event.AckOut{NoticeStale: true}, 0},
		{"stream opened again", event.AckNotice, event.AckIn{NoticeValid: true, NoticeLife: 3, StreamOpen: true, StreamLife: 4}, event.AckOut{NoticeStale: true}, 0},
		{"timer", event.AckTimer, event.AckIn{Now: 5, LastNow: 0xfffffffe}, event.AckOut{Held: 7}, 0},
		{"held saturates", event.AckNotice, event.AckIn{Now: 1 << 24, LastNow: 0, NoticeValid: true, StreamOpen: true}, event.AckOut{Held: 1<<24 - 1, Notice: true}, 0},
		{"nak builds no acknowledgement", event.AckNak, event.AckIn{Now: 30}, event.AckOut{}, 255},
		{"answer", event.AckAnswer, event.AckIn{Now: 30}, event.AckOut{}, 255},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := event.AckPath{Builds: 255}
			out := event.AckOut{Held: 1, Notice: true}
			ack.Step(&row, c.op, &c.in, &out)
			require.Equal(t, c.want, out)
			require.Equal(t, c.builds, row.Builds)
		})
	}
}

func TestNoAllocation(t *testing.T) {
	var buf [ack.MaxBytes]byte
	var row event.WindowPath
	var in event.AckIn
	var out event.AckOut
	require.Zero(t, testing.AllocsPerRun(100, func() { ack.AppendAck(buf[:0], &row, 0, &in, &out, ack.Notice{}) }))
}
