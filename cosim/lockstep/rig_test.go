package lockstep_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

// traffic is random stimulus that reaches every kind of record.
var traffic = sync.OnceValues(func() (stimulus.List, error) {
	p, err := generate.Generate(generate.Config{Params: preset.Tiny, Seed: 5, Packets: 300})
	if err != nil {
		return nil, err
	}
	return p.Items, nil
})

func stimuli(t testing.TB) stimulus.List {
	t.Helper()
	l, err := traffic()
	require.NoError(t, err)
	return l
}

func config(m target.Mode) target.Config { return target.Config{Preset: "tiny", Seed: 3, Mode: m} }

// recorded is what the model answers to that traffic, in mode full, transaction by transaction.
var recorded = sync.OnceValues(func() ([][]byte, error) {
	items, err := traffic()
	if err != nil {
		return nil, err
	}
	ctx, d := context.Background(), modeltarget.New()
	if err := errors.Join(d.Reset(ctx, config(target.ModeFull)), d.Apply(ctx, items), d.Finish(ctx)); err != nil {
		return nil, err
	}
	var list [][]byte
	for {
		b, err := d.Drain(ctx)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, split(b)...)
	}
})

// tampered is a device whose records go through the hands of a test on their way: whole transactions, one list for all
// of the run, so that anything can be lost, doubled, swapped or changed. tamper copies what it changes.
type tampered struct {
	*modeltarget.Device
	mode   target.Mode
	tamper func(list [][]byte) [][]byte
	done   bool
	second []byte
	ending target.Ending
}

func newTampered(mode target.Mode, f func(list [][]byte) [][]byte) *tampered {
	return &tampered{Device: modeltarget.New(), mode: mode, tamper: f}
}

// change returns the list with its own copy of record i, to be changed.
func change(list [][]byte, i int) []byte {
	list[i] = append([]byte(nil), list[i]...)
	return list[i]
}

func (d *tampered) Drain(context.Context) ([]byte, error) {
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	list, err := recorded()
	if err != nil {
		return nil, err
	}
	d.ending = target.Ending{Cycles: binary.LittleEndian.Uint64(list[len(list)-1][8:]), Transactions: uint64(len(list))}
	var out []byte
	for _, r := range d.tamper(append([][]byte(nil), list...)) {
		d.second = append(d.second, r...)
		if d.mode == target.ModeDigest {
			r = r[:target.RecordBytes]
		}
		out = append(out, r...)
	}
	return out, nil
}

func (d *tampered) SecondLook(context.Context) ([]byte, error) { return d.second, nil }
func (d *tampered) End() target.Ending                         { return d.ending }

// split copies a batch in mode full into its transactions.
func split(b []byte) [][]byte {
	var l [][]byte
	for len(b) > 0 {
		n := target.RecordBytes * (1 + int(b[3]))
		l = append(l, append([]byte(nil), b[:n]...))
		b = b[n:]
	}
	return l
}

// redigest makes the head agree with the state behind it, as a device does that computed the wrong state.
func redigest(r []byte) {
	if e := event.Info(event.Kind(r[1])); e != nil && e.StateBytes > 0 {
		binary.LittleEndian.PutUint64(r[28:], event.Digest(r[64:64+e.StateBytes]))
	}
}

func do(t testing.TB, d target.Target, c target.Config, items stimulus.List) *lockstep.Verdict {
	t.Helper()
	r := lockstep.Run{Name: "test", Device: d, Config: c, Stimulus: items, Rerun: "tandem run test"}
	return r.Do(context.Background())
}
