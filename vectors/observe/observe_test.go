package observe_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenario"
)

// recorded is a program with the records of its run on the model.
func recorded(t *testing.T, text string) (*scenario.Compiled, [][]byte) {
	t.Helper()
	f, err := scenario.Parse("x.scn", []byte(text))
	require.NoError(t, err)
	c, err := scenario.Compile(f, scenario.Options{Params: preset.Tiny, Seed: 1})
	require.NoError(t, err)
	var list [][]byte
	play(t, preset.Tiny, c.Program.Items, func(b []byte) { list = append(list, bytes.Clone(b)) })
	return c, list
}

const small = `conn 0 paths=2 streams=2 psn=0xffff_fffe
key 0
recv 0.1 count=4
message write bytes=300 mtu=100 paths=all as=m
lose
  write path=1 bytes=40 as=late
end
write path=1 bytes=44
message send stream=1 bytes=200 mtu=100
message write_imm stream=1 bytes=60
write stream=1 bytes=0
again m packets=1
wait idle
again late
expect completions=6
`

func field(t *testing.T, k event.Kind, name string) *event.FieldInfo {
	t.Helper()
	fields := event.Info(k).Fields
	for i := range fields {
		if fields[i].FullName() == name {
			return &fields[i]
		}
	}
	require.FailNow(t, "no field "+name)
	return nil
}

func observed(p *compose.Program, list [][]byte) []string {
	o := observe.New(p)
	for _, r := range list {
		o.Observe(r)
	}
	return o.Breaches()
}

// TestBreaches spoils one field of each record of a kind in turn: every one of them must be noticed.
func TestBreaches(t *testing.T) {
	c, list := recorded(t, small)
	require.Empty(t, observed(c.Program, list))
	for _, spoil := range []struct {
		kind  event.Kind
		field string
		want  string
	}{
		{event.KindMemWrite, "in.hash", "are not the"},
		{event.KindMemWrite, "in.addr", "it belongs to"},
		{event.KindMemWrite, "in.length", "are not the"},
		{event.KindMemWrite, "in.error", "outside every fault range"},
		{event.KindCompletion, "in.msn", "not the oldest one released"},
		{event.KindCompletion, "in.wr_id", "not the oldest one released"},
		{event.KindPacketOut, "in.bytes", "wrong ICRC"},
		{event.KindAck, "head", "nothing had built"},
	} {
		t.Run(spoil.kind.String()+" "+spoil.field, func(t *testing.T) {
			n := 0
			for i, rec := range list {
				if event.Kind(rec[1]) != spoil.kind {
					continue
				}
				n++
				bad := append([][]byte(nil), list...)
				if spoil.field == "head" { // the record is not there at all
					bad = append(bad[:i:i], bad[i+1:]...)
				} else {
					bad[i] = bytes.Clone(rec)
					field(t, spoil.kind, spoil.field).Bytes(bad[i])[0] ^= 1
				}
				got := strings.Join(observed(c.Program, bad), "\n")
				require.Contains(t, got, spoil.want, "record %d", i)
			}
			assert.Positive(t, n)
		})
	}
}

// TestReleases spoils what complete says of a message that it releases.
func TestReleases(t *testing.T) {
	c, list := recorded(t, small)
	for name, want := range map[string]string{"in.msn": "its packet is of", "in.opcode": "its packet is of", "in.length": "its packet is of", "in.conn": "its packet is of",
		"in.stream_row": "its packet is of", "in.life": "bytes in memory", "in.wr_id": "work request"} {
		found := false
		for i, rec := range list {
			var r event.Complete
			if event.Kind(rec[1]) != event.KindComplete || r.Decode(rec) != nil || !r.Out.Release || r.In.Length == 0 {
				continue
			}
			bad := append([][]byte(nil), list...)
			bad[i] = bytes.Clone(rec)
			field(t, event.KindComplete, name).Bytes(bad[i])[0] ^= 1
			got := strings.Join(observed(c.Program, bad), "\n")
			assert.Contains(t, got, want, name)
			found = true
		}
		assert.True(t, found)
	}
}

