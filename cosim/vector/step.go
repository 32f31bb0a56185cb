package vector

import (
	"bytes"
	"fmt"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
)

// IsBlock says whether a kind is an engine: its vectors hold steps.
func IsBlock(kind string) bool { return block.ByName(kind) != nil }

func knownKind(kind string) bool {
	return kind == mrv.Receive || kind == mrv.Endpoint || IsBlock(kind)
}

// kinds lists them for people.
func kinds() string {
	list := []string{mrv.Receive, mrv.Endpoint}
	for i := range block.Engines {
		list = append(list, block.Engines[i].Name)
	}
	return strings.Join(list, ", ")
}

// checkSteps holds the steps of a block vector against the block.
func checkSteps(out *Outcome, v *mrv.Vector) *Outcome {
	e := block.ByName(v.Kind)
	if len(v.Items) > 0 {
		return out.failed(fmt.Errorf("vector %s: %d frames and accesses, which an engine is not given", v.Name, len(v.Items)))
	}
	if err := e.Fits(v); err != nil {
		return out.failed(fmt.Errorf("vector %s: %w", v.Name, err))
	}
	for i := range v.Steps {
		s := &v.Steps[i]
		got, err := e.Answer(s.Op, s.Before)
		if err != nil {
			return out.failed(fmt.Errorf("vector %s, step %d: %w", v.Name, i, err))
		}
		out.Compared++
		if bytes.Equal(got, s.After) {
			continue
		}
		if len(out.Mismatches) == expect.MostMismatches {
			out.More++
			continue
		}
		out.Mismatches = append(out.Mismatches, stepMismatch(e, i, s.After, got))
	}
	return out.judge()
}

func stepMismatch(e *block.Engine, i int, want, got []byte) expect.Mismatch {
	info := e.Info()
	m := expect.Mismatch{Rule: info.Rule, Class: "step", Segment: i, Field: "row"}
	head := make([]byte, mrv.BodyAt)
	a, b := append(bytes.Clone(head), want...), append(bytes.Clone(head), got...)
	for d := range event.DiffFields(info.Kind, a, b) {
		m.Field, m.Want, m.Got = d.Field.FullName(), d.Field.Format(d.A), d.Field.Format(d.B)
		break
	}
	return m
}
