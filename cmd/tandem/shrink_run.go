package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	regression "metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/shrink"
	"metaroce/tandem/cosim/regress/triage"
)

// shrinkRun makes the smallest case of every cause of a run small, and prints the causes.
func (a *app) shrinkRun(f *shrinkFlags, path string) error {
	err := f.fixed("executions of a regression are", "dut", "preset", "mode", "fault", "seed", "stalls")
	if f.given("output") {
		err = errors.Join(err, errors.New("-o: every cause of a regression has a file of its own, beside what was kept of it"))
	}
	if err != nil {
		return err
	}
	folder, err := regression.Open(path)
	if err != nil {
		return err
	}
	t, err := triage.Read(folder.Dir)
	if err != nil {
		return err
	}
	if len(t.Buckets) == 0 {
		return shrinkStatus(shrink.ErrMatches)
	}
	notes, err := a.shrinkAll(t, folder, f.most)
	if err != nil {
		return err
	}
	if f.json {
		err = a.json(struct {
			*triage.Triage
			Notes []string `json:"notes"` // why causes have no smaller case
		}{t, append([]string{}, notes...)})
	} else {
		a.buckets(t, shellPath(folder.Dir), nil)
		for _, n := range notes {
			fmt.Fprintf(a.out, "note: %s\n", n)
		}
	}
	small := slices.ContainsFunc(t.Buckets, func(b triage.Bucket) bool { return b.Shrunk != nil })
	switch {
	case err != nil:
		return err
	case a.ctx.Err() != nil:
		return done(lockstep.BenchFailed)
	case !small:
		return done(lockstep.Unsupported) // the notes say why
	}
	return nil
}

// shrinkAll makes the smallest case of every cause small, those that are known and those that are small already aside, and
// puts the places into the triage. Notes tell of causes that have no smaller case, and why.
func (a *app) shrinkAll(t *triage.Triage, folder *regression.Folder, most int) (notes []string, err error) {
	cases, err := folder.Cases()
	if err != nil {
		return nil, err
	}
	byID := map[string]*plan.Case{}
	for i := range cases {
		byID[cases[i].ID()] = &cases[i]
	}
	root := a.from(folder, "").Root
	for i := range t.Buckets {
		b := &t.Buckets[i]
		c := byID[b.Smallest.ID()]
		if a.ctx.Err() != nil || c == nil || b.Excused() || b.Shrunk != nil && isFile(filepath.Join(folder.Dir, b.Shrunk.File)) {
			continue
		}
		file := filepath.Join(execute.TestsFolder, c.ID(), shrink.Name)
		r, again, err := a.shrinkTo(&quarry{c: *c, want: b.Smallest.Signature, out: filepath.Join(folder.Dir, file), root: root}, most)
		if err != nil {
			notes = append(notes, fmt.Sprintf("not shrunk: %s: %v", &b.Signature, err))
			continue
		}
		b.Shrunk = shrunkOf(c, r, again)
	}
	return notes, t.Write()
}
