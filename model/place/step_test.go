package place_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/place"
)

type attempt struct {
	life, attempt uint8
	msn           uint32
}

// TestTwin holds one tally against a map from attempts to bytes, of which only the newest is kept.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tally event.PlaceTally
		bytes := map[attempt]uint32{}
		var newest attempt
		for i := range rapid.IntRange(1, 50).Draw(t, "steps") {
			a := attempt{uint8(rapid.IntRange(0, 1).Draw(t, "life")), uint8(rapid.IntRange(0, 1).Draw(t, "attempt")), uint32(64 * rapid.IntRange(0, 1).Draw(t, "msn"))}
			if a != newest || i == 0 {
				clear(bytes)
				newest = a
			}
			in := event.PlaceIn{
				Life: a.life, Attempt: a.attempt, Msn: a.msn, Length: uint32(rapid.IntRange(0, 30).Draw(t, "length")),
				PayloadLen: uint16(rapid.IntRange(0, 10).Draw(t, "n")), Error: rapid.IntRange(0, 4).Draw(t, "error") == 0,
			}
			var out event.PlaceOut
			place.Step(&tally, event.PlaceWrite, &in, &out)
			if !in.Error {
				bytes[a] += uint32(in.PayloadLen)
			}
			require.Equal(t, event.PlaceOut{Done: !in.Error && bytes[a] == in.Length, Fault: in.Error}, out)
			require.Equal(t, event.PlaceTally{Valid: true, Life: a.life, Msn: a.msn, Attempt: a.attempt, Bytes: bytes[a]}, tally)
		}
	})
}

// TestErrorNeverCompletes: the last write of a message fails, and no later one can make good for it.
func TestErrorNeverCompletes(t *testing.T) {
	var tally event.PlaceTally
	var out event.PlaceOut
	in := event.PlaceIn{Length: 20, PayloadLen: 10}
	place.Step(&tally, event.PlaceWrite, &in, &out)
	require.Zero(t, out)
	in.Error = true
	place.Step(&tally, event.PlaceWrite, &in, &out)
	require.Equal(t, event.PlaceOut{Fault: true}, out)
	require.Equal(t, uint32(10), tally.Bytes)
}

func TestEmptyIsDoneAtOnce(t *testing.T) {
	var tally event.PlaceTally
	var out event.PlaceOut
	place.Step(&tally, event.PlaceEmpty, &event.PlaceIn{Msn: 3}, &out)
	require.Equal(t, event.PlaceOut{Done: true}, out)
}
