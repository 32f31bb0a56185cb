package spec

import (
	"strconv"
	"strings"
)

func (ld *loader) checkEngines() {
	s := ld.spec
	for i := range s.Structs {
		ld.checkVars(s.Structs[i].Name, s.Structs[i].Fields)
	}
	names, ids, orders := unique{}, unique{}, unique{}
	for i := range s.Engines {
		e := &s.Engines[i]
		names.add(ld, e.Pos, e.Name, "engine "+e.Name)
		if e.ID >= 0 {
			ids.add(ld, e.Pos, strconv.Itoa(e.ID), "id "+strconv.Itoa(e.ID)+" of "+e.Name)
		}
		if !e.Boundary && e.Order >= 0 {
			orders.add(ld, e.Pos, strconv.Itoa(e.Order), "order "+strconv.Itoa(e.Order)+" of "+e.Name)
		}
		ld.checkEngine(e)
	}
}

func (ld *loader) checkVars(owner string, vars []Var) {
	names := unique{}
	for _, v := range vars {
		names.add(ld, v.Pos, v.Name, owner+": "+v.Name)
		ld.checkEnumRef(v.Pos, v.Name, v.Enum, v.Width, false)
		ld.checkFrom(v)
	}
}

// checkFrom checks from=ENGINE (a register of that engine) or from=ENGINE.ROW (its table).
func (ld *loader) checkFrom(v Var) {
	if v.From == "" {
		return
	}
	name, row, dotted := strings.Cut(v.From, ".")
	e := ld.spec.Engine(name)
	if e == nil {
		ld.badf(v.Pos, RuleRef, "%s: there is no engine %s to read from", v.Name, name)
		return
	}
	for i := range e.Rows {
		if e.Rows[i].Name == row {
			return
		}
	}
	if dotted {
		ld.badf(v.Pos, RuleRef, "%s: engine %s has no row %s to read from", v.Name, name, row)
	}
}

func (ld *loader) checkEngine(e *Engine) {
	ops, opNames, rows := unique{}, unique{}, unique{}
	for _, op := range e.Ops {
		ops.add(ld, op.Pos, strconv.FormatInt(op.Number, 10), "op number "+strconv.FormatInt(op.Number, 10)+" of "+e.Name)
		opNames.add(ld, op.Pos, op.Name, "op "+op.Name+" of "+e.Name)
	}
	ld.checkVars(e.Name+" in", e.In)
	ld.checkVars(e.Name+" out", e.Out)
	for _, r := range e.Rows {
		rows.add(ld, r.Pos, r.Name, "row "+r.Name+" of "+e.Name)
		// Ops and rows of an engine become Go names of the same form, <Engine><Name>.
		if was, twice := opNames[r.Name]; twice {
			ld.badf(r.Pos, RuleName, "row %s of %s has the generated name of op %s (line %d)", r.Name, e.Name, r.Name, was.Line)
		}
		if r.Name == "in" || r.Name == "out" || r.Name == "head" {
			ld.badf(r.Pos, RuleName, "row of %s may not be called %s", e.Name, r.Name)
		}
		if _, err := rowCount(r.Rows, ld.paramOne); err != nil {
			ld.badf(r.Pos, RuleRef, "row %s of %s: rows=%q: %v", r.Name, e.Name, r.Rows, err)
		}
		if len(r.Fields) == 0 {
			ld.badf(r.Pos, RuleForm, "row %s of %s has no field", r.Name, e.Name)
		}
		ld.checkVars(e.Name+" row "+r.Name, r.Fields)
	}
	if e.Built && len(e.In) == 0 && e.ID >= 0 {
		ld.badf(e.Pos, RuleForm, "%s is built and has no in", e.Name)
	}
	if e.Built && !e.Boundary && len(e.Ops) == 0 {
		ld.badf(e.Pos, RuleForm, "%s is built and has no op", e.Name)
	}
	e.Layout = layoutOf(e)
	if e.Layout.Parts > MaxParts {
		ld.badf(e.Pos, RuleRecord, "%s: %d bytes of state; a record holds %d bytes behind its head body of %d",
			e.Name, e.Layout.StateBytes, MaxParts*RecordBytes, BodyBytes)
	}
	told := 0
	for _, f := range e.Layout.Fields {
		if !f.Told {
			continue
		}
		told++
		// In mode digest only the head travels: a told value outside it could not be adopted.
		if f.Offset >= RecordBytes {
			ld.badf(f.Pos, RuleTold, "%s is told and lies in state record 1: move it forward", f.Name)
		}
	}
	if told > 3 {
		ld.badf(e.Pos, RuleTold, "%s is told %d values; at most 3", e.Name, told)
	}
}

