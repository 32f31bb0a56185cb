package main

import (
	"fmt"
	"sort"
	"strings"

	"metaroce/tandem/model/spec"
)

// genDocEvents writes what each engine is told, computes and records.
func genDocEvents(s *spec.Spec) []output {
	var w source
	page(&w, "Engines and records")
	w.f("Lockstep compares what each engine decided and the state it left, one record a transaction. *Told* values are adopted from the")
	w.f("device after their rule and their bound held; everything else is computed by the model and compared. The rules are in")
	w.f("[receive.md](receive.md), the frame of a record in its section 4. Offsets count bytes from the start of the transaction: 0..35 is the")
	w.f("head, 36..63 its body, 64 and above are state records, which the digest covers.\n")
	w.f("Schema hash: `%016x` (formats, legality rules and bounds; not texts).\n", s.Hash)
	w.f("## Engines\n")
	w.f("`order` is the place among the records of one cycle: a reader stands before the owner of what it reads.\n")
	w.f("| id | engine | side | order | rule | bytes | told | status | what |\n|---|---|---|---|---|---|---|---|---|")
	for i := range s.Engines {
		e := &s.Engines[i]
		side, order := e.Side, fmt.Sprint(e.Order)
		if e.Boundary {
			side, order = "boundary", "-"
		}
		w.f("| %d | [`%s`](#%s) | %s | %s | %s | %d | %s | %s | %s |", e.ID, e.Name, e.Name, side, order, e.Rule, spec.RecordBytes*(1+e.Layout.Parts),
			told(e), e.Status, cell(e.Text))
	}
	w.f("")
	for i := range s.Engines {
		docEngine(&w, &s.Engines[i])
	}
	w.f("## Descriptor\n")
	for _, st := range s.Structs {
		w.f("%s: %s.\n\n| bits | field | width | what |\n|---|---|---|---|", st.Name, st.Text)
		at := 0
		for _, f := range st.Fields {
			w.f("| %s | `%s` | %d | %s |", bitRange(at, f.Width), f.Name, f.Width, cell(f.Text))
			at += f.Width
		}
	}
	return []output{{"docs/events.md", []byte(w.String())}}
}

