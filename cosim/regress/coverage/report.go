package coverage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"metaroce/tandem/internal/atomicfile"
)

// Files below the run folder.
const (
	ReportFile  = "coverage.json"
	SumFile     = "coverage.dat"
	BinsSumFile = "coverage.bins"
	Folder      = "cover" // of what each execution left
)

// BinsFile has the functional bins of an execution, below the run folder. Its name does not depend on who ran it.
func BinsFile(id string) string { return filepath.Join(Folder, id+".bins") }

// PointsFile has what the execution's simulator counted.
func PointsFile(id string) string { return filepath.Join(Folder, id+".dat") }

// Version of the report's form.
const Version = 1

// Report is what a run has covered. A part that was not measured is nil.
type Report struct {
	Version    int         `json:"version"`
	Executions int         `json:"executions"` // that left something to count
	Functional *Functional `json:"functional,omitempty"`
	Line       *Code       `json:"line,omitempty"`   // lines of source
	Branch     *Code       `json:"branch,omitempty"` // arms of if and case
	Toggle     *Code       `json:"toggle,omitempty"` // bits of signals
	User       *Code       `json:"user,omitempty"`   // cover properties
	// Rank is the smallest set of executions found that covers all that the run covers, the one that adds most first.
	Rank []Ranked `json:"rank,omitempty"`
	// Stale are waivers that waive nothing, have expired, or waive what was hit.
	Stale []string `json:"stale,omitempty"`
	// Missing are executions that should have left something to count, and did not.
	Missing []string `json:"missing,omitempty"`
}

// Functional is the state of bins.
type Functional struct {
	Bins   int     `json:"bins"`
	Hit    int     `json:"hit"`
	Waived int     `json:"waived"`
	Groups []Group `json:"groups"`
}

// Group is the state of a group of bins.
type Group struct {
	Name   string   `json:"name"`
	Text   string   `json:"text"`
	Bins   int      `json:"bins"`
	Hit    int      `json:"hit"`
	Waived int      `json:"waived"`
	Least  uint64   `json:"least"`          // hits of the bin with the fewest, of those hit
	Open   []string `json:"open,omitempty"` // neither hit nor waived: "class=new epoch=next ..."
}

// Code is the state of one kind of points of the RTL.
type Code struct {
	Points int    `json:"points"`
	Hit    int    `json:"hit"`
	Waived int    `json:"waived"`
	Files  []File `json:"files"`
}

// File is the state of a source file.
type File struct {
	File   string `json:"file"` // relative to the checkout
	Points int    `json:"points"`
	Hit    int    `json:"hit"`
	Waived int    `json:"waived"`
	Gaps   []Gap  `json:"gaps,omitempty"` // not hit, by line; waived ones too
}

// Gap is a point that was never hit.
type Gap struct {
	Line   int    `json:"line"`
	What   string `json:"what,omitempty"`   // if, else, elsif, case; name of the bit
	Text   string `json:"text"`             // the line of source as it was then
	Waived string `json:"waived,omitempty"` // the reason; empty: open
}

// Ranked is an execution of the rank.
type Ranked struct {
	ID   string `json:"id"`
	Adds int    `json:"adds"` // bins and points that those before it do not have
	Sum  int    `json:"sum"`  // with it
	Of   int    `json:"of"`   // all that the run covers
}

// Write writes the report into a run folder.
func (r *Report) Write(dir string) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, ReportFile), append(b, '\n'))
}

// Read reads the report of a run folder; os.ErrNotExist: the run has none.
func Read(folder string) (*Report, error) {
	path := filepath.Join(folder, ReportFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("%s has form %d, this program reads %d", path, r.Version, Version)
	}
	return r, nil
}

// Measured are the parts about the RTL that were measured, by name.
func (r *Report) Measured() []string {
	names := []string{}
	for _, p := range Parts() {
		if p.Code(r) != nil {
			names = append(names, p.Name)
		}
	}
	return names
}
