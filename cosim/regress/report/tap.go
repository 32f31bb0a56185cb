package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"metaroce/tandem/cosim/regress/result"
)

// TAP writes a test point for each execution. What has no result is not ok, and a partial run bails out at its end, so
// that no reader takes it for a whole one.
func (r *Report) TAP(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "TAP version 14\n# %s\n1..%d\n", tapText(r.Sentence), len(r.Tests))
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Verdict == result.Match {
			fmt.Fprintf(b, "ok %d - %s\n", i+1, tapText(t.ID))
			continue
		}
		fmt.Fprintf(b, "not ok %d - %s\n  ---\n  severity: %s\n", i+1, tapText(t.ID), t.Verdict)
		for k, line := range r.explain(t) {
			if k == 0 {
				fmt.Fprintf(b, "  message: %s\n  explanation:\n", strconv.Quote(t.Line))
			}
			fmt.Fprintf(b, "    - %s\n", strconv.Quote(line))
		}
		fmt.Fprintf(b, "  duration_ms: %d\n  ...\n", t.Duration)
	}
	if r.Partial {
		fmt.Fprintf(b, "Bail out! %s\n", tapText(r.Sentence))
	}
	return b.Flush()
}

// tapText is a description: one line, in which a # begins no directive.
func tapText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(oneLine(s))
}
