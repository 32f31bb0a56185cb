package faults

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/target"
)

func differs() *lockstep.Verdict {
	return &lockstep.Verdict{Result: lockstep.Diverged, Mode: "full", Rerun: "tandem bugs show x", Line: "divergence",
		Divergence: &lockstep.Divergence{What: "differs", Kind: "window", Rule: "R-WINDOW", Seq: 7, Field: "out.class", Device: "new", Model: "too_new"}}
}

// A catch with anything missing in its report is none.
func TestWhatAReportOwes(t *testing.T) {
	fault := &Fault{Name: "x"}
	assert.Empty(t, lacking(fault, differs(), differs()))
	for name, c := range map[string]struct {
		change func(v *lockstep.Verdict)
		want   string
	}{
		"matched":      {func(v *lockstep.Verdict) { v.Result, v.Divergence, v.Failure = lockstep.Match, nil, "x" }, "instead of divergence"},
		"bench failed": {func(v *lockstep.Verdict) { v.Result = lockstep.BenchFailed }, "instead of divergence"},
		"no line":      {func(v *lockstep.Verdict) { v.Rerun = "" }, "no line to run it again"},
		"no engine":    {func(v *lockstep.Verdict) { v.Divergence.Kind = "" }, "no engine"},
		"no rule":      {func(v *lockstep.Verdict) { v.Divergence.Rule = "" }, "no rule"},
		"no field":     {func(v *lockstep.Verdict) { v.Divergence.Field = "" }, "no field"},
		"equal values": {func(v *lockstep.Verdict) { v.Divergence.Device = v.Divergence.Model }, "no field"},
		"no reason":    {func(v *lockstep.Verdict) { v.Divergence.What = "late" }, "no reason"},
		"elsewhere":    {func(v *lockstep.Verdict) { v.Divergence.Seq++ }, "mode digest"},
		"no cause":     {func(v *lockstep.Verdict) { v.Divergence = nil }, "no cause"},
	} {
		t.Run(name, func(t *testing.T) {
			v := differs()
			c.change(v)
			assert.Contains(t, strings.Join(lacking(fault, differs(), v), "\n"), c.want)
		})
	}
	refused := &lockstep.Verdict{Result: lockstep.BenchFailed, Rerun: "x", Failure: "bridge: counts differ"}
	assert.Empty(t, lacking(&Fault{Refused: true}, refused, refused))
	assert.NotEmpty(t, lacking(&Fault{Refused: true}, differs(), differs()))
}

func TestRowsAndClosing(t *testing.T) {
	caught := Outcome{Fault: All()[0], Try: Try{Scenario: "s", Seed: 3}, Full: differs()}
	missed := Outcome{Fault: All()[1], Full: &lockstep.Verdict{Line: "match"}, Missing: []string{"not noticed in 4 runs"}}
	var b strings.Builder
	plain := func(_ bool, s string) string { return s }
	Head(&b)
	caught.Row(&b, plain)
	missed.Row(&b, plain)
	for _, want := range []string{"window-edge", "window/mr_window_step.sv", "R-WINDOW", "out.class is new, in the model too_new", "not noticed in 4 runs"} {
		assert.Contains(t, b.String(), want)
	}
	line, ok := Closing([]Outcome{caught}, 1)
	assert.Equal(t, "1 of 1 caught", line)
	assert.True(t, ok)
	line, ok = Closing([]Outcome{caught, missed}, 2)
	assert.Equal(t, "1 of 2 caught", line)
	assert.False(t, ok)
	_, ok = Closing(nil, 0)
	assert.False(t, ok, "nothing hunted is nothing shown")
}

func TestStallsLeaveFramesAloneWithOddSeeds(t *testing.T) {
	assert.Len(t, stalls(1), 4)
	assert.Len(t, stalls(2), 5)
}

func TestLineThatRepeatsARun(t *testing.T) {
	try := Try{Scenario: "a", Seed: 9, Mode: target.ModeDigest}
	line := "tandem bugs show window-edge --scenario a --mode digest --seed 0x0000000000000009"
	assert.Equal(t, line, (&Options{RunsDir: "runs"}).Rerun(&All()[0], try))
	assert.Equal(t, line+" --runs 'my runs' --root /co", (&Options{RunsDir: "my runs", Root: "/co"}).Rerun(&All()[0], try))
}