// paramOne knows every declared parameter; it is enough to check an expression.
func (ld *loader) paramOne(name string) (int64, bool) {
	for _, p := range ld.spec.Params {
		if p.Name == name {
			return 1, true
		}
	}
	return 0, false
}

func (ld *loader) checkRegs() {
	names := unique{}
	taken := map[int]string{}
	for _, r := range ld.spec.Regs {
		names.add(ld, r.Pos, r.Name, "reg "+r.Name)
		if r.Offset%4 != 0 || r.Stride%4 != 0 {
			ld.badf(r.Pos, RuleOverlap, "reg %s: offset and stride are multiples of 4", r.Name)
			continue
		}
		for i := range r.Count {
			at := r.Offset + i*r.Stride
			if at > MaxRegOffset-4 {
				ld.badf(r.Pos, RuleOverlap, "reg %s: entry %d at 0x%x lies beyond the register window of 0x%x", r.Name, i, at, MaxRegOffset)
				break
			}
			if other, hit := taken[at]; hit {
				ld.badf(r.Pos, RuleOverlap, "reg %s: 0x%x belongs to %s", r.Name, at, other)
				break
			}
			taken[at] = r.Name
		}
	}
}

func (ld *loader) checkCommands() {
	desc := ld.spec.Struct("desc")
	for _, c := range ld.spec.Commands {
		names := unique{}
		for i := range c.Args {
			a := &c.Args[i]
			names.add(ld, a.Pos, a.Name, "arg "+a.Name+" of "+c.Name)
			ld.checkArg(c.Name, a, desc)
		}
	}
}

func (ld *loader) checkArg(cmd string, a *Arg, desc *Struct) {
	r := ld.spec.Reg(a.Reg)
	switch {
	case r == nil:
		ld.badf(a.Pos, RuleRef, "%s.%s: there is no reg %s", cmd, a.Name, a.Reg)
	case r.Access != "rw" || r.Count != 1:
		ld.badf(a.Pos, RuleRef, "%s.%s: reg %s must be a single rw register", cmd, a.Name, a.Reg)
	case a.RegHi > 31:
		ld.badf(a.Pos, RuleNumber, "%s.%s: bit %d of a 32-bit register", cmd, a.Name, a.RegHi)
	}
	var field *Var
	if desc != nil {
		for i := range desc.Fields {
			if desc.Fields[i].Name == a.Desc {
				field = &desc.Fields[i]
			}
		}
	}
	if field == nil {
		ld.badf(a.Pos, RuleRef, "%s.%s: the descriptor has no field %s", cmd, a.Name, a.Desc)
		return
	}
	if a.DescHi >= field.Width {
		ld.badf(a.Pos, RuleNumber, "%s.%s: bit %d of descriptor field %s, which has %d", cmd, a.Name, a.DescHi, a.Desc, field.Width)
		return
	}
	// Where bits are not given: the field's low part, as wide as both sides allow.
	switch {
	case a.DescHi < 0 && a.RegHi < 0:
		w := min(32, field.Width)
		a.RegHi, a.DescHi = w-1, w-1
	case a.RegHi < 0:
		a.RegHi = a.DescHi - a.DescLo
	case a.DescHi < 0:
		a.DescHi = a.RegHi - a.RegLo
	}
	if a.RegHi-a.RegLo != a.DescHi-a.DescLo || a.DescHi >= field.Width || a.RegHi > 31 {
		ld.badf(a.Pos, RuleWidth, "%s.%s: reg bits %d:%d do not fit descriptor bits %d:%d", cmd, a.Name, a.RegHi, a.RegLo, a.DescHi, a.DescLo)
	}
}
