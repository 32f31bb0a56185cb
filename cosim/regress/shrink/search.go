package shrink

import (
	"context"
	"crypto/sha256"
	"slices"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/scenario"
)

// lines are the statements of a flat text. They are never changed, only exchanged.
type lines = []*scenario.Stmt

// search looks for smaller texts. Whatever ends it, best is a text that was seen to fail.
type search struct {
	ctx    context.Context
	o      *Options
	oracle Oracle
	key    string // of the signature
	err    error  // of the oracle: the search is over
	runs   int
	until  int    // runs that the present step may go to
	stage  string // for progress
	best   lines
	line   string  // what the last text that was run and taken came to
	passed []lines // every text that was taken, the smallest last
	known  map[[sha256.Size]byte]bool
}

// run runs a program; false where nothing is to be run any more.
func (s *search) run(p *compose.Program) (*Seen, bool) {
	if s.err != nil || s.ctx.Err() != nil {
		return nil, false
	}
	s.runs++
	seen, err := s.oracle(s.ctx, p)
	if err != nil {
		s.err = err
		return nil, false
	}
	return seen, true
}

// program compiles lines.
func (s *search) program(list lines) (*compose.Program, error) {
	f := &scenario.File{Name: Name, Stmts: slices.Concat(list, anything)}
	c, err := scenario.Compile(f, scenario.Options{Params: s.o.Params, Seed: s.o.Seed})
	if err != nil {
		return nil, err
	}
	return c.Program, nil
}

// anything is an expectation that holds: a text has to have one.
var anything = lines{{Word: "expect", Args: []*scenario.Arg{{Key: "frames", Op: ">=", Val: "0"}}}}

// print is that of a program: what the bench does, and nothing else.
func print(p *compose.Program) (sum [sha256.Size]byte) {
	h := sha256.New()
	var b []byte
	for i := range p.Items {
		b = journal.AppendItem(b[:0], &p.Items[i])
		h.Write(b)
	}
	h.Sum(sum[:0])
	return sum
}

// try takes lines if they fail as they should. What does not compile, and what was tried before, costs no run; but once no
// run is left, nothing is tried, since to compile thousands of lines thousands of times takes long too.
func (s *search) try(list lines) bool {
	if s.over() || s.runs >= s.until {
		return false
	}
	p, err := s.program(list)
	if err != nil {
		return false
	}
	id := print(p)
	same, known := s.known[id]
	if !known {
		seen, ok := s.run(p)
		if !ok {
			return false
		}
		if same = seen.Signature != nil && seen.Signature.Key() == s.key; same {
			s.line = seen.Line
		}
		s.known[id] = same
	}
	if same {
		s.take(list)
	}
	s.tell()
	return same
}

func (s *search) take(list lines) {
	s.best = list
	s.passed = append(s.passed, list)
}

func (s *search) tell() {
	if s.o.Progress != nil {
		s.o.Progress(Progress{Stage: s.stage, Runs: s.runs, Most: s.o.Runs, Events: len(s.best)})
	}
}

// minimal leaves out parts of the best text: keep says which lines stay if some of n parts do.
func (s *search) minimal(n int, keep func(parts []int) lines) {
	Minimal(n, func(parts []int) bool { return s.try(keep(parts)) })
}

// over says whether the search has been ended from outside.
func (s *search) over() bool { return s.err != nil || s.ctx.Err() != nil }
