package spec

// Statuses of an engine.
const (
	StatusBuilt = "built" // in Go and in RTL, compared in lockstep
	StatusModel = "model" // in Go; RTL comes later, and may still sharpen the record
	StatusLater = "later" // defined, so that formats do not change under what exists; nothing is generated
)

// Modelled tells whether Go types are generated for the engine.
func (e *Engine) Modelled() bool { return e.Status != StatusLater }

func (ld *loader) readStruct(l line) {
	ld.spec.Structs = append(ld.spec.Structs, Struct{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Text: l.text})
}

func (ld *loader) readEngine(l line) {
	e := Engine{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Rule: ld.rule(l, l.args[1]), Text: l.text, Status: StatusBuilt}
	e.ID = int(ld.num(l, "id", l.attrs["id"], 1, 255))
	if l.keyword == "boundary" {
		e.Boundary = true
	} else {
		e.Side = ld.oneOf(l, "side", "receive", "send")
		e.Order = int(ld.num(l, "order", l.attrs["order"], 1, 255))
		e.Status = ld.oneOf(l, "status", StatusBuilt, StatusModel, StatusLater)
	}
	e.Built = e.Status == StatusBuilt
	ld.row = false
	ld.spec.Engines = append(ld.spec.Engines, e)
}

func (ld *loader) readOp(l line) {
	e := last(ld.spec.Engines)
	e.Ops = append(e.Ops, Op{l.Pos, ld.name(l, l.args[0], false), ld.num(l, "number", l.args[1], 0, 255), l.text})
}

func (ld *loader) readVar(l line) Var {
	return Var{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Width: ld.width(l, l.args[1]), Enum: l.attrs["enum"], Text: l.text}
}

func (ld *loader) readIn(l line) {
	e := last(ld.spec.Engines)
	v := ld.readVar(l)
	v.Told = len(l.args) > 2
	v.Legal, v.Bound, v.From = l.attrs["legal"], l.attrs["bound"], l.attrs["from"]
	switch {
	case v.Told && v.Legal == "":
		ld.badf(l.Pos, RuleTold, "%s is told without legal=: adopting it without a rule would check nothing", v.Name)
	case !v.Told && (v.Legal != "" || v.Bound != ""):
		ld.badf(l.Pos, RuleTold, "%s has legal= or bound= and is not told", v.Name)
	}
	if v.Told && v.Bound == "" {
		ld.badf(l.Pos, RuleTold, "%s is told without bound=: the device could starve it for ever", v.Name)
	}
	e.In = append(e.In, v)
}

func (ld *loader) readOut(l line) {
	e := last(ld.spec.Engines)
	e.Out = append(e.Out, ld.readVar(l))
}

func (ld *loader) readRow(l line) {
	e := last(ld.spec.Engines)
	e.Rows = append(e.Rows, Row{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Rows: l.attrs["rows"], Index: l.attrs["index"], Overflow: l.attrs["overflow"], Text: l.text})
	if e.Built && l.attrs["overflow"] == "" {
		ld.badf(l.Pos, RuleForm, "row %s: overflow= is missing: what happens at the end of the table", l.args[0])
	}
	ld.row = true
}

func (ld *loader) readVarField(l line) {
	v := ld.readVar(l)
	switch {
	case ld.block == "struct":
		s := last(ld.spec.Structs)
		s.Fields = append(s.Fields, v)
	case !ld.row:
		ld.badf(l.Pos, RuleForm, "field stands in an engine outside any row")
	default:
		e := last(ld.spec.Engines)
		r := last(e.Rows)
		r.Fields = append(r.Fields, v)
	}
}
