package block

import (
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"metaroce/tandem/vectors/mrv"
)

// keptText is where steps are kept that draws do not find (`tandem vectors grade --keep`): ENGINE OP BODY, a line a step, the body
// (row and input) in hexadecimal without the zeros at its end. # begins a comment.
//
//go:embed kept.txt
var keptText string

// Kept is the text of the kept steps.
func Kept() string { return keptText }

// ParseKept reads kept steps by engine, with what each leaves. It names every bad line.
func ParseKept(text string) (map[string][]mrv.Step, error) {
	steps := map[string][]mrv.Step{}
	var errs []error
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := parseKept(steps, words); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
		}
	}
	return steps, errors.Join(errs...)
}

func parseKept(steps map[string][]mrv.Step, words []string) error {
	if len(words) != 3 {
		return fmt.Errorf("%d words, want ENGINE OP BODY", len(words))
	}
	e := ByName(words[0])
	if e == nil {
		return fmt.Errorf("%q is no engine", words[0])
	}
	op, err := strconv.ParseUint(words[1], 10, 8)
	if err != nil {
		return fmt.Errorf("op %q: want 0 to 255", words[1])
	}
	body, err := hex.DecodeString(words[2])
	if err != nil || len(body) > e.BodyBytes() {
		return fmt.Errorf("the body is not up to %d bytes in hexadecimal", e.BodyBytes())
	}
	s := mrv.Step{Op: uint8(op), Before: append(body, make([]byte, e.BodyBytes()-len(body))...)}
	if s.After, err = e.Answer(s.Op, s.Before); err != nil {
		return err
	}
	steps[e.Name] = append(steps[e.Name], s)
	return nil
}

// FormatKept is a step as a line of the text.
func FormatKept(engine string, s *mrv.Step, why string) string {
	n := len(s.Before)
	for n > 0 && s.Before[n-1] == 0 {
		n--
	}
	return fmt.Sprintf("%s %d %s # %s", engine, s.Op, hex.EncodeToString(s.Before[:n]), why)
}

// kept makes a vector of the engine's kept steps; nil: there are none.
func (e *Engine) kept(seed uint64) *mrv.Vector {
	steps, err := ParseKept(keptText)
	if err != nil {
		panic(fmt.Sprintf("vectors/block BUG: kept.txt: %v", err))
	}
	if len(steps[e.Name]) == 0 {
		return nil
	}
	v := e.vector("kept", seed)
	v.Title = "steps that tell a mutant of the RTL from the RTL, which no other step does"
	v.Steps = slices.Clone(steps[e.Name])
	return v
}
