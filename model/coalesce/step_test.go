package coalesce_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/coalesce"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// TestTwin holds the row against the list of packets since the last build: a path is asked for at the fourth of them
// or at once, timed at the first, and at most once in the queues.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var row event.CoalescePath
		builds := uint8(rapid.IntRange(0, 255).Draw(t, "builds"))
		row.Seen = builds
		waiting, pending := 0, false
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if rapid.IntRange(0, 5).Draw(t, "build") == 0 { // by request, timer, or a notice
				builds++
				waiting, pending = 0, false
			}
			in := event.CoalesceIn{AckNow: rapid.IntRange(0, 4).Draw(t, "now") == 0, Builds: builds, Pending: pending}
			var out event.CoalesceOut
			coalesce.Step(&row, event.CoalescePacket, &in, &out)
			waiting++
			want := in.AckNow || waiting >= preset.AckEvery
			require.Equal(t, event.CoalesceOut{Push: want && !pending, Arm: !want && waiting == 1 && !pending}, out)
			require.Equal(t, uint8(min(waiting, 7)), row.Count)
			pending = pending || out.Push
		}
	})
}

// TestNoPacketWaitsForEver: after any packet there is a request, or a timer whose firing makes one.
func TestNoPacketWaitsForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var row event.CoalescePath
		builds, pending := uint8(0), false
		armed := map[uint8]bool{} // builds of the timers that did not fire
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "event") {
			case 0:
				builds++
				pending = false
			case 1:
				for b := range armed {
					var out event.CtimerOut
					coalesce.Fire(&event.CtimerIn{ArmedBuilds: b, Builds: builds, Pending: pending}, &out)
					pending = pending || out.Push
					delete(armed, b)
				}
			default:
				var out event.CoalesceOut
				coalesce.Step(&row, event.CoalescePacket, &event.CoalesceIn{Builds: builds, Pending: pending}, &out)
				pending = pending || out.Push
				if out.Arm {
					armed[builds] = true
				}
				require.True(t, pending || armed[builds], "a packet that nothing will acknowledge")
			}
		}
	})
}

func TestSet(t *testing.T) {
	row := event.CoalescePath{Count: 5, Seen: 9}
	out := event.CoalesceOut{Push: true}
	coalesce.Step(&row, event.CoalesceSet, &event.CoalesceIn{Builds: 77, AckNow: true}, &out)
	require.Equal(t, event.CoalescePath{Seen: 77}, row)
	require.Zero(t, out)
}

func TestFire(t *testing.T) {
	for _, c := range []struct {
		name string
		in   event.CtimerIn
		push bool
	}{
		{"nothing was built since", event.CtimerIn{ArmedBuilds: 4, Builds: 4}, true},
		{"a build settled it", event.CtimerIn{ArmedBuilds: 4, Builds: 5}, false},
		{"the path waits already", event.CtimerIn{ArmedBuilds: 4, Builds: 4, Pending: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out event.CtimerOut
			coalesce.Fire(&c.in, &out)
			require.Equal(t, c.push, out.Push)
		})
	}
}
