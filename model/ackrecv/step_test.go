package ackrecv_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// sane is an acknowledgement of psn below 100 and tsn up to 150, of a path that has sent up to 200.
func sane() event.AckRecvIn {
	return event.AckRecvIn{Now: 5000, Cum: 100, HighTsn: 150, HighValid: true, Epoch: 3, OwnEpoch: 3, EchoTime: 2400, Held: 100,
		Sample: true, NextPsn: 200, NextTsn: 200}
}

func TestAck(t *testing.T) {
	known := event.AckRecvPath{Cum: 90, Limit: 120, LimitValid: true, Srtt: 2500, Rttvar: 0}
	for _, c := range []struct {
		name   string
		change func(in *event.AckRecvIn)
		want   event.AckRecvOut
		row    event.AckRecvPath
	}{
		{"newer", func(*event.AckRecvIn) {},
			event.AckRecvOut{Fresh: true, Alive: true, LimitValid: true, Limit: 150, Rtt: 2500},
			event.AckRecvPath{Cum: 100, Limit: 150, LimitValid: true, Srtt: 2500}},
		{"overtaken", func(in *event.AckRecvIn) { in.Cum, in.HighTsn, in.Sample = 89, 110, false },
			event.AckRecvOut{Alive: true, LimitValid: true, Limit: 120}, known},
		{"of an old epoch: what came, came", func(in *event.AckRecvIn) { in.Epoch = 2 },
			event.AckRecvOut{Fresh: true, LimitValid: true, Limit: 120},
			event.AckRecvPath{Cum: 100, Limit: 120, LimitValid: true, Srtt: 2500}},
		{"detour: no sign of life, no sample", func(in *event.AckRecvIn) { in.FlagD = true },
			event.AckRecvOut{Fresh: true, LimitValid: true, Limit: 150},
			event.AckRecvPath{Cum: 100, Limit: 150, LimitValid: true, Srtt: 2500}},
		{"no transmission of this epoch came", func(in *event.AckRecvIn) { in.HighValid = false },
			event.AckRecvOut{Fresh: true, Alive: true, LimitValid: true, Limit: 120, Rtt: 2500},
			event.AckRecvPath{Cum: 100, Limit: 120, LimitValid: true, Srtt: 2500}},
		{"tolerance", func(in *event.AckRecvIn) { in.Tolerance = 7 },
			event.AckRecvOut{Fresh: true, Alive: true, LimitValid: true, Limit: 143, Rtt: 2500},
			event.AckRecvPath{Cum: 100, Limit: 150, LimitValid: true, Srtt: 2500}},
		{"held too long to say", func(in *event.AckRecvIn) { in.Held = 1<<24 - 1; in.Now = in.EchoTime + in.Held + 2500 },
			event.AckRecvOut{Fresh: true, Alive: true, LimitValid: true, Limit: 150},
			event.AckRecvPath{Cum: 100, Limit: 150, LimitValid: true, Srtt: 2500}},
		{"held longer than it was away", func(in *event.AckRecvIn) { in.Held = 2600 },
			event.AckRecvOut{Fresh: true, Alive: true, LimitValid: true, Limit: 150},
			event.AckRecvPath{Cum: 100, Limit: 150, LimitValid: true, Srtt: 2500}},
		{"all that was sent", func(in *event.AckRecvIn) { in.Cum, in.HighTsn, in.Sample = 200, 199, false },
			event.AckRecvOut{Fresh: true, Alive: true, LimitValid: true, Limit: 199},
			event.AckRecvPath{Cum: 200, Limit: 199, LimitValid: true, Srtt: 2500}},
		{"cum that was never sent", func(in *event.AckRecvIn) { in.Cum = 201 }, event.AckRecvOut{Bogus: true}, known},
		{"bit that was never sent", func(in *event.AckRecvIn) { in.Vector.Set(100) }, event.AckRecvOut{Bogus: true}, known},
		{"tsn that was never sent", func(in *event.AckRecvIn) { in.HighTsn = 200 }, event.AckRecvOut{Bogus: true}, known},
	} {
		t.Run(c.name, func(t *testing.T) {
			row, in, out := known, sane(), event.AckRecvOut{Rtt: 9}
			c.change(&in)
			ackrecv.Step(&row, event.AckRecvAck, &in, &out)
			require.Equal(t, c.want, out)
			require.Equal(t, c.row, row)
		})
	}
}

