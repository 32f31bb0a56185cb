package experiment

import (
	"sort"
	"strings"
)

// mostNear names are offered for one that is not there.
const mostNear = 3

// Near returns the names that a wrong one may have been meant for, best first: those that begin with it or hold it, and
// those a few letters away.
func Near(wrong string, names []string) []string {
	type match struct {
		name string
		far  int
	}
	var all []match
	low := strings.ToLower(wrong)
	for _, n := range names {
		far := distance(low, strings.ToLower(n))
		switch {
		case low != "" && strings.HasPrefix(n, low):
			far = 0
		case len(low) > 2 && strings.Contains(n, low):
			far = min(far, 1)
		case far > max(1, len(low)/3):
			continue
		}
		all = append(all, match{n, far})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].far < all[j].far })
	var near []string
	for _, m := range all[:min(len(all), mostNear)] {
		near = append(near, m.name)
	}
	return near
}

// distance is the least number of letters to put in, take out, change or swap with their neighbour to make b of a
// (optimal string alignment: no letter is edited twice).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
