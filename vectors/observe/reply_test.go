package observe_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

const talkative = `conn 0 paths=2 streams=2 psn=0xffff_fffe msn=7
key 0
write bytes=40 CE A as=m
wait idle
again m
write bytes=40 A
wait idle
send stream=1 bytes=8
probe txn=3 port=9
query txn=4
flush
wait idle
expect naks.rnr=1
`

// spoiled is a run with the replies of one opcode changed by change, one after the other: what was found each time.
func spoiled(t *testing.T, op wire.Opcode, change func(header []byte)) []string {
	t.Helper()
	c, list := recorded(t, talkative)
	require.Empty(t, observed(c.Program, list))
	var found []string
	for i, rec := range list {
		var r event.PacketOut
		var base wire.Base
		if event.Kind(rec[1]) != event.KindPacketOut || r.Decode(rec) != nil || base.Decode(r.In.Bytes[:]) != nil || base.Opcode != op {
			continue
		}
		change(r.In.Bytes[wire.BaseSize:])
		var b [event.MaxRecord]byte
		n := r.Encode(&b)
		bad := append([][]byte(nil), list...)
		bad[i] = bytes.Clone(b[:n])
		found = append(found, strings.Join(observed(c.Program, bad), "\n"))
	}
	require.NotEmpty(t, found)
	return found
}

// TestAckContents: every count, echo and notice of an ACK is held against what came and what was released.
func TestAckContents(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*wire.Ack)
		want   string
		first  bool // the first ACK can show it
	}{
		{"packets ahead", func(a *wire.Ack) { a.Packets += 100 }, "came", true},
		{"bytes ahead", func(a *wire.Ack) { a.Bytes += 1000 }, "came", true},
		{"marks ahead", func(a *wire.Ack) { a.Ce += 100 }, "came", true},
		{"duplicates ahead", func(a *wire.Ack) { a.Dups += 100 }, "came", true},
		{"packets back", func(a *wire.Ack) { a.Packets = 0 }, "after one with", false},
		{"bytes back", func(a *wire.Ack) { a.Bytes = 0 }, "after one with", false},
		{"marks back", func(a *wire.Ack) { a.Ce = 0 }, "after one with", false},
		{"tsn of no packet", func(a *wire.Ack) { a.HighTsn += 0x1000 }, "no packet came with it", true},
		{"echo of no packet", func(a *wire.Ack) { a.EchoPsn += 0x1000 }, "which did not come", true},
		{"notice from nowhere", func(a *wire.Ack) { a.NoticeValid, a.NoticeMsn = !a.NoticeValid, 99 }, "taken was", true},
		{"notice of another msn", func(a *wire.Ack) { a.NoticeValid, a.NoticeMsn = true, 99 }, "taken was", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := spoiled(t, wire.OpcodeAck, func(b []byte) {
				var a wire.Ack
				require.NoError(t, a.Decode(b))
				c.change(&a)
				copy(b, a.Append(nil))
			})
			if c.first {
				assert.Contains(t, found[0], c.want)
			}
			assert.Contains(t, found[len(found)-1], c.want)
		})
	}
}

// TestNakAndAnswerContents are those of the packet that is answered.
func TestNakAndAnswerContents(t *testing.T) {
	for name, change := range map[string]func(*wire.Nak){
		"stream": func(n *wire.Nak) { n.Stream++ }, "msn": func(n *wire.Nak) { n.Msn++ }, "attempt": func(n *wire.Nak) { n.Attempt++ },
		"syndrome": func(n *wire.Nak) { n.Syndrome = wire.SyndromeNone },
	} {
		for _, got := range spoiled(t, wire.OpcodeNak, func(b []byte) {
			var n wire.Nak
			require.NoError(t, n.Decode(b))
			change(&n)
			copy(b, n.Append(nil))
		}) {
			assert.Contains(t, got, "its packet is of", name)
		}
	}
	for name, change := range map[string]func(*wire.Answer){
		"txn": func(a *wire.Answer) { a.Txn++ }, "port": func(a *wire.Answer) { a.Port++ }, "epoch": func(a *wire.Answer) { a.NewEpoch ^= 1 },
		"query": func(a *wire.Answer) { a.Query = !a.Query }, "time": func(a *wire.Answer) { a.EchoTime++ },
	} {
		for _, got := range spoiled(t, wire.OpcodeAnswer, func(b []byte) {
			var a wire.Answer
			require.NoError(t, a.Decode(b))
			change(&a)
			copy(b, a.Append(nil))
		}) {
			assert.Contains(t, got, "does not give back", name)
		}
	}
	found := spoiled(t, wire.OpcodeAnswer, func(b []byte) {
		var a wire.Answer
		require.NoError(t, a.Decode(b))
		a.Completed++
		copy(b, a.Append(nil))
	})
	assert.Contains(t, strings.Join(found, "\n"), "answer to a path probe")
}

// TestNoticesAndNewPsns: records of the engines that cannot be: a psn new twice, a notice ahead of its stream, of another
// row, of a stream that was closed, of nothing.
func TestNoticesAndNewPsns(t *testing.T) {
	c, list := recorded(t, talkative)
	with := func(change func(rec []byte) [][]byte) string {
		var bad [][]byte
		for _, rec := range list {
			bad = append(bad, change(bytes.Clone(rec))...)
		}
		return strings.Join(observed(c.Program, bad), "\n")
	}
	taken := func(rec []byte) bool {
		var r event.Ack
		return event.Kind(rec[1]) == event.KindAck && r.Decode(rec) == nil && r.Out.Notice
	}
	spoil := func(name string) func([]byte) [][]byte {
		return func(rec []byte) [][]byte {
			if taken(rec) {
				field(t, event.KindAck, name).Bytes(rec)[0] += 100
			}
			return [][]byte{rec}
		}
	}
	assert.Contains(t, with(spoil("in.notice_completed")), "released up to")
	assert.Contains(t, with(spoil("in.notice_stream_row")), "the oldest one is of row")
	assert.Contains(t, with(func(rec []byte) [][]byte {
		if !taken(rec) {
			return [][]byte{rec}
		}
		shut := event.Complete{Head: event.Head{Op: event.CompleteClose}}
		var b [event.MaxRecord]byte
		n := shut.Encode(&b)
		return [][]byte{b[:n], rec}
	}), "closed or opened again")
	assert.Contains(t, with(func(rec []byte) [][]byte {
		if taken(rec) {
			return [][]byte{rec, rec}
		}
		return [][]byte{rec}
	}), "no release queued")
	assert.Contains(t, with(func(rec []byte) [][]byte {
		var r event.Window
		if event.Kind(rec[1]) == event.KindWindow && r.Decode(rec) == nil && r.Out.Class == event.ClassDuplicate || r.Out.Class == event.ClassTooOld {
			field(t, event.KindWindow, "out.class").Bytes(rec)[0] = byte(event.ClassNew)
		}
		return [][]byte{rec}
	}), "new a second time")
}
