package session

import (
	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/stimulus"
)

// Options describe one run.
type Options struct {
	Name     string // of scenario, generator or capture; part of the folder's name
	Device   string // "rtl" or "model"
	Config   target.Config
	Stimulus stimulus.List
	RTL      rtl.Options
	// RunsDir is where run folders go; empty: "runs" in the working directory.
	RunsDir string
	// Folders, if not nil, keeps runs of equal name and seed in folders of their own.
	Folders *journal.Folders
	// Journal: "always", "failure" (kept only when the run does not match), "never". Empty: always.
	Journal string
	// Fails, if not nil, is asked about a run that matched: whether it failed by what was observed, so that Journal
	// "failure" keeps it.
	Fails func(*lockstep.Verdict) bool
	// Wave: after a divergence of RTL, run again with FST on around it.
	Wave bool
	// Rerun is the line that repeats the run, printed in the report.
	Rerun string
	// Skew: compare the times of the device with those that model/pipe predicts; fills Verdict.Skew.
	Skew bool
	// Observe, if not nil, gets every transaction after it was found equal: head and state records, in order. The
	// bytes hold until it returns.
	Observe func(record []byte)
}

// API of this package, see run.go, replay.go, diff.go:
//
//	Run(ctx, Options) *lockstep.Verdict                  never nil; Verdict.Result is the exit code
//	Replay(ctx, folder string, observe) *lockstep.Verdict  re-checks a run folder with no simulator
//	Diff(a, b string) (*Difference, error)               first record that differs between two run folders
