package yosys

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const line1 = `mutate -ctrl mutsel 8 1 -mode cnot0 -module m -cell $flatten\u_core.\u_place.\u_shift.$procmux$5239 -port A -portbit 12 -ctrlbit 8 -wire w -wirebit 12 ` +
	`-src rtl/top/mr_rx_top.sv:42.29-42.40 -src rtl/place/mr_place.sv:110.18-118.4 -src rtl/place/mr_place_shift.sv:118.5-125.8 -src rtl/place/mr_place_shift.sv:118.9-118.20`

func TestListOfYosys(t *testing.T) {
	two := strings.Replace(line1, "mutsel 8 1", "mutsel 8 2", 1)
	two = strings.Replace(two, "$procmux$5239", "$and$rtl/gen/mr_pkg.sv:1139$3585", 1)
	list, err := ParseList(line1 + "\n" + two + "\n")
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
		"order":     line1 + "\n" + strings.Replace(line1, "mutsel 8 1", "mutsel 8 3", 1),
	} {
		_, err := ParseList(bad)
		assert.Error(t, err, name)
	}
}

func FuzzList(f *testing.F) {
	f.Add(line1)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseList(text)
		if err == nil && len(list) == 0 {
			t.Fatal("neither mutants nor an error")
		}
	})
}

// checkout is a folder with two modules, which Yosys reads in no time.
func checkout(t *testing.T) string {
	root := t.TempDir()
	for name, text := range map[string]string{
		"rtl/gen/mr_pkg.sv":     "module pkg; endmodule\n",
		"rtl/gen/mr_types.svh":  "`define W 4\n",
		"rtl/a/top.sv":          "`include \"mr_types.svh\"\nmodule top (input [`W-1:0] a, b, output [`W-1:0] y);\n  assign y = a + b;\nendmodule\n",
		"rtl/a/tb/bench.sv":     "this is no module\n",
		"rtl/formal/prop.sv":    "nor is this\n",
		"rtl/common/mr_link.sv": "module link; endmodule\n",
	} {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestFilesAreTheDevice(t *testing.T) {
	list, err := Files(checkout(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"rtl/gen/mr_pkg.sv", "rtl/a/top.sv", "rtl/common/mr_link.sv"}, list, "package first, no benches, no proofs")
}

// The result is made once, and again when a header has changed; what cannot be made leaves nothing.
func TestMakeIsKeptByContent(t *testing.T) {
	root := checkout(t)
	scripts := []Script{Read + "hierarchy -top top\nproc\nwrite_ilang DIR/plain.il\n", "read_ilang DIR/plain.il\ncd top\nmutate -list 3 -seed 1 -ctrl mutsel 16 7 -o DIR/list.ys\n"}
	runs := 0
	build := func() (string, error) { return Make(context.Background(), root, "test", scripts, func() { runs++ }) }
	first, err := build()
	require.NoError(t, err)
	again, err := build()
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Equal(t, 1, runs)
	list, err := Load(first, "list.ys")
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, 7, list[0].Number)
	assert.True(t, strings.HasPrefix(list[0].Source, "rtl/a/top.sv:"), list[0].Source)

	require.NoError(t, os.WriteFile(filepath.Join(root, "rtl/gen/mr_types.svh"), []byte("`define W 5\n"), 0o644))
	other, err := build()
	require.NoError(t, err)
	assert.NotEqual(t, first, other)

	scripts = []Script{"no_such_command\n"}
	_, err = build()
	assert.ErrorContains(t, err, "No such command")
	left, err := filepath.Glob(filepath.Join(root, "build", "mutants", "*"))
	require.NoError(t, err)
	assert.Len(t, left, 2, "%v", left)
}
