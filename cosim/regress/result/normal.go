package result

import (
	"regexp"
	"strings"
	"unicode"
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

// terminal is what moves and colours a terminal: ECMA-48 control sequences, and titles.
var terminal = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// Plain is a text without what would do something to a terminal: others print colours, and go back to write over a line.
// What a line was written over with is a line of its own.
func Plain(text string) string {
	text = strings.ReplaceAll(terminal.ReplaceAllString(text, ""), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// normalLength bounds a normalised line, in bytes.
const normalLength = 200

// Normalise takes out of a line what is particular to one run, so that lines of one cause become equal.
func Normalise(line string) string {
	line = Plain(line)
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
