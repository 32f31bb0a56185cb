package report

import (
	"errors"
	"os"
	"path/filepath"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/run"
)

// trendRuns is how many runs the history of a report has.
const trendRuns = 40

// past adds what the index beside the runs knows of this plan until this run.
func (r *Report) past(path string) error {
	if path == "" {
		path = filepath.Join(filepath.Dir(r.dir), history.FileName)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) { // Open would make one
		r.absent("history: there is no %s beside the run", history.FileName)
		return nil
	}
	s, err := history.Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	if r.Trend, err = s.Trend(r.Run.Plan, r.Run.Began, trendRuns); err != nil {
		return err
	}
	all, err := s.Flakes()
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for i := range r.records {
		x := &r.records[i]
		here[x.FullName()+"@"+x.Seed.String()] = true
	}
	for _, f := range all {
		if here[f.Test+"@"+f.Seed.String()] {
			r.Flaky = append(r.Flaky, f)
		}
	}
	return nil
}

// IndexOne puts the coverage of a run into the index beside it, if there is one.
func IndexOne(f *run.Folder) error {
	path := filepath.Join(filepath.Dir(f.Dir), history.FileName)
	if _, err := os.Stat(path); err != nil {
		return nil // the run has said so
	}
	s, err := history.Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	return Index(s, f)
}

// Index puts the coverage of a run in. A run that measured none has none to put in.
func Index(s *history.Store, f *run.Folder) error {
	c, err := coverage.Read(f.Dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && c.Functional == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Cover(f.Header.ID, c.Functional.Bins-c.Functional.Waived, c.Functional.Hit)
}
