package source

import (
	"fmt"
	"sort"
	"strings"
)

// Mistake is one mistake in a file. Line and column count from 1; 0 where the file as a whole is meant.
type Mistake struct {
	File      string
	Line, Col int
	What      string
}

// Error begins with file:line:col, so that editors can jump to it.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return fmt.Sprintf("%s: %s", m.File, m.What)
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Col, m.What)
}

// Mistakes are all that were found.
type Mistakes []*Mistake

// Error puts one mistake on a line.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Join puts the mistakes of several files together: in the order of files, each in the order of its text. nil: none.
func Join(files ...*File) error {
	var all Mistakes
	for _, f := range files {
		list := append(Mistakes(nil), f.mistakes...)
		sort.SliceStable(list, func(i, j int) bool {
			a, b := list[i], list[j]
			return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
		})
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Nearest is the word of a list that a misspelt one may have meant; empty: none is near.
func Nearest(word string, list []string) string {
	best, least := "", 1+(len(word)+2)/3
	for _, w := range list {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance is the least number of letters to be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
