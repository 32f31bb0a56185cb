package mutate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/mutate/yosys"
	"metaroce/tandem/cosim/rtl"
)

func topText(t *testing.T) string {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(root, topFile))
	require.NoError(t, err)
	return string(b)
}

// Every output of the top is folded in, data under their valid.
func TestWrapperOfTheTop(t *testing.T) {
	top := topText(t)
	text, err := wrapper(top)
	require.NoError(t, err)
	assert.Contains(t, text, "module mr_rx_top #(")
	assert.Contains(t, text, netlistModule+" u_netlist (.*,")
	for _, want := range []string{
		"(m_mem_valid_o && m_mem_first_o ? m_mem_addr_o : '0)", "(m_mem_valid_o ? mem_data : '0)", "(m_ack_valid_o ? ack_data : '0)",
		"(trace_window_valid_o ? trace_window_o : '0)", "(m_cpl_valid_o ? m_cpl_xid_o : '0)", "\n    idle_o,", "\n    s_reg_ready_o,",
	} {
		assert.Contains(t, text, want)
	}
	body := text[strings.Index(text, "wire [Most-1:0] masked"):]
	for _, l := range strings.Split(top[:strings.Index(top, ");")], "\n") {
		w := strings.Fields(strings.SplitN(l, "//", 2)[0])
		if len(w) > 1 && w[0] == "output" {
			name := strings.TrimSuffix(w[len(w)-1], ",")
			assert.Equal(t, !strings.HasPrefix(name, "trace_register"), strings.Contains(body, name), name)
		}
	}
	_, err = wrapper("module other (input clk_i);")
	assert.Error(t, err)
	_, err = wrapper(strings.ReplaceAll(top, "output ", "inout "))
	assert.ErrorContains(t, err, "outputs found")
}

func TestOutputsOfARun(t *testing.T) {
	out, err := parseOutputs("- something\ntandem_outputs 0a 0b\n")
	require.NoError(t, err)
	assert.Equal(t, outputs{"0a", "0b"}, out)
	_, err = parseOutputs("nothing\n")
	assert.Error(t, err)
}

func TestGate(t *testing.T) {
	report := func(caught, survived, unseen, ignored int) *Report {
		r := &Report{}
		for s, n := range map[State]int{Caught: caught, Survived: survived, Unseen: unseen, Ignored: ignored} {
			for range n {
				r.Results = append(r.Results, Result{State: s})
			}
		}
		return r
	}
	assert.True(t, report(90, 10, 0, 0).Holds())
	assert.False(t, report(89, 11, 0, 0).Holds())
	assert.True(t, report(9, 1, 80, 10).Holds(), "mutants without an effect do not count")
	assert.False(t, report(0, 0, 100, 0).Holds(), "where nothing has an effect, nothing was shown")
	var b strings.Builder
	r := report(9, 1, 2, 1)
	r.Results[0].Mutant = yosys.Mutant{Number: 5, Cell: "c", Port: "A[1]", Source: "rtl/x.sv:3"}
	r.Results[0].State = Survived
	r.Text(&b, func(_ bool, s string) string { return s })
	assert.Contains(t, b.String(), "rtl/x.sv:3")
	assert.Contains(t, b.String(), "13 mutants: ")
}

// An interruption leaves a report of the mutants that are through, in their order; so does a failure of the bench.
func TestNotWhole(t *testing.T) {
	var mutants []yosys.Mutant
	for n := range 20 {
		mutants = append(mutants, yosys.Mutant{Number: n + 1})
	}
	broken := errors.New("broken")
	for name, fails := range map[string]error{"interrupted": context.Canceled, "bench": broken} {
		ctx, stop := context.WithCancel(context.Background())
		begun, done := 0, 0
		r := &runner{Options: Options{Workers: 3, Begin: func(n int) { begun = n }, Done: func(Result) { done++ }}}
		var calls atomic.Int32
		report, err := r.all(ctx, mutants, func(ctx context.Context, m yosys.Mutant) (Result, error) {
			if calls.Add(1) == 8 {
				if fails == broken {
					return Result{Mutant: m, State: Unseen}, broken
				}
				stop()
			}
			return Result{Mutant: m, State: Caught}, interrupted(ctx)
		})
		stop()
		require.ErrorIs(t, err, fails, name)
		require.NotNil(t, report, name)
		assert.Equal(t, 20, begun, name)
		assert.Equal(t, 20, report.Planned, name)
		assert.True(t, report.Partial, name)
		assert.Len(t, report.Results, done, name)
		assert.Positive(t, done, name)
		assert.Less(t, done, 20, name)
		assert.Equal(t, done, report.Of(Caught), name)
		assert.True(t, slices.IsSortedFunc(report.Results, func(a, b Result) int { return a.Number - b.Number }), name)
		assert.False(t, report.Holds(), "of the others nothing is known")
		assert.Contains(t, report.Closing(), fmt.Sprintf("partial, %d of 20 mutants are through: ", done), name)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	report, err := (&runner{Options: Options{Workers: 2}}).all(ctx, mutants, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, report, "nothing is through")
}

func TestBetweenEndsIdle(t *testing.T) {
	l := Between()
	assert.Equal(t, l[0].Kind, l[len(l)-1].Kind)
}

// Every block has instances, every instance is one of the device, and numbers go on from block to block.
func TestScriptsNameTheBlocks(t *testing.T) {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	var text strings.Builder
	for _, f := range []string{topFile, "rtl/top/mr_rx_core.sv"} {
		b, err := os.ReadFile(filepath.Join(root, f))
		require.NoError(t, err)
		text.Write(b)
	}
	list := scripts(7, 3)
	require.Len(t, list, 2)
	proof := string(apply(proofScript, "/where"))
	assert.Contains(t, proof, "read_ilang /where/plain.il")
	for i, b := range Blocks {
		for _, inst := range b.Instances {
			assert.Contains(t, text.String(), " "+inst+" (", b.Name)
			assert.Contains(t, string(list[0]), "select -add c:*\\"+inst+".*\n")
		}
		assert.Contains(t, string(list[0]), fmt.Sprintf("mutate -list 7 -seed 3 -ctrl mutsel 16 %d -o DIR/%s.ys", 1+7*i, b.Name))
		assert.Contains(t, string(list[1]), "script DIR/"+b.Name+".ys\n")
		assert.Contains(t, proof, "script /where/"+b.Name+".ys\n")
	}
}
