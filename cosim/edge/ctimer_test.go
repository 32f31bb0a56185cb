package edge

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTimersAcrossTheWrap: timers are armed before the cycle counter's low half passes 2^32 and fire behind it, in time. No
// run in lockstep gets there: it starts at 0 and would take a day.
func TestTimersAcrossTheWrap(t *testing.T) {
	b := newBench(t, "mr_ctimer_tb", "common/*.sv", "coalesce/mr_ctimer.sv", "coalesce/mr_ctimer_step.sv", "coalesce/tb/mr_ctimer_tb.sv")
	got := b.run(t)
	assert.Equal(t, 399, got["armed"])
	assert.Greater(t, got["wrapped"], 10)
}
