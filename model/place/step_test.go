package place_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/place"
)

// TestTwin holds one tally against the list of the writes since the last fresh one.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tally := event.PlaceTally{Bytes: rapid.Uint32().Draw(t, "left behind")}
		var taken []uint32
		for i := range rapid.IntRange(1, 50).Draw(t, "steps") {
			in := event.PlaceIn{
				Fresh: i == 0 || rapid.IntRange(0, 6).Draw(t, "fresh") == 0, Length: uint32(rapid.IntRange(0, 30).Draw(t, "length")),
				PayloadLen: uint16(rapid.IntRange(0, 10).Draw(t, "n")), Error: rapid.IntRange(0, 4).Draw(t, "error") == 0,
			}
			var out event.PlaceOut
			place.Step(&tally, event.PlaceWrite, &in, &out)
			if in.Fresh {
				taken = taken[:0]
			}
			if !in.Error {
				taken = append(taken, uint32(in.PayloadLen))
			}
			sum := uint32(0)
			for _, n := range taken {
				sum += n
			}
			require.Equal(t, event.PlaceOut{Done: !in.Error && sum == in.Length, Fault: in.Error}, out)
			require.Equal(t, event.PlaceTally{Bytes: sum}, tally)
		}
	})
}

// TestErrorNeverCompletes: the last write of a message fails, and no later one can make good for it.
func TestErrorNeverCompletes(t *testing.T) {
	var tally event.PlaceTally
	var out event.PlaceOut
	in := event.PlaceIn{Fresh: true, Length: 20, PayloadLen: 10}
	place.Step(&tally, event.PlaceWrite, &in, &out)
	require.Zero(t, out)
	in.Fresh, in.Error = false, true
	place.Step(&tally, event.PlaceWrite, &in, &out)
	require.Equal(t, event.PlaceOut{Fault: true}, out)
	require.Equal(t, uint32(10), tally.Bytes)
}

func TestEmptyIsDoneAtOnce(t *testing.T) {
	tally := event.PlaceTally{Bytes: 5}
	var out event.PlaceOut
	place.Step(&tally, event.PlaceEmpty, &event.PlaceIn{Fresh: true, Msn: 3}, &out)
	require.Equal(t, event.PlaceOut{Done: true}, out)
}
