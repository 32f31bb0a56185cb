package execute

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/internal/atomicfile"
)

// cover writes the bins of a run.
func (e *Env) cover(r result.Record, c interface{ Encode() []byte }) (result.Record, error) {
	name := coverage.BinsFile(r.ID())
	path := filepath.Join(e.Run, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return r, err
	}
	r.Coverage = name
	return r, atomicfile.Write(path, c.Encode())
}

// pointsFile is where the simulator writes what it counted of the RTL.
func (e *Env) pointsFile() string { return filepath.Join(e.Work, "coverage.dat") }

// points puts what the simulator counted beside the bins of the run. A file that is not whole fails the run.
func (e *Env) points(r result.Record) error {
	in, err := os.Open(e.pointsFile())
	if err != nil {
		return fmt.Errorf("the simulator wrote no coverage: %w", err)
	}
	defer in.Close()
	sum := coverage.NewSum()
	if _, err := sum.Add("coverage.dat", in); err != nil {
		return err
	}
	if sum.Len() == 0 {
		return errors.New("there are no points in the coverage of the simulator")
	}
	return Move(e.pointsFile(), filepath.Join(e.Run, coverage.PointsFile(r.ID())))
}

// keep moves the folder of a run to its place, if it is one to be kept.
func (e *Env) keep(r result.Record, o *suite.Outcome) result.Record {
	from := o.Verdict.Folder
	r.Line = strings.ReplaceAll(r.Line, e.Work, "...")
	wanted := e.Keep == "always" || e.Keep == "failure" && r.Verdict != result.Match
	if from == "" || !wanted {
		return r
	}
	name := filepath.Join(e.Tests, r.ID())
	to := filepath.Join(e.Run, name)
	// The verdict names its own folder and waves: it is written again with the place where they stay.
	o.Verdict.Folder = to
	if d := o.Verdict.Divergence; d != nil && d.WaveFile != "" {
		d.WaveFile = filepath.Join(to, journal.WaveFile)
	}
	err := errors.Join(journal.WriteVerdict(from, o.Verdict), Move(from, to))
	if err != nil {
		return failed(r, "run folder", err)
	}
	r.Folder = name
	return r
}

// Move puts a folder in the place of another, also across file systems. A folder that was there is gone.
func Move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	// beside the place first: nobody sees half a folder
	half, err := os.MkdirTemp(filepath.Dir(to), ".moving-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := copyTree(from, filepath.Join(half, "x")); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(half, "x"), to); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

// copyTree copies files and folders; sockets and whatever else a killed run leaves are passed over.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !e.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
}
