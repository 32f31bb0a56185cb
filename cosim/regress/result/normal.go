package result

import (
	"regexp"
	"strings"
)

// particular is what differs between two occurrences of one cause: paths, addresses, numbers. Names with digits inside
// (mr_step2, u32) stay.
var (
	pathLike   = regexp.MustCompile(`(?:/[^\s/:'"]+)+/`)
	hexLike    = regexp.MustCompile(`\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8,}\b`)
	numberLike = regexp.MustCompile(`(^|[^\w.])[-+]?\d[\d,]*(?:\.\d+)?([a-zµ]{1,3})?\b`)
	spaces     = regexp.MustCompile(`\s+`)
)

// normalLength bounds a normalised line, in bytes.
const normalLength = 200

// Normalise takes out of a line what is particular to one run, so that lines of one cause become equal.
func Normalise(line string) string {
	s := pathLike.ReplaceAllString(line, "")
	s = hexLike.ReplaceAllString(s, "*")
	s = numberLike.ReplaceAllString(s, "$1*")
	s = strings.TrimSpace(spaces.ReplaceAllString(s, " "))
	if len(s) > normalLength {
		s = strings.ToValidUTF8(s[:normalLength], "")
	}
	return s
}
