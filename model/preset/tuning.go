package preset

import (
	"errors"
	"fmt"
	"slices"
)

// Knob is one constant of a Tuning: what it means and what it may be.
type Knob struct {
	Name, Unit      string
	Rule            string // id on docs/protocol.md
	Text            string // what it does, and why the default
	Lo, Hi, Default uint32

	field func(*Tuning) *uint32
}

// Get returns its value in a tuning.
func (k *Knob) Get(t *Tuning) uint32 { return *k.field(t) }

// Knobs are all constants of a Tuning, in the order of constant.tbl.
func Knobs() []Knob { return slices.Clone(knobs) }

// Problem is one constant that is out of its range, or not known.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("tuning: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Set gives a constant a value; the range is held by Validate.
func (t *Tuning) Set(name string, value uint32) error {
	for i := range knobs {
		if knobs[i].Name == name {
			*knobs[i].field(t) = value
			return nil
		}
	}
	return &Problem{name, fmt.Sprint(value), "there is no such constant (docs/constants.md lists them)"}
}

// Validate returns every constant that is out of its range, joined; each is a *Problem.
func (t *Tuning) Validate() error {
	var all []error
	for i := range knobs {
		k := &knobs[i]
		if v := k.Get(t); v < k.Lo || v > k.Hi {
			all = append(all, &Problem{k.Name, fmt.Sprint(v), fmt.Sprintf("want %d..%d %s", k.Lo, k.Hi, k.Unit)})
		}
	}
	return errors.Join(all...)
}
