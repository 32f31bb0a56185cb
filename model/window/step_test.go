package window_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/window"
	"metaroce/tandem/model/wire"
)

// opened is the row behind path_set.
func opened(psn, tsn uint32, epoch uint8) event.WindowPath {
	var row event.WindowPath
	var out event.WindowOut
	window.Step(&row, event.WindowSet, &event.WindowIn{Psn: psn, Tsn: tsn, Epoch: epoch, TxTime: 0xff123456}, &out)
	return row
}

func TestSetForgetsEverything(t *testing.T) {
	row := event.WindowPath{Cum: 9, Vector: wire.Bitmap256{1, 2, 3, 4}, Packets: 7, Bytes: 1, LastD: true, HighValid: true}
	var out event.WindowOut
	window.Step(&row, event.WindowSet, &event.WindowIn{Psn: 0, Tsn: 5, Epoch: 3, TxTime: 0xab00_0102, Now: 77, Sport: 4}, &out)
	require.Equal(t, event.WindowPath{Cum: 0, HighPsn: 0xffffffff, HighTsn: 4, Epoch: 3, Peer: 0x000102}, row)
	require.Equal(t, event.WindowOut{Class: event.ClassSet}, out)
}

// TestClasses walks the edges of the window from a start just below wrap.
func TestClasses(t *testing.T) {
	const start = 0xffffff80
	for _, c := range []struct {
		name  string
		off   uint32
		class event.Class
	}{
		{"first", 0, event.ClassNew},
		{"inside, past the wrap", 0x80, event.ClassNew},
		{"last inside", 255, event.ClassNew},
		{"first outside", 256, event.ClassTooNew},
		{"next", 257, event.ClassTooNew},
		{"farthest ahead", 1<<31 - 1, event.ClassTooNew},
		{"farthest behind", 1 << 31, event.ClassTooOld},
		{"just behind", 0xffffffff, event.ClassTooOld},
		{"came before", 3, event.ClassDuplicate},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := opened(start, 0, 0)
			row.Vector.Set(3)
			var out event.WindowOut
			window.Step(&row, event.WindowPacket, &event.WindowIn{Psn: start + c.off}, &out)
			require.Equal(t, c.class, out.Class)
		})
	}
}

// TestAdvance: cum goes over the whole run, up to a full window.
func TestAdvance(t *testing.T) {
	row := opened(10, 0, 0)
	var out event.WindowOut
	for off := uint32(255); off > 0; off-- {
		window.Step(&row, event.WindowPacket, &event.WindowIn{Psn: 10 + off}, &out)
		require.Equal(t, uint32(10), row.Cum)
		require.False(t, row.Vector.Get(0))
	}
	window.Step(&row, event.WindowPacket, &event.WindowIn{Psn: 10}, &out)
	require.Equal(t, uint32(266), row.Cum)
	require.True(t, row.Vector.IsZero())
	require.True(t, out.GapFilled)
}

// TestEvidence: only a packet of the current or next epoch that came by its own path shows a gap; each fills one.
func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		name   string
		epoch  uint8
		d      bool
		shown  bool
		epochs uint8 // of the row afterwards
		valid  bool
	}{
		{"current", 5, false, true, 5, true},
		{"next", 6, false, true, 6, true},
		{"old", 4, false, false, 5, false},
		{"far ahead counts as old", 7, false, false, 5, false},
		{"detour", 5, true, false, 5, false},
		{"detour of the next epoch", 6, true, false, 5, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := opened(100, 50, 5)
			var out event.WindowOut
			in := event.WindowIn{Psn: 104, Tsn: 54, Epoch: c.epoch, FlagD: c.d}
			window.Step(&row, event.WindowPacket, &in, &out)
			require.Equal(t, c.shown, out.GapShown)
			require.Equal(t, c.epochs, row.Epoch)
			require.Equal(t, c.valid, row.HighValid)
			in.Psn = 102
			window.Step(&row, event.WindowPacket, &in, &out)
			require.True(t, out.GapFilled)
			require.False(t, out.GapShown)
		})
	}
}

// TestTooNewChangesNothing but its counter: it will be sent again.
func TestTooNewChangesNothing(t *testing.T) {
	row := opened(0, 0, 0)
	want := row
	want.TooNew = 1
	var out event.WindowOut
	window.Step(&row, event.WindowPacket, &event.WindowIn{Psn: 256, Tsn: 9, Epoch: 1, Ce: true, FlagA: true, TxTime: 5, Now: 6, Sport: 7}, &out)
	require.Equal(t, want, row)
	require.Equal(t, event.WindowOut{Class: event.ClassTooNew}, out)
}

