package block

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/mrv"
)

// Sizes of the vectors of a block.
const (
	draws    = 30_000 // looked through for bins
	binSteps = 12     // of a bin, at most
	walk     = 1000   // steps that follow each other
)

// Revision of this generator: it changes when equal arguments give other steps.
const Revision = "block 1"

// Vectors makes the vectors of an engine: one for each bin that its decisions fall into (op, enumerated decisions and
// flags), one for the bits of row and input, a walk in which rows
// go on from step to step, and the kept steps. Equal seeds give equal vectors.
func (e *Engine) Vectors(seed uint64) []*mrv.Vector {
	info := e.Info()
	d, next := newDraw(seed, e), e.next()
	bins := map[string]*mrv.Vector{}
	for i := range draws {
		var before, after record
		next(d, &before, &after)
		key := binOf(info, &after)
		v := bins[key]
		if v == nil {
			v = e.vector(key, seed)
			v.Title = fmt.Sprintf("%s, first met in draw %d", strings.ReplaceAll(key, "/", ", "), i)
			bins[key] = v
		}
		if len(v.Steps) < binSteps {
			v.Steps = append(v.Steps, stepOf(info, &before, &after))
		}
	}
	names := make([]string, 0, len(bins))
	for n := range bins {
		names = append(names, n)
	}
	sort.Strings(names)
	list := make([]*mrv.Vector, 0, len(names)+2)
	var bases []mrv.Step
	for _, n := range names {
		list = append(list, bins[n])
		bases = append(bases, bins[n].Steps[:min(3, len(bins[n].Steps))]...)
	}
	list = append(list, e.flips(seed, bases), e.walk(seed))
	if v := e.kept(seed); v != nil {
		list = append(list, v)
	}
	return list
}

func (e *Engine) vector(what string, seed uint64) *mrv.Vector {
	return &mrv.Vector{Name: e.Name + "/" + what, Kind: e.Name, Rules: []string{e.Info().Rule}, Preset: "tiny",
		Source: mrv.Source{Kind: "block", Name: what, Seed: seed, Revision: Revision + " layout " + e.Layout()}}
}

func (e *Engine) walk(seed uint64) *mrv.Vector {
	v := e.vector("walk", seed)
	v.Title = "steps one behind the other, rows going on"
	d, next := newDraw(seed, e), e.next()
	for range walk {
		var before, after record
		next(d, &before, &after)
		v.Steps = append(v.Steps, stepOf(e.Info(), &before, &after))
	}
	return v
}

// Layout names the places of an engine's values: steps that were written under another one mean nothing here.
func (e *Engine) Layout() string {
	h := sha256.New()
	info := e.Info()
	for i := range info.Fields {
		f := &info.Fields[i]
		fmt.Fprintln(h, f.FullName(), f.Offset, f.Width)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// binOf names the bin of a step: its op, and every decision that is a flag or of an enumeration.
func binOf(info *event.EngineInfo, after *record) string {
	parts := []string{event.OpName(info.Kind, after[2])}
	for i := range info.Fields {
		f := &info.Fields[i]
		if f.Group != event.GroupOut || f.Width > 8 {
			continue
		}
		switch b := f.Bytes(after[:]); {
		case f.Enum != "":
			parts = append(parts, f.Name+"="+f.Format(b))
		case f.Name == "class": // an enumeration of event.tbl
			parts = append(parts, "class="+event.Class(b[0]).String())
		case f.Name == "verdict":
			parts = append(parts, "verdict="+event.Verdict(b[0]).String())
		case f.Width == 1 && b[0] != 0:
			parts = append(parts, f.Name)
		}
	}
	return strings.Join(parts, "/")
}

func stepOf(info *event.EngineInfo, before, after *record) mrv.Step {
	n := event.RecordSize * (1 + info.Parts)
	return mrv.Step{Op: after[2], Before: bytes.Clone(before[bodyAt:n]), After: bytes.Clone(after[bodyAt:n])}
}

// Line is a step as $readmemh takes it: {out, row after, in, op, row before}.
func (e *Engine) Line(s *mrv.Step) (string, error) {
	if len(s.Before) != e.BodyBytes() || len(s.After) != e.BodyBytes() {
		return "", fmt.Errorf("%s: a body of %d bytes, its records have %d", e.Name, len(s.Before), e.BodyBytes())
	}
	info := e.Info()
	var before, after record
	before[0], before[1], before[2], before[3] = event.RecordVersion, byte(info.Kind), s.Op, byte(info.Parts)
	copy(before[bodyAt:], s.Before)
	copy(after[bodyAt:], s.After)
	return line(info, &before, &after), nil
}

// Fingerprint says what the steps do: it is that of their answers to drawn inputs, so it changes with a change of
// behaviour and not with one of text. 16 hex digits.
func Fingerprint() string {
	h := sha256.New()
	for _, name := range sortedEngines() {
		e := ByName(name)
		for _, l := range e.Lines(0x7a, 400) {
			h.Write([]byte(l))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func sortedEngines() []string {
	var names []string
	for i := range Engines {
		names = append(names, Engines[i].Name)
	}
	slices.Sort(names)
	return names
}

// Widths gives the bits of an engine's input, of its decision and of each of its rows.
func (e *Engine) Widths() (in, out int, rows []int) {
	at := map[string]int{}
	info := e.Info()
	for i := range info.Fields {
		switch f := &info.Fields[i]; f.Group {
		case event.GroupIn:
			in += f.Width
		case event.GroupOut:
			out += f.Width
		case event.GroupRow:
			if _, ok := at[f.Row]; !ok {
				at[f.Row] = len(rows)
				rows = append(rows, 0)
			}
			rows[at[f.Row]] += f.Width
		}
	}
	return in, out, rows
}
