package suite

import (
	"fmt"

	"metaroce/tandem/cosim/session"
)

// Again is one job as a call of tandem run. What is zero is not said: the command takes the same then.
type Again struct {
	What       string // a scenario as a shell reads it, or the flags in its place
	Device     string
	Preset     string
	Mode       string
	Fault      string
	Batch      int
	Stalls     *bool
	Seed       uint64
	Runs, Root string
}

// String is the line.
func (a *Again) String() string {
	s := fmt.Sprintf("tandem run %s --dut %s --preset %s --mode %s", a.What, a.Device, a.Preset, a.Mode)
	if a.Fault != "" {
		s += " --fault " + a.Fault
	}
	if a.Batch != 0 {
		s += fmt.Sprintf(" --batch %d", a.Batch)
	}
	if a.Stalls != nil {
		s += fmt.Sprintf(" --stalls=%v", *a.Stalls)
	}
	return s + session.AgainFlags(a.Seed, a.Runs, a.Root)
}