// TestFlushLeavesPsnAndCounts alone but moves the order of transmission.
func TestFlushLeavesPsnAndCounts(t *testing.T) {
	row := opened(7, 100, 2)
	var out event.WindowOut
	window.Step(&row, event.WindowFlush, &event.WindowIn{Psn: 99, Tsn: 130, Epoch: 2, Ce: true, TxTime: 5, Now: 6, Sport: 8, FlagD: false}, &out)
	require.Equal(t, event.WindowOut{Class: event.ClassFlush, AckNow: true}, out)
	require.Equal(t, event.WindowPath{Cum: 7, HighPsn: 6, HighTsn: 130, HighValid: true, Epoch: 2, LastTime: 5, LastNow: 6, LastSport: 8, Peer: 0x123456}, row)
}

// TestTwin holds the step against a set of packets: exactly once new, cum never back, bit 0 clear, nothing marked that
// did not come, counters that add up.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Uint32().Draw(t, "first psn")
		tsn := rapid.Uint32().Draw(t, "first tsn")
		epoch := uint8(rapid.IntRange(0, 15).Draw(t, "epoch"))
		row := opened(base, tsn, epoch)
		w := newTwin(1<<40, tsn, epoch) // psn = base + (n - start)
		var packets, bytes, dups, ce, tooNew uint32
		for range rapid.IntRange(1, 400).Draw(t, "packets") {
			n := w.cum() + rapid.OneOf(rapid.Int64Range(-3, 12), rapid.Int64Range(-300, 300), rapid.Int64Range(250, 260)).Draw(t, "off")
			tsn += uint32(rapid.IntRange(-2, 4).Draw(t, "tsn"))
			in := event.WindowIn{
				Psn: base + uint32(n-w.start), Tsn: tsn, Epoch: (w.epoch + uint8(rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1, 2, 15}).Draw(t, "epoch"))) & 15,
				Ce: rapid.Bool().Draw(t, "ce"), FlagA: rapid.IntRange(0, 9).Draw(t, "a") == 0, FlagD: rapid.IntRange(0, 5).Draw(t, "d") == 0,
				FlagL: rapid.IntRange(0, 9).Draw(t, "l") == 0, PayloadLen: uint16(rapid.IntRange(0, 9000).Draw(t, "len")),
			}
			before := row.Cum
			want := w.packet(n, in.Tsn, in.Epoch, in.Ce, in.FlagA, in.FlagD, in.FlagL)
			var out event.WindowOut
			window.Step(&row, event.WindowPacket, &in, &out)
			require.Equal(t, want, verdict{out.Class, out.AckNow, out.AckCount, out.GapShown, out.GapFilled})
			require.GreaterOrEqual(t, wire.Diff(row.Cum, before), int32(0), "cum went back")
			require.False(t, row.Vector.Get(0), "bit 0")
			require.Equal(t, base+uint32(w.cum()-w.start), row.Cum)
			require.Equal(t, w.vector(), row.Vector)
			require.Equal(t, base+uint32(w.high-w.start), row.HighPsn)
			require.Equal(t, w.epoch, row.Epoch)
			require.Equal(t, w.highTsn, row.HighTsn)
			require.Equal(t, w.highOK, row.HighValid)
			if out.Class == event.ClassTooNew {
				tooNew++
			} else {
				packets++
				ce += b2u(in.Ce)
			}
			switch out.Class {
			case event.ClassNew:
				bytes += uint32(in.PayloadLen)
			case event.ClassDuplicate, event.ClassTooOld:
				dups++
			}
			require.Equal(t, [5]uint32{packets, bytes, dups, ce, tooNew}, [5]uint32{row.Packets, uint32(row.Bytes), row.Dups, row.Ce, row.TooNew})
		}
	})
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// TestCountersWrap: the running counts of an acknowledgement are modulo their width.
func TestCountersWrap(t *testing.T) {
	row := opened(0, 0, 0)
	row.Packets, row.Bytes, row.Ce = 0xffffffff, 1<<48-1, 0xffffffff
	var out event.WindowOut
	window.Step(&row, event.WindowPacket, &event.WindowIn{Ce: true, PayloadLen: 3}, &out)
	require.Equal(t, [3]uint64{0, 2, 0}, [3]uint64{uint64(row.Packets), row.Bytes, uint64(row.Ce)})
}

func BenchmarkStep(b *testing.B) {
	row := opened(0, 0, 0)
	var out event.WindowOut
	in := event.WindowIn{PayloadLen: 64}
	for i := range b.N {
		in.Psn, in.Tsn = uint32(i^1), uint32(i)
		window.Step(&row, event.WindowPacket, &in, &out)
	}
}
