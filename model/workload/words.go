package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// maxLine bounds a line, so that a file that is no text is refused with one mistake and not with thousands.
const maxLine = 1 << 16

// word is what stands between blanks. key is empty for a word without '='.
type word struct {
	key, value string
	at, in     Pos // of the word, and of its value
}

// words cuts a line. '#' begins a comment.
func words(line string, number int) []word {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	var list []word
	for i := 0; i < len(line); {
		if strings.IndexByte(" \t\r", line[i]) >= 0 {
			i++
			continue
		}
		end := i
		for end < len(line) && strings.IndexByte(" \t\r", line[end]) < 0 {
			end++
		}
		w := word{value: line[i:end], at: Pos{number, i + 1}, in: Pos{number, i + 1}}
		if key, value, ok := strings.Cut(w.value, "="); ok {
			w.key, w.value, w.in.Col = key, value, i+1+len(key)+1
		}
		list = append(list, w)
		i = end
	}
	return list
}

// isName: a letter, then letters, digits, '_' and '-'.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '-')) {
			return false
		}
	}
	return s != ""
}

// parseCount reads a decimal number with '_' between digits and k, m or g (1024, its square and cube) behind them.
func parseCount(s string) (uint64, bool) {
	shift := 0
	if n := len(s); n > 0 {
		if i := strings.IndexByte("kmg", s[n-1]); i >= 0 {
			shift, s = 10*(i+1), s[:n-1]
		}
	}
	if s == "" || s[0] == '_' || s[len(s)-1] == '_' || strings.Contains(s, "__") {
		return 0, false
	}
	v, err := strconv.ParseUint(strings.ReplaceAll(s, "_", ""), 10, 64)
	if err != nil || v<<shift>>shift != v || s[0] == '+' {
		return 0, false
	}
	return v << shift, true
}

// formatCount writes what parseCount reads, with the largest letter that leaves a whole number.
func formatCount(v uint64) string {
	for i, letter := range "gmk" {
		if shift := 30 - 10*i; v > 0 && v&(1<<shift-1) == 0 {
			return fmt.Sprintf("%d%c", v>>shift, letter)
		}
	}
	return strconv.FormatUint(v, 10)
}

// near is the candidate that differs from s in the fewest letters, with a question mark; "" when none is like it.
func near(s string, candidates []string) string {
	best, least := "", min((len(s)+1)/2+1, len(s)) // of three letters two may differ, of one none
	for _, c := range candidates {
		if d := distance(s, c); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", best)
}

// distance is Levenshtein's: letters to insert, take away or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
