package divergence

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/divergence/planted"
	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
)

func view(t testing.TB, f planted.Fault) (*View, string) {
	t.Helper()
	dir, _, err := planted.Folder(context.Background(), t.TempDir(), 60, 7, f)
	require.NoError(t, err)
	v, err := Read(context.Background(), dir)
	require.NoError(t, err)
	require.NotNil(t, v)
	return v, dir
}

// TestWrongValue: a view of a value that was changed has that value wrong, and nothing else.
func TestWrongValue(t *testing.T) {
	v, _ := view(t, planted.Fault{Kind: event.KindWindow, Skip: 700, Change: planted.Set(event.KindWindow, "path.ce", 0x5a)})
	require.Empty(t, v.Absent)
	assert.Contains(t, v.Why[0], "The first record that differs is window packet of frame ")
	assert.Contains(t, v.Why[1], "path.ce is 90 (0x5a) in the device and ")
	assert.Contains(t, v.Why[1], "(CE marks)")
	assert.Contains(t, v.Why[len(v.Why)-1], "R-WINDOW is the rule of window")
	wrong := 0
	for _, f := range v.Fields {
		if f.Wrong {
			wrong++
			assert.Equal(t, "path.ce", f.Field)
			assert.NotEqual(t, f.Device, f.Model)
		} else {
			assert.Equal(t, f.Device, f.Model)
		}
	}
	assert.Equal(t, 1, wrong)

	parts := -1
	for i, e := range v.Events {
		switch {
		case e.Side == Parts:
			assert.Equal(t, -1, parts, "once")
			parts = i
			assert.Equal(t, v.Equal, e.Seq)
			assert.True(t, e.Same)
			assert.Contains(t, e.Device, "path.ce=90 (0x5a)")
			assert.True(t, strings.HasPrefix(e.Model, "path.ce="))
		case parts < 0:
			assert.Equal(t, Both, e.Side)
		default:
			assert.Equal(t, Device, e.Side)
		}
		if i > 0 {
			assert.Greater(t, e.Seq, v.Events[i-1].Seq)
			assert.GreaterOrEqual(t, e.Cycle, v.Events[i-1].Cycle)
		}
	}
	assert.Equal(t, before, parts)
	assert.Len(t, v.Events, before+1+behind)

	require.NotNil(t, v.Frame)
	assert.Equal(t, v.Events[parts].Xid, v.Frame.Xid)
	assert.Equal(t, "icrc", v.Frame.Parts[len(v.Frame.Parts)-1].Name)
	require.NotEmpty(t, v.Skew)
	for _, r := range v.Skew {
		assert.Positive(t, r.Events)
	}
	exact := 0
	for _, e := range v.Events {
		if e.Predicted != 0 && e.Predicted == e.Cycle {
			exact++
		}
	}
	assert.Positive(t, exact, "the recording is of the model in cycles, so its prediction of itself is near")
}

// TestHeadsAlone: in mode digest the events have no values, unless a second look brought some.
func TestHeadsAlone(t *testing.T) {
	v, _ := view(t, planted.Fault{Mode: target.ModeDigest, Kind: event.KindWindow, Skip: 200, Change: func(b []byte) { b[30] ^= 1 }})
	assert.Contains(t, v.Why[1], "head.digest is ")
	assert.Len(t, v.Events, before+1+behind)
	assert.Contains(t, v.Events[before].Device, "(state not sent)")
}

// TestOwed: what the device leaves out is told as owed by it, in its place among the events.
func TestOwed(t *testing.T) {
	v, _ := view(t, planted.Fault{Kind: event.KindCompletion, Skip: 100})
	n := 0
	for _, e := range v.Events {
		if e.Side == Model {
			n++
			assert.Empty(t, e.Device)
			assert.NotEmpty(t, e.Model)
		}
	}
	if v.first.DeviceRecord == "" {
		assert.Equal(t, 1, n)
		assert.Empty(t, v.Fields)
	}
	assert.NotEmpty(t, v.Why)
}

// TestLongRuns: the model is not run for ever.
func TestLongRuns(t *testing.T) {
	defer func(n uint64) { mostCycles = n }(mostCycles)
	mostCycles = 100
	v, _ := view(t, planted.Fault{Kind: event.KindWindow, Skip: 700, Change: planted.Set(event.KindWindow, "path.ce", 9)})
	require.Len(t, v.Absent, 1)
	assert.Contains(t, v.Absent[0], "behind cycle 100")
	assert.Len(t, v.Events, before+1+behind)
}

