package coverage

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
)

// Lcov writes lines and branches in the form of lcov, which genhtml and editors read. Files are named below root. Bits of
// signals have no place in that form.
func (s *Sum) Lcov(out io.Writer, root string) error {
	w := bufio.NewWriter(out)
	all := s.files()
	for _, file := range slices.Sorted(maps.Keys(all)) {
		h := all[file]
		if len(h.lines) == 0 {
			continue
		}
		fmt.Fprintf(w, "TN:\nSF:%s\n", filepath.Join(root, file))
		hit := 0
		arm := map[int]int{}
		for _, at := range slices.SortedFunc(maps.Keys(h.arms), comparePlaces) {
			fmt.Fprintf(w, "BRDA:%d,0,%d,%s\n", at.line, arm[at.line], taken(h.arms[at], h.lines[at.line]))
			arm[at.line]++
			hit += b2i(h.arms[at] > 0)
		}
		fmt.Fprintf(w, "BRF:%d\nBRH:%d\n", len(h.arms), hit)
		hit = 0
		for _, line := range slices.Sorted(maps.Keys(h.lines)) {
			fmt.Fprintf(w, "DA:%d,%d\n", line, h.lines[line])
			hit += b2i(h.lines[line] > 0)
		}
		fmt.Fprintf(w, "LF:%d\nLH:%d\nend_of_record\n", len(h.lines), hit)
	}
	return w.Flush()
}

// taken is how often an arm was; - where its line was never run.
func taken(n, line uint64) string {
	if n == 0 && line == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
