package report

import (
	"fmt"
	"strconv"
	"time"
)

// number is anything counted.
type number interface{ ~int | ~int64 | ~uint64 }

// thousands writes a number with a comma after every three digits.
func thousands[T number](v T) string {
	s := strconv.FormatUint(uint64(v), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(n) + " " + what + "s"
}

func does(n int) string { return form(n, "does", "do") }
func is(n int) string   { return form(n, "is", "are") }
func has(n int) string  { return form(n, "has", "have") }

func form(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// span writes milliseconds as people say them.
func span(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	case ms < 3_600_000:
		return fmt.Sprintf("%d min %02d s", ms/60_000, ms/1000%60)
	}
	return fmt.Sprintf("%d h %02d min", ms/3_600_000, ms/60_000%60)
}

// moment writes a Unix time in milliseconds, in UTC: a report reads the same wherever it is made.
func moment(ms int64) string {
	if ms == 0 {
		return "?"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC")
}

// percent of whole numbers; never 100 unless it is all, never 0 unless it is nothing.
func percent(part, all int) string {
	if all == 0 {
		return "-"
	}
	p := 100 * float64(part) / float64(all)
	switch {
	case part == all || part == 0:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 99.95:
		return "99.9 %"
	case p < 0.05:
		return "0.1 %"
	}
	return fmt.Sprintf("%.1f %%", p)
}
