package mutate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/rtl"
)

const line1 = `mutate -ctrl mutsel 8 1 -mode cnot0 -module m -cell $flatten\u_core.\u_place.\u_shift.$procmux$5239 -port A -portbit 12 -ctrlbit 8 -wire w -wirebit 12 ` +
	`-src rtl/top/mr_rx_top.sv:42.29-42.40 -src rtl/place/mr_place.sv:110.18-118.4 -src rtl/place/mr_place_shift.sv:118.5-125.8 -src rtl/place/mr_place_shift.sv:118.9-118.20`

func TestListOfYosys(t *testing.T) {
	two := strings.Replace(line1, "mutsel 8 1", "mutsel 8 2", 1)
	two = strings.Replace(two, "$procmux$5239", "$and$rtl/gen/mr_pkg.sv:1139$3585", 1)
	list, err := parseList(line1 + "\n" + two + "\n")
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, Mutant{Number: 1, Mode: "cnot0", Cell: `$flatten\u_core.\u_place.\u_shift.$procmux$5239`, Port: "A[12]", Source: "rtl/place/mr_place_shift.sv:118"}, list[0])
	assert.Equal(t, "rtl/gen/mr_pkg.sv:1139", list[1].Source, "operators carry their place in their name")
	for name, bad := range map[string]string{
		"empty":     "",
		"no mutate": "opt_clean",
		"cut":       "mutate -ctrl mutsel 8",
		"no number": "mutate -ctrl mutsel 8 x -mode inv -cell c -port A -portbit 1",
		"no cell":   "mutate -ctrl mutsel 8 1 -mode inv -port A -portbit 1 -src s",
		"order":     two,
	} {
		_, err := parseList(bad)
		assert.Error(t, err, name)
	}
}

func FuzzList(f *testing.F) {
	f.Add(line1)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseList(text)
		if err == nil && len(list) == 0 {
			t.Fatal("neither mutants nor an error")
		}
	})
}

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
	r.Results[0].Mutant = Mutant{Number: 5, Cell: "c", Port: "A[1]", Source: "rtl/x.sv:3"}
	r.Results[0].State = Survived
	r.Text(&b, func(_ bool, s string) string { return s })
	assert.Contains(t, b.String(), "rtl/x.sv:3")
	assert.Contains(t, b.String(), "13 mutants: ")
}

func TestBetweenEndsIdle(t *testing.T) {
	l := Between()
	assert.Equal(t, l[0].Kind, l[len(l)-1].Kind)
}
