package planted

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
)

// Fault is what is planted: the first record of Kind behind Skip transactions is given to Change, or left out where that
// is nil.
type Fault struct {
	Mode   target.Mode
	Kind   event.Kind
	Skip   int
	Change func(record []byte)
}

// Folder makes a run folder in dir and returns its path with the verdict. Packets of random traffic follow from the seed.
func Folder(ctx context.Context, dir string, packets int, seed uint64, f Fault) (string, *lockstep.Verdict, error) {
	j, err := suite.FromSeed("tiny", seed, packets, false)
	if err != nil {
		return "", nil, err
	}
	prog, _, err := j.Make(ctx)
	if err != nil {
		return "", nil, err
	}
	v := session.Run(ctx, session.Options{Name: "planted", Device: "model", Config: target.Config{Preset: "tiny", Seed: seed, Mode: f.Mode}, Stimulus: prog.Items,
		RunsDir: dir, Journal: "always", Rerun: fmt.Sprintf("tandem run --random %d --seed %d", packets, seed)})
	if v.Result != lockstep.Match {
		return "", nil, errors.New(v.Line)
	}
	if err := f.plant(v.Folder); err != nil {
		return "", nil, err
	}
	folder := v.Folder
	if v = session.Replay(ctx, folder, nil); v.Result != lockstep.Diverged {
		return "", nil, fmt.Errorf("the planted fault makes no divergence: %s", v.Line)
	}
	return folder, v, journal.WriteVerdict(folder, v)
}

// plant changes the recording, and seals it again.
func (f *Fault) plant(folder string) error {
	path := filepath.Join(folder, journal.RecordsFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for at, n := 0, 0; at < len(b); n++ {
		size, err := journal.Size(b[at:], f.Mode)
		if err != nil {
			return err
		}
		if n >= f.Skip && event.Kind(b[at+1]) == f.Kind {
			if f.Change != nil {
				f.Change(b[at : at+size])
			} else {
				b = append(b[:at:at], b[at+size:]...)
			}
			return errors.Join(os.WriteFile(path, b, 0o644), journal.WriteSeal(folder, journal.Seal{}))
		}
		at += size
	}
	return fmt.Errorf("no %v behind %d transactions", f.Kind, f.Skip)
}

// Set is a change of one field.
func Set(kind event.Kind, field string, value byte) func(record []byte) {
	return func(record []byte) {
		for i := range event.Info(kind).Fields {
			if f := &event.Info(kind).Fields[i]; f.FullName() == field {
				f.Bytes(record)[0] = value
			}
		}
	}
}
