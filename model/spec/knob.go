package spec

// Knob is a constant that a run may set to another value within its range: the rates, times and thresholds of sender
// and shares. It is no part of the schema hash, since it moves no bit of what is recorded.
type Knob struct {
	Pos
	Name    string
	Default int64
	Lo, Hi  int64
	Unit    string
	Rule    string // R-id of the rule that it belongs to
	Text    string // what it does, and why this value
}

func (ld *loader) readKnob(l line) {
	k := Knob{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Unit: l.attrs["unit"], Rule: ld.rule(l, l.args[2]), Text: l.text}
	k.Lo, k.Hi = ld.bounds(l)
	k.Default = ld.num(l, "value", l.args[1], k.Lo, k.Hi)
	ld.spec.Knobs = append(ld.spec.Knobs, k)
}
