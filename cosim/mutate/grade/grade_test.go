package grade

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/mutate/yosys"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
)

func golden(t *testing.T, root, name string) []*mrv.Vector {
	f, err := mrv.ReadFile(filepath.Join(root, "vectors", "golden", name, "steps.mrv"))
	require.NoError(t, err)
	return f.Vectors
}

func plain(_ bool, text string) string { return text }

// The smallest step, whole: the golden vectors hold the gate, one vector of them does not, and a vector that is wrong is
// found on the netlist without a mutant.
func TestGradeCtimer(t *testing.T) {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	o := Options{Root: root, Vectors: golden(t, root, "ctimer"), Blocks: []string{"ctimer"}, Steps: 40, Seed: 1, Limit: Limit}
	r, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.Len(t, r.Blocks, 1)
	assert.Empty(t, r.Blocks[0].Survived)
	assert.Equal(t, 40, r.Blocks[0].Killed+r.Blocks[0].Equal)
	assert.Positive(t, r.Blocks[0].Killed)
	for _, m := range r.Mutants {
		if m.State == Killed {
			assert.Equal(t, "R-CTIMER", m.Rule)
			assert.Contains(t, m.Killers, m.Vector)
			assert.True(t, strings.HasPrefix(m.Source, "rtl/coalesce/mr_ctimer_step.sv:"), m.Source)
		}
	}
	assert.Len(t, r.Vectors, len(o.Vectors), "each vector is told what it is good for")

	few := o
	few.Vectors = o.Vectors[:1]
	weak, err := Run(context.Background(), few)
	require.NoError(t, err)
	assert.Greater(t, weak.Blocks[0].Survived, 4)
	assert.Equal(t, r.Blocks[0].Equal, weak.Blocks[0].Equal, "what has no effect does not hang on the vectors")
	assert.Contains(t, strings.Join(weak.Failures(), "\n"), "survived without a reason: ctimer step ")
	lines, err := Keep(context.Background(), few)
	require.NoError(t, err)
	steps, err := block.ParseKept(strings.Join(lines, "\n"))
	require.NoError(t, err)
	more := *o.Vectors[0]
	more.Name, more.Steps = "ctimer/kept", steps["ctimer"]
	few.Vectors = append(few.Vectors, &more)
	closed, err := Run(context.Background(), few)
	require.NoError(t, err)
	assert.Zero(t, closed.Blocks[0].Survived, "kept steps kill what survived")
	assert.Less(t, len(more.Steps), weak.Blocks[0].Survived, "a step kills several")

	wrong := *o.Vectors[0]
	wrong.Steps = append([]mrv.Step(nil), wrong.Steps...)
	wrong.Steps[1].After = append([]byte(nil), wrong.Steps[1].After...)
	info := block.ByName("ctimer").Info()
	for i := range info.Fields {
		if f := &info.Fields[i]; f.FullName() == "out.push" {
			wrong.Steps[1].After[f.Offset-mrv.BodyAt] ^= 1
		}
	}
	o.Vectors = []*mrv.Vector{&wrong}
	_, err = Run(context.Background(), o)
	assert.ErrorContains(t, err, "the netlist of ctimer without a mutant")
	assert.ErrorContains(t, err, "step 1, in out.push")
}

// An interruption between mutants leaves those that are through, and nothing of the one that it came into. Such a report
// never holds, and says nothing of waivers.
func TestInterrupted(t *testing.T) {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var told []Mutant
	var planned [2]int
	o := Options{Root: root, Vectors: golden(t, root, "ctimer"), Blocks: []string{"ctimer"}, Steps: 40, Seed: 1, Limit: Limit,
		Waivers: []*Waiver{{Line: 1, Block: "ctimer", Part: "step", Source: "*", Where: "*"}},
		Expect:  func(steps, around int) { planned = [2]int{steps, around} },
		Done: func(m Mutant) {
			if told = append(told, m); len(told) == 30 {
				stop()
			}
		}}
	r, err := Run(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, r)
	assert.Equal(t, told, r.Mutants)
	assert.Len(t, r.Mutants, 30)
	assert.True(t, r.Partial)
	assert.Equal(t, 40, r.Planned)
	assert.Equal(t, [2]int{40, 0}, planned)
	assert.Empty(t, r.Unused)
	assert.Equal(t, []string{"partial: 30 of 40 mutants are through"}, r.Failures())
	var page strings.Builder
	r.Markdown(&page)
	assert.Contains(t, page.String(), "**This report is not whole: 30 of 40 mutants are through")

	one := Report{Planned: 40, Partial: true, Mutants: []Mutant{{Part: Step, State: Equal}}}
	one.sum(nil)
	assert.Equal(t, []string{"partial: 1 of 40 mutants are through"}, one.Failures(), "shares of some say nothing")

	o.Done = nil
	r, err = Run(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, r, "nothing is through, so there is no report")
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"block":  {Blocks: []string{"wndow"}, Steps: 1},
		"count":  {Steps: -1},
		"around": {Around: 1 << 20},
		"empty":  {Steps: 3, Blocks: []string{"ctimer"}, Seed: 1},
	} {
		_, err := Run(context.Background(), o)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "host:", "%s is a mistake of the caller", name)
	}
}

func mutant(name string, state State, rule string, killers ...string) Mutant {
	return Mutant{Part: Step, Mutant: yosys.Mutant{Block: name, Mode: "inv", Port: "A[1]", Source: "rtl/x/mr_x.sv:7", Cell: "$and$rtl/x/mr_x.sv:7$3"},
		State: state, Rule: rule, Killers: killers}
}