func TestWords(t *testing.T) {
	for what, want := range map[string]string{"late": "by cycle 9 it is too late", "missing": "came to its end and still owes ack request (connection 2, path 1)",
		"hang": "hangs at cycle 9", "illegal": "may not do there: ack request (connection 2, path 1) in cycle 9. because"} {
		text := strings.Join(why(&lockstep.Divergence{What: what, Kind: "ack", Op: "request", Cycle: 9, Conn: 2, Path: 1, Rule: "R-ACK", Why: "because"}), "\n")
		assert.Contains(t, text, want)
		assert.Contains(t, text, "because")
		assert.Contains(t, text, "R-ACK is the rule of ack")
	}
	assert.Contains(t, why(&lockstep.Divergence{What: "illegal", Rule: "R-RECORD"})[1], "The rule is R-RECORD")
	assert.Equal(t, "window packet of command 3 (connection 0, path 0)", subject(&lockstep.Divergence{Kind: "window", Op: "packet", Xid: commandBit + 3}))
	fields := []lockstep.FieldDiff{{Field: "out.ack_now"}, {Field: "out.gap_shown"}, {Field: "path.cum"}}
	assert.Equal(t, []lockstep.FieldDiff{fields[1], fields[0], fields[2]}, rootFirst(&lockstep.Divergence{Kind: "window", Fields: fields}))
	wide := lockstep.FieldDiff{Device: "0x" + strings.Repeat("0", 64), Model: "0x8" + strings.Repeat("0", 61) + "21"}
	assert.Equal(t, "differs: bit 0 is 0 in the device and 1 in the model, bit 5 is 0 in the device and 1 in the model, bit 255 is 0 in the device and 1 in the model", bothValues(wide))
}

// TestWhatIsNotThere: a folder without a divergence gives no view; a damaged one gives what the verdict has, and says so.
func TestWhatIsNotThere(t *testing.T) {
	v, err := Read(context.Background(), t.TempDir())
	assert.NoError(t, err)
	assert.Nil(t, v)
	f := planted.Fault{Kind: event.KindWindow, Skip: 50, Change: planted.Set(event.KindWindow, "path.ce", 9)}
	_, dir := view(t, f)
	require.NoError(t, os.Truncate(filepath.Join(dir, journal.RecordsFile), 70))
	v, err = Read(context.Background(), dir)
	require.NoError(t, err)
	require.NotNil(t, v)
	assert.NotEmpty(t, v.Why)
	assert.Empty(t, v.Events)
	require.Len(t, v.Absent, 1)
	assert.Contains(t, v.Absent[0], "records.bin has 70 bytes")
	require.NoError(t, os.WriteFile(filepath.Join(dir, journal.VerdictFile), []byte("{"), 0o644))
	_, err = Read(context.Background(), dir)
	assert.ErrorContains(t, err, "garbled")
	require.NoError(t, os.WriteFile(filepath.Join(dir, journal.VerdictFile), []byte(`{"result":"match"}`), 0o644))
	v, err = Read(context.Background(), dir)
	assert.NoError(t, err)
	assert.Nil(t, v)
}

// FuzzRead: whatever stands in the files, there is a view or an error.
func FuzzRead(f *testing.F) {
	defer func(n uint64) { mostCycles = n }(mostCycles)
	mostCycles = 5000
	dir, verdict, err := planted.Folder(context.Background(), f.TempDir(), 10, 1, planted.Fault{Kind: event.KindWindow, Change: planted.Set(event.KindWindow, "path.ce", 9)})
	require.NoError(f, err)
	records, err := os.ReadFile(filepath.Join(dir, journal.RecordsFile))
	require.NoError(f, err)
	stimulus, err := os.ReadFile(filepath.Join(dir, journal.StimulusFile))
	require.NoError(f, err)
	text, err := json.Marshal(verdict)
	require.NoError(f, err)
	f.Add(text, records[:640], stimulus[:400])
	f.Fuzz(func(t *testing.T, text, records, stimulus []byte) {
		for name, b := range map[string][]byte{journal.VerdictFile: text, journal.RecordsFile: records, journal.StimulusFile: stimulus} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
		}
		require.NoError(t, journal.WriteSeal(dir, journal.Seal{}))
		v, err := Read(context.Background(), dir)
		if err == nil && v != nil && len(v.Why) == 0 {
			t.Fatal("a divergence of which nothing is said")
		}
	})
}
