package triage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/wave"
)

// WaveOptions are those of Waves.
type WaveOptions struct {
	Most int                  // executions of each bucket
	Say  func(id string)      // before each; nil: nobody
	Note func(of, why string) // of an execution, or a bucket, that gets no waves; nil: nobody
	Log  io.Writer            // of builds; nil: nobody
	// Dump runs one again; nil: execute.Waves.
	Dump func(ctx context.Context, c *plan.Case, root, binary, folder string, log io.Writer) (*lockstep.Divergence, error)
}

// Waves runs a few executions of every bucket again, the smallest first, and leaves waves around their divergence in their
// folders. Only divergences of RTL whose folders were kept can have some. What has waves already is not run again, and what
// is excused gets none. The error is that of the context; what could not be dumped is noted.
func (t *Triage) Waves(ctx context.Context, o WaveOptions) error {
	f, err := run.Open(t.dir)
	if err != nil {
		return err
	}
	records, err := f.SoundResults()
	if err != nil {
		return err
	}
	cases, err := f.Cases()
	if err != nil {
		return err
	}
	if o.Dump == nil {
		o.Dump = execute.Waves
	}
	by := map[string]*plan.Case{}
	for i := range cases {
		by[cases[i].ID()] = &cases[i]
	}
	for i := range t.Buckets {
		b := &t.Buckets[i]
		var list []result.Record
		why := "it is known"
		if !b.Excused() {
			list, why = b.choose(records, o.Most), "it has no divergence of RTL whose folder was kept"
		}
		if len(list)+len(b.Waves) == 0 && o.Note != nil {
			o.Note("bucket "+b.ID, why)
		}
		for _, r := range list {
			if err := b.dump(ctx, f, by[r.ID()], &r, &o); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose is the executions of a bucket that are to have waves and have none: the smallest, then of other tests, then any.
func (b *Bucket) choose(records []result.Record, most int) []result.Record {
	var list []result.Record
	tests := map[string]bool{}
	add := func(r *result.Record, another bool) { // another test than those chosen already
		has := another && tests[r.FullName()] || slices.ContainsFunc(b.Waves, func(w Wave) bool { return w.ID == r.ID() }) ||
			slices.ContainsFunc(list, func(x result.Record) bool { return x.ID() == r.ID() })
		if !has && len(b.Waves)+len(list) < most && Key(r) == b.Key && canHaveWaves(r) {
			list = append(list, *r)
			tests[r.FullName()] = true
		}
	}
	add(&b.Smallest, false)
	for _, another := range []bool{true, false} {
		for i := range records {
			add(&records[i], another)
		}
	}
	return list
}

// canHaveWaves says whether a record is that of a divergence of RTL which was kept: a cycle to look at, and a stimulus.
func canHaveWaves(r *result.Record) bool {
	return r.Verdict == result.Divergence && r.Dut == "rtl" && r.Folder != "" && r.Signature.Kind != "breach" && r.Signature.Kind != "unmet"
}

func (b *Bucket) dump(ctx context.Context, f *run.Folder, c *plan.Case, r *result.Record, o *WaveOptions) error {
	if o.Say != nil {
		o.Say(r.ID())
	}
	d, err := (*lockstep.Divergence)(nil), errors.New("it is no case of the run")
	if c != nil {
		d, err = o.Dump(ctx, c, f.Header.Root, f.Header.Binaries[execute.BinaryKey(c)], filepath.Join(f.Dir, r.Folder), o.Log)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	if err != nil {
		if o.Note != nil {
			o.Note(r.ID(), err.Error())
		}
		return nil
	}
	in := func(name string) string { return filepath.Join(r.Folder, name) }
	b.Waves = append(b.Waves, Wave{
		ID: r.ID(), File: in(journal.WaveFile), GTKWave: in(wave.GTKWaveFile), Surfer: in(wave.SurferFile), From: d.WaveFrom, To: d.WaveTo, Cycle: d.Cycle,
	})
	return nil
}
