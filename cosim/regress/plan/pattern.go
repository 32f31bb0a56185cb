package plan

import (
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/source"
)

// Pattern chooses tests: suite, suite/test or suite/test+variant (with the preset behind it or without), in which * stands
// for any letters and ? for one; tag:NAME; stage:V1.
type Pattern struct {
	Text string
	at   source.Value
}

// subject is what a pattern is held against.
type subject struct {
	suite, test, variant string
	bare                 string // the variant without the preset
	tags                 []string
	stages               []string
}

func (s *subject) fullName() string { return result.FullName(s.suite+"/"+s.test, s.variant) }

// matches holds a pattern against one variant of a test.
func (p *Pattern) matches(s *subject) bool {
	if tag, ok := strings.CutPrefix(p.Text, "tag:"); ok {
		return slices.Contains(s.tags, tag)
	}
	if stage, ok := strings.CutPrefix(p.Text, "stage:"); ok {
		return slices.Contains(s.stages, stage)
	}
	name := s.suite + "/" + s.test
	return source.Glob(p.Text, s.suite) || source.Glob(p.Text, name) || source.Glob(p.Text, s.fullName()) || source.Glob(p.Text, result.FullName(name, s.bare))
}

func anyMatches(list []Pattern, s *subject) bool {
	return slices.ContainsFunc(list, func(p Pattern) bool { return p.matches(s) })
}

// unmatched says that a pattern chooses nothing, with what it may have meant.
func unmatched(p *Pattern, all []subject) string {
	var names []string
	for i := range all {
		s := &all[i]
		switch {
		case strings.HasPrefix(p.Text, "tag:"):
			for _, t := range s.tags {
				names = append(names, "tag:"+t)
			}
		case strings.HasPrefix(p.Text, "stage:"):
			for _, t := range s.stages {
				names = append(names, "stage:"+t)
			}
		default:
			names = append(names, s.suite, s.suite+"/"+s.test, s.fullName())
		}
	}
	text := fmt.Sprintf("%q matches no test", p.Text)
	if near := source.Nearest(p.Text, names); near != "" {
		text += fmt.Sprintf("; meant is perhaps %q", near)
	}
	return text
}
