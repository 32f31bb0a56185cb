package shrink

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/scenario"
)

// Name is that of a shrunk text.
const Name = "shrunk.scn"

// Seen is what the run of a program came to.
type Seen struct {
	Signature *result.Signature // nil: it matched
	Line      string            // for people
	Xid       uint32            // the transaction at which it failed; 0: none is known
	Trace     *Trace            // of the transactions before; nil: nothing was seen
}

// Oracle runs a program. An error says nothing about the program, and ends the search.
type Oracle func(ctx context.Context, p *compose.Program) (*Seen, error)

// Options of a search.
type Options struct {
	Params preset.Params
	Seed   uint64            // of the run, which decides stalls
	Want   *result.Signature // what the failure is known as; nil: whatever the first run comes to
	Runs   int               // most runs, the last look included; 0: 100
	Tries  int               // runs of the whole until it counts as one that does not come back; 0: 3
	// Progress, if not nil, is told after every candidate.
	Progress func(Progress)
}

// Progress is where a search stands.
type Progress struct {
	Stage  string
	Runs   int
	Most   int
	Events int // of the smallest text so far
}

// Result is a text that fails as the whole did.
type Result struct {
	Text      []byte           `json:"-"`
	Before    int              `json:"before"` // events
	After     int              `json:"after"`
	Runs      int              `json:"runs"`
	Signature result.Signature `json:"signature"`
	Line      string           `json:"line"` // what the text comes to, for people
	// Minimal: no line can be left out. Else runs or time were over before that was known.
	Minimal     bool `json:"minimal"`
	Interrupted bool `json:"interrupted,omitempty"`
}

// ErrMatches: there is nothing to make smaller.
var ErrMatches = errors.New("it matches: there is no failure to shrink")

// Lost is a failure that does not come back.
type Lost struct {
	Runs int
	Last string // what it came to instead
	What string // of what
}

// Error says it.
func (l *Lost) Error() string {
	return fmt.Sprintf("%s did not come back in %d runs; the last came to %s", l.What, l.Runs, l.Last)
}

// Shrink makes the failure of a program small. The error is a Lost, ErrMatches, or that of the oracle.
func Shrink(ctx context.Context, p *compose.Program, oracle Oracle, o Options) (*Result, error) {
	if o.Runs == 0 {
		o.Runs = 100
	}
	if o.Tries == 0 {
		o.Tries = 3
	}
	s := &search{ctx: ctx, o: &o, oracle: oracle, known: map[[sha256.Size]byte]bool{}, stage: "whole"}
	seen, err := s.whole(p)
	if err != nil {
		return nil, err
	}
	r := &Result{Before: s.events(p)}
	if err := s.cut(p, seen); err != nil {
		return nil, err
	}
	s.steps()
	return r, s.finish(r)
}

// whole runs the program as it is, until it comes to what it is known as.
func (s *search) whole(p *compose.Program) (*Seen, error) {
	last := "a match"
	for range s.o.Tries {
		seen, ok := s.run(p)
		if !ok {
			return nil, s.cause()
		}
		s.tell()
		switch {
		case seen.Signature == nil && s.o.Want == nil:
			return nil, ErrMatches
		case seen.Signature == nil:
			last = "a match"
		case s.o.Want == nil || s.o.Want.Key() == seen.Signature.Key():
			if why := Unfit(seen.Signature); why != "" {
				return nil, &Unable{What: why}
			}
			s.key = seen.Signature.Key()
			s.o.Want = seen.Signature
			s.known[print(p)], s.line = true, seen.Line
			return seen, nil
		default:
			last = seen.Signature.String()
		}
	}
	return nil, &Lost{Runs: s.runs, Last: last, What: s.o.Want.String()}
}

// Unfit says why a failure of this kind cannot be made smaller by leaving out; "": it can.
func Unfit(s *result.Signature) string {
	switch s.Kind {
	case "unmet":
		return "what the text expects was not met: that is said of the whole, and any part of it would fail that"
	case "wall", "stall", "cycles":
		return "a limit was passed: there is no failure that a shorter stimulus would come to sooner"
	case string(result.Inconclusive), string(result.Unsupported), string(result.Lost), string(result.Skipped):
		return "nothing was compared: there is no failure to shrink"
	}
	return ""
}

func (s *search) cause() error {
	if s.err != nil {
		return s.err
	}
	return context.Cause(s.ctx)
}

// events counts those of a program: the lines of its text, or what these would be made of where it is too long for one.
func (s *search) events(p *compose.Program) int {
	f, err := scenario.Lift(p, scenario.LiftOptions{Params: s.o.Params, To: len(p.Items)})
	if err != nil {
		return scenario.Events(p)
	}
	return len(f.Stmts)
}

// steps makes the best text smaller, in the order of the package's page. Each step may use the runs up to a share, in tenths;
// what it does not need is there for the next.
func (s *search) steps() {
	for _, step := range []struct {
		stage string
		share int
		do    func()
	}{
		{"late", 4, s.late}, {"groups", 4, s.groups}, {"kinds", 5, s.kinds}, {"lines", 8, s.byLine}, {"names", 8, s.names}, {"fields", 9, s.fields}, {"lines again", 10, s.byLine}, {"fields", 10, s.plain},
	} {
		s.stage, s.until = step.stage, s.share(step.share)
		step.do()
	}
}

// late puts something simple in the place of what came between a duty and the time at which it was overdue, so that the
// packets that were there can go.
func (s *search) late() {
	if s.o.Want.Kind == "late" && len(s.best) > fewLines {
		s.try(slices.Concat(s.best, passing(s.best)))
	}
}

// share is a share of the runs, less those of the last look.
func (s *search) share(tenths int) int { return (s.o.Runs - s.o.Tries) * tenths / 10 }

// byLine leaves out lines: first of those between the first packet and the last, since what stands in front is needed by
// many, and a part that it belongs to would never go; then of all.
func (s *search) byLine() {
	all := s.best
	first := slices.IndexFunc(all, isPacket)
	last := len(all) - 1
	for last > first && !isPacket(all[last]) {
		last--
	}
	if first >= 0 {
		s.minimal(last-first, func(keep []int) lines { return slices.Concat(all[:first], pick(all[first:last], keep), all[last:]) })
	}
	all = s.best
	s.minimal(len(all), func(keep []int) lines { return pick(all, keep) })
}

func pick(all lines, keep []int) lines {
	list := make(lines, 0, len(keep))
	for _, i := range keep {
		list = append(list, all[i])
	}
	return list
}

// finish looks at the text once more, and goes back to the one before where it does not fail again.
func (s *search) finish(r *Result) error {
	r.Minimal = !s.over() && s.runs < s.share(10)
	s.stage = "last look"
	for n := 0; n < s.o.Tries && n < len(s.passed) && !s.over(); n++ {
		s.best = s.passed[len(s.passed)-1-n]
		p, err := s.program(s.best)
		if err != nil {
			return err
		}
		seen, ok := s.run(p)
		if !ok {
			break
		}
		s.tell()
		if seen.Signature != nil && seen.Signature.Key() == s.key {
			return s.write(r, seen.Line)
		}
		r.Minimal = false
	}
	r.Interrupted = s.ctx.Err() != nil
	switch {
	case r.Interrupted:
		r.Minimal = false
		return s.write(r, s.line)
	case s.err != nil:
		return s.err
	}
	return &Lost{Runs: s.runs, Last: "something else", What: "the shrunk text of " + s.o.Want.String()}
}
