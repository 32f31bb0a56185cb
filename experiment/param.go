package experiment

import (
	"fmt"
	"strings"
)

// Kind says what a parameter takes.
type Kind uint8

// Kinds. A list is written with commas and has at least one entry, none twice.
const (
	Number Kind = iota
	Numbers
	Choice
	Choices
)

// Param is one thing of an experiment that a user may set.
type Param struct {
	Name string
	Kind Kind
	Unit Unit
	// Min..Max is the range of a number, in the unit in which it is kept.
	Min, Max uint64
	// Options are the words that a choice takes.
	Options []string
	// Default is read like what a user writes.
	Default string
	// Why says what it is and why the default is what it is.
	Why string
	// Knob: one of many constants. Reports show it only where it was set.
	Knob bool
}

// Params are the parameters of an experiment, in the order in which they are listed.
type Params []Param

// Names lists them.
func (ps Params) Names() []string {
	var names []string
	for _, p := range ps {
		names = append(names, p.Name)
	}
	return names
}

// told are the names that a message lists: with the knobs there are too many.
func (ps Params) told() []string {
	var names []string
	for _, p := range ps {
		if !p.Knob {
			names = append(names, p.Name)
		}
	}
	return names
}

// Find returns the parameter of that name.
func (ps Params) Find(name string) (Param, bool) {
	for _, p := range ps {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// Setting is a parameter and what the user wrote for it.
type Setting struct{ Name, Text string }

// Problem is one thing that is wrong with a call.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	if p.Value == "" { // the name itself
		return p.Field + ": " + p.Rule
	}
	return fmt.Sprintf("%s is %s: %s", p.Field, p.Value, p.Rule)
}

// unknown is the problem of a name that is not among some, of which those told are listed.
func unknown(what, name string, names, told []string) *Problem {
	rule := "no such " + what
	if near := Near(name, names); len(near) > 0 {
		rule += "; near it: " + strings.Join(near, ", ")
	}
	return &Problem{Field: fmt.Sprintf("%s %q", what, name), Rule: rule + "; there are " + strings.Join(told, ", ")}
}

// Values are what the parameters of one run are.
type Values struct {
	of    map[string]value
	Texts []Setting // in the order of the parameters, in the form in which they can be set again
}

type value struct {
	numbers []uint64
	words   []string
}

// Read takes the defaults and, over them, the settings. It returns every problem, joined.
func (ps Params) Read(settings []Setting) (Values, []error) {
	var bad []error
	text := map[string]string{}
	for _, s := range settings {
		if _, ok := ps.Find(s.Name); !ok {
			bad = append(bad, unknown("parameter", s.Name, ps.Names(), ps.told()))
			continue
		}
		if _, twice := text[s.Name]; twice {
			bad = append(bad, &Problem{s.Name, "set twice", "set it once; a list has commas"})
		}
		text[s.Name] = s.Text
	}
	v := Values{of: map[string]value{}}
	for i := range ps {
		p := &ps[i]
		t, set := text[p.Name]
		if !set {
			t = p.Default
		}
		x, problems := p.read(t)
		bad = append(bad, problems...)
		v.of[p.Name] = x
		if set || !p.Knob {
			v.Texts = append(v.Texts, Setting{p.Name, t})
		}
	}
	return v, bad
}

// read reads what was written for a parameter.
func (p *Param) read(text string) (value, []error) {
	list := []string{text}
	if p.Kind == Numbers || p.Kind == Choices {
		list = strings.Split(text, ",")
	}
	var v value
	var bad []error
	seen := map[string]bool{}
	for _, entry := range list {
		key := entry
		if p.Kind == Number || p.Kind == Numbers {
			n, err := p.number(entry)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			v.numbers = append(v.numbers, n)
			key = fmt.Sprint(n)
		} else {
			if !contains(p.Options, entry) {
				bad = append(bad, p.noOption(entry))
				continue
			}
			v.words = append(v.words, entry)
		}
		if seen[key] {
			bad = append(bad, &Problem{p.Name, fmt.Sprintf("%q", text), entry + " stands there twice"})
		}
		seen[key] = true
	}
	return v, bad
}

func (p *Param) number(text string) (uint64, error) {
	n, ok := p.Unit.parse(text)
	if !ok {
		return 0, &Problem{p.Name, fmt.Sprintf("%q", text), "want " + p.Unit.form()}
	}
	if n < p.Min || n > p.Max {
		return 0, &Problem{p.Name, p.Unit.format(n), "want " + p.Range()}
	}
	return n, nil
}

func (p *Param) noOption(word string) error {
	rule := "want one of " + strings.Join(p.Options, ", ")
	if near := Near(word, p.Options); len(near) > 0 {
		rule += "; near it: " + strings.Join(near, ", ")
	}
	return &Problem{p.Name, fmt.Sprintf("%q", word), rule}
}

// Range says what the parameter takes.
func (p *Param) Range() string {
	switch p.Kind {
	case Number:
		return p.Unit.format(p.Min) + " to " + p.Unit.format(p.Max)
	case Numbers:
		return "a list, each " + p.Unit.format(p.Min) + " to " + p.Unit.format(p.Max)
	case Choice:
		return "one of " + strings.Join(p.Options, ", ")
	default:
		return "a list of " + strings.Join(p.Options, ", ")
	}
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// get is a declared parameter's value. A name that the experiment did not declare is its bug.
func (v Values) get(name string) value {
	x, ok := v.of[name]
	if !ok {
		panic(fmt.Sprintf("experiment BUG: parameter %q is not declared", name))
	}
	return x
}

// Number returns the value of a number, in its unit.
func (v Values) Number(name string) uint64 { return v.get(name).numbers[0] }

// Numbers returns the values of a list of numbers.
func (v Values) Numbers(name string) []uint64 { return v.get(name).numbers }

// Word returns the value of a choice.
func (v Values) Word(name string) string { return v.get(name).words[0] }

// Words returns the values of a list of choices.
func (v Values) Words(name string) []string { return v.get(name).words }
