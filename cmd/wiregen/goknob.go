package main

import "metaroce/tandem/model/spec"

// genKnobs writes the constants that a run may set: a struct with a field each, their defaults and their ranges.
func genKnobs(s *spec.Spec) []output {
	var w source
	w.f("// %s", marker)
	w.f("\npackage preset\n")
	w.f("// Tuning is every constant of sender and shares that a run may set. Start from DefaultTuning.")
	w.f("type Tuning struct {")
	for _, k := range s.Knobs {
		w.f("%s uint32 // %s, %d..%d: %s (%s)", camel(k.Name), k.Unit, k.Lo, k.Hi, k.Text, k.Rule)
	}
	w.f("}\n")
	w.f("// DefaultTuning is the tuning that the definition gives.")
	w.f("func DefaultTuning() Tuning {\nreturn Tuning{")
	for _, k := range s.Knobs {
		w.f("%s: %d,", camel(k.Name), k.Default)
	}
	w.f("}\n}\n")
	w.f("var knobs = []Knob{")
	for _, k := range s.Knobs {
		w.f("{%q, %q, %q, %q, %d, %d, %d, func(t *Tuning) *uint32 { return &t.%s }},", k.Name, k.Unit, k.Rule, k.Text, k.Lo, k.Hi, k.Default, camel(k.Name))
	}
	w.f("}")
	return []output{{"model/preset/tuning_gen.go", gofmt(w.String())}}
}

// genDocConstants writes the page of all constants, fixed and tunable.
func genDocConstants(s *spec.Spec) []output {
	var w source
	page(&w, "Constants")
	w.f("All are `chosen` unless the source says otherwise. Sizes of tables are in [tables.md](tables.md).\n")
	w.f("## Fixed\n")
	w.f("| constant | value | unit | what | status, source |\n|---|---|---|---|---|")
	for _, c := range s.Consts {
		w.f("| `%s` | %d | %s | %s | %s |", c.Name, c.Value, c.Unit, cell(c.Text), claimOf(c.Claim))
	}
	w.f("\n## Of the sender and the shares\n\nA run may set each within its range (`preset.Tuning`, `tandem sim --set NAME=VALUE`). Rules: [protocol.md](protocol.md), [sender.md](sender.md), which has the calls behind figures.\n")
	w.f("| constant | value | range | unit | rule | what it does, and why this value |\n|---|---|---|---|---|---|")
	for _, k := range s.Knobs {
		w.f("| `%s` | %d | %d..%d | %s | %s | %s |", k.Name, k.Default, k.Lo, k.Hi, cell(k.Unit), k.Rule, cell(k.Text))
	}
	return []output{{"docs/constants.md", []byte(w.String())}}
}
