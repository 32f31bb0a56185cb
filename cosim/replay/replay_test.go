package replay

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
)

func recording(n int) *journal.Journal {
	j := &journal.Journal{Dir: "x", Meta: journal.Meta{Config: target.Config{Preset: "tiny", Seed: 1, Mode: target.ModeDigest}}}
	e := &target.Ending{Cycles: 99, Transactions: uint64(n)}
	for i := range n {
		r := make([]byte, 64)
		r[0], r[1], r[3], r[4] = event.RecordVersion, byte(event.KindWindow), 2, byte(i)
		e.Digest = target.HeadsDigest(e.Digest, r)
		j.Records = append(j.Records, r...)
	}
	j.Ending = e
	return j
}

func drain(t *testing.T, d *Device) (all []byte, err error) {
	t.Helper()
	require.NoError(t, d.Reset(context.Background(), d.j.Meta.Config))
	for {
		b, err := d.Drain(context.Background())
		all = append(all, b...)
		if err != nil {
			return all, err
		}
	}
}

func TestGivesBackWhatWasRecorded(t *testing.T) {
	j := recording(3000) // several batches
	d := New(j)
	for range 2 { // and again after Reset
		all, err := drain(t, d)
		require.ErrorIs(t, err, io.EOF)
		assert.Equal(t, j.Records, all)
		assert.Equal(t, *j.Ending, d.End())
	}
}

func TestWhatIsMissingIsNoFaultOfTheDevice(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(j *journal.Journal)
		want   string
	}{
		{"broken off", func(j *journal.Journal) { j.Ending = nil }, "the recording was broken off after 10 records"},
		{"record lost", func(j *journal.Journal) { j.Records = j.Records[64:] }, "holds 9 records with digest"},
		{"record changed", func(j *journal.Journal) { j.Records[64+50]++ }, "holds 10 records with digest"},
		{"cut", func(j *journal.Journal) { j.Records = j.Records[:600] }, "records.bin, byte 576: cut short"},
		{"garbage", func(j *journal.Journal) { j.Records[64] = 0 }, "records.bin, byte 64: no record of this schema"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := recording(10)
			c.change(j)
			_, err := drain(t, New(j))
			var f *target.Failure
			require.ErrorAs(t, err, &f)
			assert.ErrorContains(t, err, c.want)
			assert.NotErrorIs(t, err, io.EOF)
		})
	}
}

func TestRefusals(t *testing.T) {
	d := New(recording(1))
	var u *target.Unsupported
	for _, c := range []target.Config{{Preset: "small", Seed: 1, Mode: target.ModeDigest}, {Preset: "tiny", Seed: 2, Mode: target.ModeDigest}, {Preset: "tiny", Seed: 1}} {
		require.ErrorAs(t, d.Reset(context.Background(), c), &u)
	}
	_, err := d.SecondLook(context.Background())
	require.ErrorAs(t, err, &u)
	d.j.Ring = []byte{1}
	b, err := d.SecondLook(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []byte{1}, b)
	require.NoError(t, d.Apply(context.Background(), nil))
	require.NoError(t, d.Finish(context.Background()))
	require.NoError(t, d.Close())
	assert.Contains(t, d.Describe().Name, "replay of x")
}
