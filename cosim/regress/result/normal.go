package result

import (
	"regexp"
	"strings"
)

// What differs between two occurrences of one cause: what stands in brackets, folders, addresses, seeds, process ids,
// numbers with their units. Names with a digit or three inside (mr_step2, u32) stay.
var (
	bracketed  = regexp.MustCompile(`\([^()]*\)`)
	folders    = regexp.MustCompile(`(?:[^\s/:'"=,]*/)+`)
	hexLike    = regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]{8,}\b`)
	numberLike = regexp.MustCompile(`(^|[^\w.])[-+]?(?:\d[\d,]*(?:\.\d+)*(?:[eE][-+]?\d+)?[a-zµ]{0,3})+\b`)
	longNumber = regexp.MustCompile(`\d{4,}`)
	spaces     = regexp.MustCompile(`\s+`)
)

// normalLength bounds a normalised line, in bytes.
const normalLength = 200

// Normalise takes out of a line what is particular to one run, so that lines of one cause become equal.
func Normalise(line string) string {
	if bare := outsideBrackets(line); strings.TrimSpace(bare) != "" {
		line = bare
	}
	s := folders.ReplaceAllString(line, "")
	s = hexLike.ReplaceAllString(s, "*")
	s = numberLike.ReplaceAllString(s, "$1*")
	s = longNumber.ReplaceAllString(s, "*")
	s = strings.TrimSpace(spaces.ReplaceAllString(s, " "))
	if len(s) > normalLength {
		s = strings.ToValidUTF8(s[:normalLength], "")
	}
	return s
}

// mostBrackets is how deep brackets are taken out.
const mostBrackets = 4

// outsideBrackets is a line without what it says in brackets: arguments, states, last words. One that is not closed
// goes to the end: the line was cut off.
func outsideBrackets(line string) string {
	for range mostBrackets {
		line = bracketed.ReplaceAllString(line, "")
	}
	if before, _, open := strings.Cut(line, "("); open && !strings.Contains(line, ")") {
		return before
	}
	return line
}
