package shrink

import (
	"fmt"
	"regexp"
	"strings"

	"metaroce/tandem/vectors/scenario"
)

// write makes the text of the best lines, as a file that people read: where it comes from, what it shows, what it takes.
func (s *search) write(r *Result, line string) error {
	p, err := s.program(s.best)
	if err != nil {
		return err
	}
	r.After, r.Runs, r.Signature, r.Line = len(s.best), s.runs, *s.o.Want, line
	head := lines{{Word: "title", Args: []*scenario.Arg{{Val: title(r), Quoted: true}}}}
	if rule := r.Signature.Rule; rule != "" {
		head = append(head, &scenario.Stmt{Word: "covers", Args: []*scenario.Arg{{Val: rule}}})
	}
	head = append(head, &scenario.Stmt{Word: "preset", Args: []*scenario.Arg{{Val: s.o.Params.Name}}})
	body := change(s.best, func(i int, l scenario.Stmt) scenario.Stmt {
		l.Lead.Blank = i == 0
		return l
	})
	end := &scenario.Stmt{Word: "expect", Lead: scenario.Lead{Blank: true}, Args: []*scenario.Arg{{Key: "frames", Op: "=", Val: fmt.Sprint(len(p.Frames))}}}
	r.Text = scenario.Format(&scenario.File{Stmts: append(append(head, body...), end)})
	return s.check(r.Text)
}

// check holds the written text against the lines that were run.
func (s *search) check(text []byte) error {
	f, err := scenario.Parse(Name, text)
	if err != nil {
		return fmt.Errorf("the shrunk text is not one: %w", err)
	}
	c, err := scenario.Compile(f, scenario.Options{Params: s.o.Params, Seed: s.o.Seed})
	if err != nil {
		return fmt.Errorf("the shrunk text does not compile: %w", err)
	}
	p, err := s.program(s.best)
	if err == nil && print(p) != print(c.Program) {
		err = fmt.Errorf("the shrunk text makes another stimulus than was run")
	}
	return err
}

var noTitle = regexp.MustCompile(`["\x00-\x1f]`)

func title(r *Result) string {
	return strings.TrimSpace(noTitle.ReplaceAllString(fmt.Sprintf("%s, of %d events", r.Signature.String(), r.Before), " "))
}
