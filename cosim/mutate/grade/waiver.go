package grade

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Waiver is a reason why a mutant may survive, for some time.
type Waiver struct {
	Line                       int
	Block, Part, Source, Where string // Where: MODE:PORT; each may hold *
	Until                      time.Time
	Reason                     string
}

func (w *Waiver) String() string {
	return sprintf("line %d: %s %s %s %s", w.Line, w.Block, w.Part, w.Source, w.Where)
}

// ParseWaivers reads a text of lines BLOCK PART SOURCE MODE:PORT UNTIL # reason. It names every bad line, and each that has
// expired today.
func ParseWaivers(name, text string, today time.Time) ([]*Waiver, error) {
	var list []*Waiver
	var errs []error
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		w, err := parseWaiver(line)
		if err == nil && w.Until.Before(today) {
			err = fmt.Errorf("expired on %s: kill the mutant, or look at it again and say until when", w.Until.Format(time.DateOnly))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d:1: %w", name, n, err))
			continue
		}
		w.Line = n
		list = append(list, w)
	}
	return list, errors.Join(errs...)
}

func parseWaiver(line string) (*Waiver, error) {
	text, reason, ok := strings.Cut(line, "#")
	words := strings.Fields(text)
	if reason = strings.TrimSpace(reason); !ok || reason == "" {
		return nil, errors.New("the reason is missing: want BLOCK PART SOURCE MODE:PORT UNTIL # reason")
	}
	if len(words) != 5 {
		return nil, fmt.Errorf("%d words in front of the reason: want BLOCK PART SOURCE MODE:PORT UNTIL # reason", len(words))
	}
	for _, w := range words[:4] {
		if _, err := path.Match(w, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern", w)
		}
	}
	if p := Part(words[1]); p != Step && p != Around {
		return nil, fmt.Errorf("part %q: want %s or %s", p, Step, Around)
	}
	until, err := time.Parse(time.DateOnly, words[4])
	if err != nil {
		return nil, fmt.Errorf("until %q: want a day as 2027-01-31", words[4])
	}
	return &Waiver{Block: words[0], Part: words[1], Source: words[2], Where: words[3], Until: until, Reason: reason}, nil
}

// matches a mutant.
func (w *Waiver) matches(m *Mutant) bool {
	is := func(pattern, text string) bool {
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "|"), strings.ReplaceAll(text, "/", "|")) // * crosses it
		return err == nil && ok
	}
	port := strings.NewReplacer("[", "(", "]", ")").Replace(m.Mutant.Port)
	return is(w.Block, m.Block) && w.Part == string(m.Part) && is(w.Source, m.Source) && is(w.Where, m.Mode+":"+port)
}

// waive gives survivors their reasons, and keeps the waivers that no graded block needs. Which those are is known of a whole report only.
func (r *Report) waive(list []*Waiver) {
	used := map[*Waiver]bool{}
	graded := map[string]bool{}
	for i := range r.Mutants {
		m := &r.Mutants[i]
		graded[m.Block+" "+string(m.Part)] = true
		if m.State != Survived {
			continue
		}
		if n := slices.IndexFunc(list, func(w *Waiver) bool { return w.matches(m) }); n >= 0 {
			m.Reason, used[list[n]] = list[n].Reason, true
		}
	}
	for _, w := range list {
		if !used[w] && !r.Partial && graded[w.Block+" "+w.Part] {
			r.Unused = append(r.Unused, w)
		}
	}
}