func TestGate(t *testing.T) {
	report := func(killed, nameless, survived, equal int) *Report {
		r := &Report{}
		for i, n := range []int{killed, nameless, survived, equal} {
			for range n {
				r.Mutants = append(r.Mutants, mutant("x", []State{Killed, Killed, Survived, Equal}[i], []string{"R-X", "", "", ""}[i]))
			}
		}
		return r
	}
	why, _ := ParseWaivers("w", "x step * * 2100-01-01 # nobody can see it", time.Now())
	for name, c := range map[string]struct {
		r    *Report
		want string
	}{
		"holds":          {report(95, 0, 5, 0), ""},
		"too few":        {report(94, 0, 6, 0), "94 of 100 effective mutants are killed by a named rule, 94.0 %"},
		"no rule":        {report(94, 6, 0, 0), "94 of 100"},
		"equal is apart": {report(95, 0, 5, 10), ""},
		"too many equal": {report(80, 0, 0, 10), "10 of 90 mutants have no effect"},
		"none effective": {report(0, 0, 0, 5), "0 of 0 effective"},
		"nothing":        {report(0, 0, 0, 0), "nothing was graded"},
	} {
		if c.r.Mutants != nil && strings.Contains("holds too few equal is apart", name) {
			c.r.waive(why)
		}
		c.r.sum(nil)
		if c.want == "" {
			assert.Empty(t, c.r.Failures(), name)
		} else {
			assert.Contains(t, strings.Join(c.r.Failures(), "\n"), c.want, name)
		}
	}
}

// One survivor around a step must not decide over its block.
func TestOneSurvivorAroundAStep(t *testing.T) {
	for _, n := range []int{StepCount, AroundCount} {
		b := Block{Mutants: n, Killed: n - 1, Survived: 1}
		assert.True(t, b.Holds(), "%d mutants", n)
		b.Killed, b.Survived = n-6, 6
		assert.False(t, b.Holds(), "%d mutants, six of them survived", n)
	}
}

func TestWaivers(t *testing.T) {
	day := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	list, err := ParseWaivers("s.txt", "# comment\n\nx step rtl/x/mr_x.sv:7 inv:A(*) 2027-01-31 # the sum never wraps\nx around * * 2027-02-01 # another\n", day)
	require.NoError(t, err)
	require.Len(t, list, 2)
	r := &Report{Mutants: []Mutant{mutant("x", Survived, ""), mutant("y", Survived, ""), mutant("x", Killed, "R-X", "a")}}
	r.waive(append(list, &Waiver{Line: 9, Block: "y", Part: "step", Source: "elsewhere", Where: "*"}))
	assert.Equal(t, "the sum never wraps", r.Mutants[0].Reason)
	assert.Empty(t, r.Mutants[1].Reason)
	require.Len(t, r.Unused, 1, "a part that was not graded needs no waiver")
	r.sum(nil)
	assert.Contains(t, strings.Join(r.Failures(), "\n"), "line 9: y step elsewhere *: no survivor needs this")

	bad := "x step * * 2027-01-31\nx step * 2027-01-31 # r\nx stp * * 2027-01-31 # r\nx step [ * 2027-01-31 # r\nx step * * tomorrow # r\nx step * * 2027-01-30 # r\n"
	_, err = ParseWaivers("s.txt", bad, day)
	for _, want := range []string{"s.txt:1:1: the reason is missing", "s.txt:2:1: 4 words", `s.txt:3:1: part "stp"`, "s.txt:4:1: ", "s.txt:5:1: until", "s.txt:6:1: expired on 2027-01-30"} {
		assert.ErrorContains(t, err, want)
	}
}

func FuzzWaivers(f *testing.F) {
	f.Add("x step rtl/x/*.sv:7 inv:A(1) 2027-01-31 # reason\n# comment")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseWaivers("w", text, time.Time{})
		if err == nil {
			m := mutant("x", Survived, "")
			for _, w := range list {
				w.matches(&m)
			}
		}
	})
}

func TestVectorsAreRanked(t *testing.T) {
	r := &Report{Mutants: []Mutant{mutant("x", Killed, "R-X", "a", "b"), mutant("x", Killed, "R-X", "b"), mutant("x", Equal, "")}}
	r.sum([]string{"a", "b", "c"})
	assert.Equal(t, []Vector{{"b", 2, 1}, {"a", 1, 0}, {"c", 0, 0}}, r.Vectors)
	assert.Equal(t, "1 kill a mutant that no other does, 1 only what others kill too, 1 none", r.worth())
	var text, page strings.Builder
	r.Text(&text, plain)
	r.Markdown(&page)
	assert.Contains(t, text.String(), "100.0 %")
	assert.Contains(t, page.String(), "| x | step | 0 | inv of and A[1] | rtl/x/mr_x.sv:7 | killed | R-X |")
}

func TestCell(t *testing.T) {
	for name, want := range map[string]string{
		"$sub$rtl/a/b.sv:19$701":                                  "sub",
		`$flatten\u_run.$reduce_and$rtl/w/run.sv:27$2013`:         "reduce_and",
		`$flatten\u_a.\u_b.$procmux$5239`:                         "procmux",
		"$auto$opt_expr.cc:276:group_cell_inputs$2671":            "auto",
		`$flatten\u_conn.$procmux$2110_CMP0`:                      "procmux",
		`$flatten\u_core.\u_x.$ternary$rtl/common/mr_x.sv:68$375`: "ternary",
	} {
		assert.Equal(t, want, cell(name), name)
	}
}
