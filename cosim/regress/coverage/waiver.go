package coverage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Waiver says of points of a line of source that they need not be hit, and why.
type Waiver struct {
	Where  string // file:line of the waiver
	Text   string // as written
	Reason string
	Until  string // last day that it holds, as 2006-01-02; empty: always
	file   string
	line   int
	kind   string // line, branch, toggle, user
	what   string // of the gap, with * for anything; empty: any
	mark   string // of the line
}

// WaiverFile is where waivers of the RTL are, below the checkout.
const WaiverFile = "rtl/waivers.txt"

// Day is how days are written.
const Day = time.DateOnly

// Mark is how a waiver names the text of its line, so that it does not come to stand for another one: 8 hexadecimal digits.
func Mark(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return hex.EncodeToString(sum[:4])
}

var (
	placeForm = regexp.MustCompile(`^(\S+):([1-9][0-9]{0,5})$`)
	markForm  = regexp.MustCompile(`^[0-9a-f]{8}$`)
)

// ParseWaivers reads lines "FILE:LINE KIND[:WHAT] MARK [until=DAY] # reason". All mistakes are told at once.
func ParseWaivers(file string, text []byte) ([]Waiver, error) {
	var list []Waiver
	var errs []error
	for n, line := range strings.Split(string(text), "\n") {
		pattern, reason, _ := strings.Cut(line, "#")
		words := strings.Fields(pattern)
		if len(words) == 0 {
			continue
		}
		w := Waiver{Where: fmt.Sprintf("%s:%d", file, n+1), Text: strings.Join(words, " "), Reason: strings.TrimSpace(reason)}
		if err := w.parse(words); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", w.Where, err))
			continue
		}
		list = append(list, w)
	}
	return list, errors.Join(errs...)
}

func (w *Waiver) parse(words []string) error {
	if len(words) > 3 {
		until, ok := strings.CutPrefix(words[3], "until=")
		if _, err := time.Parse(Day, until); !ok || err != nil || len(words) > 4 {
			return fmt.Errorf("%q: want until=DAY, such as until=%s, and nothing behind it", strings.Join(words[3:], " "), Day)
		}
		w.Until = until
	}
	if len(words) < 3 {
		return errors.New("want FILE:LINE KIND[:WHAT] MARK [until=DAY] # reason, as tandem coverage RUN --gaps prints them")
	}
	m := placeForm.FindStringSubmatch(words[0])
	if m == nil {
		return fmt.Errorf("%q: want FILE:LINE", words[0])
	}
	var err error
	w.file = m[1]
	w.line, err = number(m[2])
	w.kind, w.what, _ = strings.Cut(words[1], ":")
	switch w.kind {
	case "line", "branch", "toggle", "user":
	default:
		err = errors.Join(err, fmt.Errorf("kind %q: want line, branch, toggle or user", w.kind))
	}
	if w.mark = words[2]; !markForm.MatchString(w.mark) {
		err = errors.Join(err, fmt.Errorf("mark %q: want 8 hexadecimal digits, as tandem coverage RUN --gaps prints them", w.mark))
	}
	if w.Reason == "" {
		err = errors.Join(err, errors.New("no reason: say behind # why this need not be hit"))
	}
	return err
}

// matches compares a text with a pattern in which * is anything.
func matches(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	for text = text[len(head):]; ; text = text[1:] {
		if matches(rest, text) {
			return true
		}
		if text == "" {
			return false
		}
	}
}