// TestOrder: a completion twice, early, or of a stream that is closed; an ACK for what did not come.
func TestOrder(t *testing.T) {
	c, list := recorded(t, small)
	with := func(change func(i int, rec []byte) (repeat, drop bool)) string {
		var bad [][]byte
		for i, rec := range list {
			repeat, drop := change(i, rec)
			if !drop {
				bad = append(bad, rec)
			}
			if repeat {
				bad = append(bad, rec)
			}
		}
		return strings.Join(observed(c.Program, bad), "\n")
	}
	is := func(rec []byte, k event.Kind) bool { return event.Kind(rec[1]) == k }
	released := func(rec []byte) bool {
		var r event.Complete
		return is(rec, event.KindComplete) && r.Decode(rec) == nil && r.Out.Release
	}
	assert.Contains(t, with(func(_ int, rec []byte) (bool, bool) { return released(rec), false }), "is next")
	assert.Contains(t, with(func(_ int, rec []byte) (bool, bool) { return is(rec, event.KindMemWrite), false }), "not to be placed, or twice")
	assert.Contains(t, with(func(_ int, rec []byte) (bool, bool) { return false, is(rec, event.KindMemWrite) }), "with 0 of")
	assert.Contains(t, with(func(_ int, rec []byte) (bool, bool) {
		return false, is(rec, event.KindComplete) && rec[2] == event.CompleteSet
	}), "the stream is closed")
	n := 0
	assert.Contains(t, with(func(_ int, rec []byte) (bool, bool) {
		var r event.Window
		come := is(rec, event.KindWindow) && r.Decode(rec) == nil && r.Head.Op == event.WindowPacket
		n += map[bool]int{true: 1}[come]
		return false, come && n == 3
	}), "did not come")
}

// TestWrongFrames: nothing may be admitted or placed of a frame that is not right.
func TestWrongFrames(t *testing.T) {
	c, list := recorded(t, small)
	for i := range c.Program.Frames {
		c.Program.Frames[i].Proper = false
	}
	got := strings.Join(observed(c.Program, list), "\n")
	assert.Contains(t, got, "admitted that is not a right one")
	assert.Contains(t, got, "carries nothing to place")
	assert.Contains(t, got, "more", "the list has a bound")
}

func TestExpectationsNotMet(t *testing.T) {
	c, list := recorded(t, small+"expect acks>=1 completions<=2 mem=none frames=3..5 ack[0.1].sack=7 window[0.0].cum=+9 stream[0.1].completed=+3 read[id]=1 drops.icrc=1\n")
	o := observe.New(c.Program)
	for _, r := range list {
		o.Observe(r)
	}
	bad := o.Check(c.Expect)
	require.Len(t, bad, 7, "%v", bad)
	for i, want := range []string{"x.scn:16:16: expected completions<=2, saw 6", "expected mem=none, saw 8 writes", "expected frames=3..5, saw 10", "expected ack[0.1].sack=7, saw none",
		"expected window[0.0].cum=+9, saw 4 (0x4)", "expected read[id]=1, saw nothing of it", "expected drops.icrc=1, saw 0"} {
		assert.Contains(t, bad[i], want)
	}
}

// TestUnreadableRecords are told of, not passed over.
func TestUnreadableRecords(t *testing.T) {
	_, list := recorded(t, small)
	o := observe.New(nil)
	o.Observe(list[0][:20])
	assert.NotEmpty(t, o.Breaches())
	o = observe.New(nil)
	for _, r := range list {
		o.Observe(r)
	}
	assert.Empty(t, o.Breaches(), "without a program everything is counted, nothing is judged")
	assert.EqualValues(t, 6, o.Counts()["completions"])
}

func TestNamesOfCounts(t *testing.T) {
	families := observe.CountFamilies()
	assert.Contains(t, families["drops"], "icrc")
	assert.Len(t, families["drops"], 22)
	c, list := recorded(t, small)
	o := observe.New(c.Program)
	for _, r := range list {
		o.Observe(r)
	}
	for name := range o.Counts() {
		family, member, dotted := strings.Cut(name, ".")
		known := observe.CountText[name] != "" || dotted && strings.Contains(strings.Join(families[family], " "), member)
		assert.True(t, known, "count %q has no text: expectations could not name it", name)
	}
}
