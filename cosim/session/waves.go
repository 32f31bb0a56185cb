package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/cosim/wave"
)

// Waves runs a run that is kept in a folder again, as far as its divergence, and leaves a dump of the cycles around it there,
// with files that open it (package wave). opt is the simulator that the run had. The verdict in the folder names the dump then.
func Waves(ctx context.Context, folder string, opt rtl.Options) (*lockstep.Divergence, error) {
	var m journal.Meta
	var v lockstep.Verdict
	for name, to := range map[string]any{journal.RunFile: &m, journal.VerdictFile: &v} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = json.Unmarshal(b, to)
		}
		if err != nil {
			return nil, target.Fail("run folder", err, "cannot read %s", filepath.Join(folder, name))
		}
	}
	if v.Divergence == nil || m.Device != "rtl" {
		return nil, target.Fail("run folder", nil, "%s is no divergence of RTL", folder)
	}
	if err := dump(ctx, opt, m.Config, folder, v.Divergence); err != nil {
		return nil, err
	}
	return v.Divergence, journal.WriteVerdict(folder, &v)
}

// dump runs the stimulus of a folder again with the wave file open for the cycles around a divergence. A run depends on
// nothing but its stimulus, seed and build, so the window shows what was compared; what stands before it is run without
// a dump, nearly at full speed.
func dump(ctx context.Context, opt rtl.Options, c target.Config, folder string, d *lockstep.Divergence) error {
	opt.Binary = "" // it has no waves
	opt.RunDir = folder
	opt.Coverage, opt.CoverageFile = rtl.NoCoverage, ""
	opt.Trace, opt.TraceFrom, opt.TraceTo = true, d.WaveFrom, d.WaveTo
	if _, err := rtl.Plain(ctx, opt, c, filepath.Join(folder, journal.StimulusFile)); err != nil {
		return err
	}
	d.WaveFile = filepath.Join(folder, journal.WaveFile)
	if err := wave.Save(folder, d); err != nil {
		return target.Fail("run folder", err, "cannot write the save files of the waves")
	}
	return nil
}
