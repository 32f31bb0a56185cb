package coverage

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"metaroce/tandem/cosim/cover"
)

func TestClosure(t *testing.T) {
	r := toyReport(t)
	waive(t, r, "2026-11-29", "t.sv:26 line "+Mark("text of 26")+" # dead\nt.sv:26 branch:if "+Mark("text of 26")+" # dead\nt.sv:9 line 00000000 # no more\n")
	c := r.Closure([]string{"line", "branch", "nak", "fifo_cg"})
	assert.Equal(t, "t.sv:26 branch:else "+Mark("text of 26")+"  text of 26", c.Open[0])
	assert.Equal(t, "nak syndrome=rnr", c.Open[1])
	assert.Equal(t, []string{"fifo_cg"}, c.Unmeasured)
	assert.Len(t, c.Stale, 1)
	assert.Equal(t, 13+7, c.Closed)

	all := r.Closure(nil)
	bins := cover.NewAll().Report(nil, "")
	assert.Len(t, all.Open, bins.Bins, "without covergroups all bins count, and no line")
	r.Functional = nil
	assert.Empty(t, r.Closure(nil).Open)
	assert.Equal(t, []string{"nak"}, r.Closure([]string{"nak"}).Unmeasured)
}