func told(e *spec.Engine) string {
	var names []string
	for _, f := range e.Layout.Fields {
		if f.Told {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

func docEngine(w *source, e *spec.Engine) {
	w.f("## %s\n", e.Name)
	state := ""
	if e.Status == spec.StatusModel {
		state = " In the model; RTL comes later, and may still sharpen the record."
	}
	if e.Status == spec.StatusLater {
		state = " Not built yet: the record is defined, the rules may still be sharpened."
	}
	w.f("%s (%s).%s\n", capital(e.Text), e.Rule, state)
	for _, op := range e.Ops {
		w.f("- op %d `%s`: %s", op.Number, op.Name, op.Text)
	}
	if len(e.Ops) > 0 {
		w.f("")
	}
	for _, f := range e.Layout.Fields {
		if f.Told {
			w.f("**Told: `%s`.** Legal: %s. Bound: %s.\n", f.Name, f.Legal, f.Bound)
		}
	}
	for _, r := range e.Rows {
		w.f("Table `%s.%s`: %s rows, index %s; %s.\n", e.Name, r.Name, r.Rows, r.Index, r.Text)
	}
	w.f("| offset | size | value | bits | role | what |\n|---|---|---|---|---|---|")
	for i := range e.Layout.Fields {
		f := &e.Layout.Fields[i]
		w.f("| %d | %d | `%s.%s` | %d | %s | %s |", f.Offset, f.Size, f.Group, f.Name, f.Width, role(f), cell(f.Text))
	}
	w.f("")
}

func role(f *spec.Placed) string {
	switch {
	case f.Told:
		return "told"
	case f.From != "":
		return "read from `" + f.From + "`"
	case f.Row:
		return "state left"
	case f.Group == "out":
		return "computed"
	}
	return "compared"
}

// genDocRegisters writes the register port.
func genDocRegisters(s *spec.Spec) []output {
	var w source
	page(&w, "Registers and commands")
	w.f("32-bit registers at byte addresses. A command goes through the receive pipeline like a packet: write its arguments, then its number")
	w.f("to `CMD_OP`. It is confirmed (`CMD_DONE` counts) when nothing before it can use what it changed. Arguments keep their values.")
	w.f("Counters wrap at 2^32. One that is written goes on from there; what commits in the cycle of the write counts before it, and is lost.\n")
	w.f("| address | register | access | what |\n|---|---|---|---|")
	for _, r := range s.Regs {
		addr, name := fmt.Sprintf("0x%03x", r.Offset), r.Name
		if r.Count > 1 {
			addr = fmt.Sprintf("0x%03x..0x%03x", r.Offset, r.Offset+(r.Count-1)*r.Stride)
			name = fmt.Sprintf("%s[%d]", r.Name, r.Count)
		}
		w.f("| %s | `%s` | %s | %s |", addr, name, r.Access, cell(r.Text))
	}
	w.f("\n## Commands\n")
	for _, c := range s.Commands {
		w.f("### %d `%s`\n\n%s.\n\n| argument | register | descriptor field | what |\n|---|---|---|---|", c.Number, c.Name, capital(c.Text))
		for _, a := range c.Args {
			w.f("| %s | `%s[%d:%d]` | `%s[%d:%d]` | %s |", a.Name, a.Reg, a.RegHi, a.RegLo, a.Desc, a.DescHi, a.DescLo, cell(a.Text))
		}
		w.f("")
	}
	for _, name := range []string{"reason", "verdict", "class"} {
		e := s.Enum(name)
		title := map[string]string{"reason": "Drop reasons (the smaller number wins)", "verdict": "Verdicts of a message", "class": "Classes of the window"}[name]
		w.f("## %s\n\n| number | name | rule | what |\n|---|---|---|---|", title)
		for _, v := range e.Values {
			rule := v.Rule
			if rule == "" {
				rule = map[string]string{"verdict": "R-MESSAGE", "class": "R-WINDOW"}[name]
			}
			w.f("| %d | `%s` | %s | %s |", v.Number, v.Name, rule, cell(v.Text))
		}
		w.f("")
	}
	return []output{{"docs/registers.md", []byte(w.String())}}
}

// genDocTables writes the memory that each preset needs.
func genDocTables(s *spec.Spec) []output {
	var w source
	page(&w, "Tables")
	w.f("Every table has one writer, its engine; commands enter as pipeline operations. A table has one write port, one read port for its own")
	w.f("step, and one more for each engine that looks it up. All reads are synchronous; `ram_latency` cycles lie between address and data in every")
	w.f("preset's tables. Rows are not protected by parity or ECC: that is left to the memory macros. Rows are zero after reset.\n")
	docTables(&w, s, true)
	w.f("## Tables of engines that are in the model only\n\nNot in RTL yet; listed so that their cost is known.\n")
	docTables(&w, s, false)
	docPresets(&w, s)
	return []output{{"docs/tables.md", []byte(w.String())}}
}

func docTables(w *source, s *spec.Spec, built bool) {
	head, rule := "| table | row bits | rows | index | read by | ports | overflow |", "|---|---|---|---|---|---|---|"
	for _, p := range s.Presets {
		head += " " + p.Name + ": rows, bits |"
		rule += "---|"
	}
	w.f("%s\n%s", head, rule)
	total := make([]int64, len(s.Presets))
	for i := range s.Engines {
		e := &s.Engines[i]
		for j := range e.Rows {
			if e.Built != built {
				continue
			}
			r := &e.Rows[j]
			readers := readersOf(s, e.Name+"."+r.Name, built)
			line := fmt.Sprintf("| `%s.%s` | %d | %s | %s | %s | 1 write, %d read | %s |", e.Name, r.Name, r.Bits(), r.Rows, r.Index,
				strings.Join(append([]string{e.Name}, readers...), ", "), 1+len(readers), orDash(r.Overflow))
			for k := range s.Presets {
				rows := s.RowCount(r, &s.Presets[k])
				bits := rows * r.Bits()
				total[k] += bits
				line += fmt.Sprintf(" %s, %s |", group3(rows), group3(bits))
			}
			w.f("%s", line)
		}
	}
	line := "| **all** | | | | | | |"
	for k := range s.Presets {
		if built {
			line += fmt.Sprintf(" **%s (%s Mb)** |", group3(total[k]), mega(total[k]))
		} else {
			line += fmt.Sprintf(" **%s Mb** |", mega(total[k]))
		}
	}
	w.f("%s\n", line)
	if !built {
		return
	}
	line = "Packet buffer, one write and one read port:"
	for k := range s.Presets {
		beats := s.Value(&s.Presets[k], "buf_beats")
		line += fmt.Sprintf(" %s %s bits (%s beats of 512);", s.Presets[k].Name, group3(512*beats), group3(beats))
	}
	w.f("%s.\n", strings.TrimSuffix(line, ";"))
	w.f("Tables and packet buffer together may take %d Mb (`table_ceiling`); the loader refuses a preset above it.\n", s.Const("table_ceiling"))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// readersOf lists the engines that look a table up; with built, those that exist.
func readersOf(s *spec.Spec, table string, built bool) []string {
	seen := map[string]bool{}
	for i := range s.Engines {
		if built && !s.Engines[i].Built {
			continue
		}
		for _, v := range s.Engines[i].In {
			if v.From == table {
				seen[s.Engines[i].Name] = true
			}
		}
	}
	var out []string
	for name := range seen {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

func docPresets(w *source, s *spec.Spec) {
	head, rule := "| parameter | range |", "|---|---|"
	for _, p := range s.Presets {
		head += " " + p.Name + " |"
		rule += "---|"
	}
	w.f("## Presets\n")
	for _, p := range s.Presets {
		w.f("- `%s`: %s", p.Name, p.Text)
	}
	w.f("\n%s what |\n%s---|", head, rule)
	for i, p := range s.Params {
		line := fmt.Sprintf("| `%s` | %d..%d%s |", p.Name, p.Lo, p.Hi, map[bool]string{true: ", power of two", false: ""}[p.Pow2])
		for _, pr := range s.Presets {
			line += fmt.Sprintf(" %d |", pr.Values[i])
		}
		w.f("%s %s |", line, cell(p.Text))
	}
}

// group3 writes a number with thin groups of three digits.
func group3(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

func mega(bits int64) string { return fmt.Sprintf("%d.%02d", bits/1e6, bits%1e6/1e4) }

// genDocAssumptions lists everything that the announcement does not state.
func genDocAssumptions(s *spec.Spec) []output {
	var w source
	page(&w, "Assumptions")
	w.f("The specification of MetaRoCE and its wire format were not available. `stated`: the announcement says it. `inferred`: it follows from")
	w.f("the fact named. `chosen`: ours. A row's status is that of its weakest claim, so a stated field of a chosen width is listed as what its width")
	w.f("is. This page lists all that is inferred or chosen in `model/spec`; rules of behaviour carry their status in [receive.md](receive.md).\n")
	rows := claims(s)
	count := map[string]int{}
	for _, r := range rows {
		count[r.claim.Status]++
	}
	w.f("%d rows: %d stated, %d inferred, %d chosen.\n", len(rows), count["stated"], count["inferred"], count["chosen"])
	for _, status := range []string{"inferred", "chosen"} {
		w.f("## %s\n\n| what | text | source | defined at |\n|---|---|---|---|", capital(status))
		for _, r := range rows {
			if r.claim.Status == status {
				w.f("| %s | %s | %s | %s:%d |", r.what, cell(r.claim.Text), r.claim.Source, r.pos.File, r.pos.Line)
			}
		}
		w.f("")
	}
	w.f("Registers, commands, drop reasons, verdicts, engines, records, presets and their sizes are all chosen: [registers.md](registers.md),")
	w.f("[events.md](events.md), [tables.md](tables.md).")
	return []output{{"docs/assumptions.md", []byte(w.String())}}
}

type claimRow struct {
	what  string
	claim spec.Claim
	pos   spec.Pos
}

func claims(s *spec.Spec) []claimRow {
	var out []claimRow
	add := func(pos spec.Pos, c spec.Claim, format string, a ...any) {
		out = append(out, claimRow{fmt.Sprintf(format, a...), c, pos})
	}
	for _, c := range s.Consts {
		add(c.Pos, c.Claim, "constant `%s` = %d %s", c.Name, c.Value, c.Unit)
	}
	for _, e := range s.Enums {
		if !e.Wire {
			continue
		}
		add(e.Pos, e.Claim, "enum `%s`, %d bits", e.Name, e.Width)
		for _, v := range e.Values {
			add(v.Pos, v.Claim, "`%s` %s = %d", e.Name, v.Name, v.Number)
		}
	}
	for _, h := range s.Headers {
		add(h.Pos, h.Claim, "header `%s`, %d bytes", h.Name, h.Bytes)
		for _, f := range h.Fields {
			add(f.Pos, f.Claim, "`%s.%s`, %d bits at bit %d", h.Name, f.Name, f.Width, f.Offset)
		}
	}
	for _, p := range s.Packets {
		add(p.Pos, p.Claim, "packet `%s`", p.Name)
	}
	return out
}
