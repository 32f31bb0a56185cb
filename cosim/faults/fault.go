package faults

import "fmt"

// Group is the part of the system a fault sits in.
type Group string

// Groups.
const (
	Step     Group = "step"     // combinational steps: what is decided
	Plumbing Group = "plumbing" // harness, queues, look-ups: what reaches a step
	Told     Group = "told"     // order and time, which the model adopts: rule and bound must catch them
	Bridge   Group = "bridge"   // monitors, shim, socket: what is said of the device
)

// Fault is one planted bug.
type Fault struct {
	Number int    // what +tandem_fault selects; never reused
	Name   string // for people and for the command line
	Group  Group
	What   string // the bug, as its author would confess it
	Edits  []Edit
	// Stimuli are scenarios that reach it, tried in order.
	Stimuli []string
	// Refused: the protocol itself notices, so the run ends as a failure of the bench (exit code 2).
	Refused bool
}

// Edit replaces From, which stands exactly once in File, by To. PLANTED in To is the condition "this fault is chosen".
type Edit struct {
	File string // relative to the checkout
	From string
	To   string
}

// Place is where the fault sits: the file of its first edit.
func (f *Fault) Place() string { return f.Edits[0].File }

// All returns every fault, in order of numbers.
func All() []Fault {
	var list []Fault
	for _, part := range [][]Fault{steps, plumbing, told, bridge} {
		list = append(list, part...)
	}
	return list
}

// ByName finds faults by name.
func ByName(names []string) ([]Fault, error) {
	all := All()
	var list []Fault
	for _, n := range names {
		i := 0
		for i < len(all) && all[i].Name != n {
			i++
		}
		if i == len(all) {
			return nil, fmt.Errorf("fault %q is not in the catalogue; `tandem bugs list` shows it", n)
		}
		list = append(list, all[i])
	}
	return list, nil
}