func TestStartAndEpoch(t *testing.T) {
	row, out := event.AckRecvPath{Cum: 1, Limit: 2, Srtt: 3, Rttvar: 4, LimitValid: true}, event.AckRecvOut{Fresh: true}
	ackrecv.Step(&row, event.AckRecvEpoch, &event.AckRecvIn{}, &out)
	require.Equal(t, event.AckRecvPath{Cum: 1, Limit: 2, Srtt: 3, Rttvar: 4}, row)
	require.Zero(t, out)
	ackrecv.Step(&row, event.AckRecvStart, &event.AckRecvIn{Cum: 0xfffffff0}, &out)
	require.Equal(t, event.AckRecvPath{Cum: 0xfffffff0}, row)
}

// TestRoundTrip: the first sample stands, later ones move the mean towards them and never past them; a steady path has no
// variation in the end.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var row event.AckRecvPath
		r := uint32(rapid.IntRange(1, 1<<22).Draw(t, "first"))
		sample := func(r uint32) {
			now := rapid.Uint32().Draw(t, "now")
			held := rapid.Uint32Range(0, 1<<24-2).Draw(t, "held")
			in := event.AckRecvIn{Now: now, EchoTime: now - r - held, Held: held, Sample: true, NextTsn: 1}
			var out event.AckRecvOut
			ackrecv.Step(&row, event.AckRecvAck, &in, &out)
			require.Equal(t, r, out.Rtt)
		}
		sample(r)
		require.Equal(t, r, row.Srtt)
		require.Equal(t, r/2, row.Rttvar)
		for range rapid.IntRange(0, 30).Draw(t, "samples") {
			before := row.Srtt
			r = uint32(rapid.IntRange(1, 1<<22).Draw(t, "r"))
			sample(r)
			require.GreaterOrEqual(t, row.Srtt, min(before, r))
			require.LessOrEqual(t, row.Srtt, max(before, r))
			require.Less(t, row.Rttvar, uint32(1<<22))
		}
		for range 300 {
			sample(r)
		}
		require.InDelta(t, float64(r), float64(row.Srtt), 8)
		require.LessOrEqual(t, row.Rttvar, uint32(8))
	})
}

// TestFactsAddUp: in whatever order a receiver's acknowledgements come, doubled or lost, the row stands where the latest
// of those that came would have put it.
func TestFactsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Uint32().Draw(t, "base")
		row, out := event.AckRecvPath{}, event.AckRecvOut{}
		ackrecv.Step(&row, event.AckRecvStart, &event.AckRecvIn{Cum: base}, &out)
		var acks []event.AckRecvIn
		cum, high := uint32(0), uint32(0)
		for range rapid.IntRange(1, 20).Draw(t, "acks") {
			cum += uint32(rapid.IntRange(0, 5).Draw(t, "cum"))
			high += uint32(rapid.IntRange(0, 5).Draw(t, "high"))
			acks = append(acks, event.AckRecvIn{Cum: base + cum, HighTsn: base + high, HighValid: true, NextPsn: base + 200, NextTsn: base + 200})
		}
		most := -1
		for range rapid.IntRange(1, 40).Draw(t, "arrivals") {
			i := rapid.IntRange(0, len(acks)-1).Draw(t, "which")
			newest := row.Cum
			ackrecv.Step(&row, event.AckRecvAck, &acks[i], &out)
			require.Equal(t, !wire.Less(acks[i].Cum, newest), out.Fresh)
			most = max(most, i)
			require.Equal(t, acks[most].Cum, row.Cum)
			require.Equal(t, acks[most].HighTsn, row.Limit)
			require.Equal(t, acks[most].HighTsn, out.Limit)
		}
	})
}

// TestCovers against the list of what an acknowledgement tells.
func TestCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cum := rapid.Uint32().Draw(t, "cum")
		var v wire.Bitmap256
		came := map[uint32]bool{}
		for range rapid.IntRange(0, 50).Draw(t, "bits") {
			i := uint32(rapid.IntRange(1, 255).Draw(t, "bit"))
			v.Set(i)
			came[cum+i] = true
		}
		for off := int64(-300); off < 600; off++ {
			psn := cum + uint32(off)
			require.Equal(t, off < 0 || came[psn], ackrecv.Covers(cum, &v, psn), off)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	var row event.AckRecvPath
	var out event.AckRecvOut
	in := sane()
	require.Zero(t, testing.AllocsPerRun(100, func() { ackrecv.Step(&row, event.AckRecvAck, &in, &out) }))
}

func BenchmarkAck(b *testing.B) {
	var row event.AckRecvPath
	var out event.AckRecvOut
	in := sane()
	b.ReportAllocs()
	for i := range b.N {
		in.Cum, in.NextPsn = uint32(i), uint32(i)+100
		in.Vector.Set(uint32(i) % 64)
		ackrecv.Step(&row, event.AckRecvAck, &in, &out)
	}
}
