package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/result"
)

// Row is the run as the index has it.
func (f *Folder) Row() history.Run {
	h := &f.Header
	return history.Run{
		ID: h.ID, Plan: h.Plan, Base: h.Base, Revision: h.Revision, Dirty: h.Dirty, Launcher: h.Launcher, Workers: h.Workers, Began: h.Began,
		Ended: h.Ended, Wall: h.Wall, State: h.State, Verdict: h.Verdict, Digest: h.Digest, Cases: h.Cases, Matched: h.Counts[result.Match], Events: h.Events, Cycles: h.Cycles,
	}
}

// List finds the run folders in a folder, the one begun first first. What cannot be read is told of.
func List(dir string) ([]*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []*Folder
	var errs []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(path, HeaderFile)); err != nil {
			continue
		}
		f, err := Open(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, f)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Header.Began < list[j].Header.Began })
	return list, errors.Join(errs...)
}

// Rebuild makes the index of a folder again from the results of its runs; more is told of each run behind its results. Runs
// that did not get to write results are left out. It returns how many were put in. The index takes the place of the one that
// was there when it is whole.
func Rebuild(dir string, more ...func(*history.Store, *Folder) error) (int, error) {
	work, err := os.MkdirTemp(dir, ".history-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	made, path := filepath.Join(work, history.FileName), filepath.Join(dir, history.FileName)
	n, err := fill(made, dir, more)
	if _, serr := os.Stat(made); serr != nil {
		return 0, err
	}
	if rerr := os.Remove(path + "-journal"); rerr != nil && !errors.Is(rerr, os.ErrNotExist) { // of the old one, whose writer was killed
		return 0, errors.Join(err, rerr)
	}
	return n, errors.Join(err, os.Rename(made, path))
}

// fill makes an index at a path. What cannot be read is told of, and all else is in it.
func fill(path, dir string, more []func(*history.Store, *Folder) error) (int, error) {
	s, err := history.Open(path)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	list, err := List(dir)
	n := 0
	for _, f := range list {
		records, rerr := f.SoundResults()
		if errors.Is(rerr, os.ErrNotExist) {
			continue
		}
		if rerr == nil {
			rerr = s.Add(f.Row(), records)
		}
		for _, tell := range more {
			if rerr == nil {
				rerr = tell(s, f)
			}
		}
		if rerr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", f.Header.ID, rerr))
			continue
		}
		n++
	}
	return n, err
}
