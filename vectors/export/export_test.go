package export

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/nic/capture"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

const golden = "../golden/"

func load(t *testing.T, file string) []*mrv.Vector {
	t.Helper()
	f, err := mrv.ReadFile(golden + file)
	require.NoError(t, err)
	return f.Vectors
}

func byName(t *testing.T, list []*mrv.Vector, name string) *mrv.Vector {
	t.Helper()
	for _, v := range list {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no vector %s", name)
	return nil
}

func TestWord(t *testing.T) {
	w := (&word{}).put(0, 5).put(4, 0xf).bytes(12, []byte{0x21, 0x43})
	assert.Equal(t, "04321"+"0f5", w.hex(30))
	assert.Equal(t, "043210f5", w.hex(32))
}

// TestPcapng: the capture holds every frame as it is driven, in order, with a comment each.
func TestPcapng(t *testing.T) {
	for _, v := range load(t, "receive/directed.mrv")[:6] {
		var b bytes.Buffer
		require.NoError(t, Pcapng(&b, v))
		c, err := capture.Read(bytes.NewReader(b.Bytes()))
		require.NoError(t, err)
		assert.Equal(t, v.Program().Items.Data(), c.Frames)
		assert.Contains(t, b.String(), "frame 1: ")
		assert.Contains(t, b.String(), v.ID)
		var again bytes.Buffer
		require.NoError(t, Pcapng(&again, v))
		assert.Equal(t, b.Bytes(), again.Bytes())
	}
}

// TestJSON: it is one object, and frames in it are those that are driven.
func TestJSON(t *testing.T) {
	list := append(load(t, "receive/window.mrv")[:3], load(t, "ctimer/steps.mrv")...)
	var b bytes.Buffer
	require.NoError(t, JSON(&b, mrv.Header{Schema: 1, Spec: "s"}, list))
	var got struct {
		Schema  int
		Vectors []struct {
			Name, ID string
			Items    []struct {
				Kind, Frame string
				Packet      *struct{ Opcode string }
			}
			Fates []struct{ Reason string }
			Steps []struct{ Before, After string }
		}
	}
	d := json.NewDecoder(&b)
	require.NoError(t, d.Decode(&got))
	require.Len(t, got.Vectors, len(list))
	for i, v := range list {
		g := got.Vectors[i]
		assert.Equal(t, v.Name, g.Name)
		assert.Equal(t, v.ID, g.ID)
		assert.Len(t, g.Fates, v.Frames())
		for j, it := range g.Items {
			if it.Kind == stimulus.KindFrame.String() {
				assert.Equal(t, hex.EncodeToString(v.Program().Items[j].Data), it.Frame)
				assert.NotNil(t, it.Packet)
			}
		}
		for j, s := range g.Steps {
			assert.Equal(t, hex.EncodeToString(v.Steps[j].After), s.After)
		}
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Text(&b, byName(t, load(t, "receive/directed.mrv"), "directed/gaps")))
	for _, want := range []string{"rules R-WINDOW", "> frame 1: write", "-- segment 1 ends; so far frames 6, register", "admitted, new, place, 1024 bytes to", "-- segment", "< completion of stream 0.0", "< ACKs of path", "(command conn_set)"} {
		assert.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, Text(&b, load(t, "window/steps.mrv")[0]))
	for _, want := range []string{"step 0 flush", "row  ", "in   ", "out  ", "left "} {
		assert.Contains(t, b.String(), want)
	}
}

// TestMask: fields that do not count are free, all others count, nothing behind the packet does.
func TestMask(t *testing.T) {
	m := mask(wire.OpcodeNak, "tx_time")
	free := 0
	for i, x := range m {
		if i >= wire.BaseSize+wire.NakSize {
			assert.Zero(t, x)
			continue
		}
		for bit := range 8 {
			free += int(^x >> bit & 1)
		}
	}
	assert.Equal(t, 32, free)
}

// simulate builds and runs a bench of exported steps in Icarus.
func simulate(t *testing.T, dir string) (string, error) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	list, err := os.ReadFile(filepath.Join(root, "rtl/files.f"))
	require.NoError(t, err)
	args := []string{"-g2012", "-I" + root + "/rtl/gen", "-I" + root + "/rtl/common", "-I" + dir, "-s", "mr_step_tb", "-o", dir + "/bench"}
	for _, f := range strings.Fields(string(list)) {
		if !strings.HasPrefix(f, "+") {
			args = append(args, filepath.Join(root, f))
		}
	}
	out, err := exec.Command("iverilog", append(args, dir+"/../mr_step_tb.sv")...).CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.Command("vvp", "-n", dir+"/bench")
	cmd.Dir = dir
	out, err = cmd.CombinedOutput()
	return string(out), err
}

// TestStepsInIcarus: exported steps hold on the source of the step, and a bit that is changed is found.
func TestStepsInIcarus(t *testing.T) {
	if _, err := exec.LookPath("iverilog"); err != nil {
		t.Fatal("iverilog is not installed: scripts/need.sh names its package")
	}
	for _, name := range []string{"ctimer", "message"} { // no row, and two of them
		dir := t.TempDir()
		list := load(t, name+"/steps.mrv")
		require.NoError(t, Verilog(dir, list))
		said, err := simulate(t, filepath.Join(dir, "block-"+name))
		require.NoError(t, err, said)
		assert.Contains(t, said, " vectors held")

		list[1].Steps[0].After[0] ^= 1 // out
		require.NoError(t, Verilog(dir, list))
		said, err = simulate(t, filepath.Join(dir, "block-"+name))
		require.Error(t, err)
		assert.Contains(t, said, "vector "+itoa(len(list[0].Steps))+": op")
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// TestTables: sizes of memories fit what stands in them, and every segment ends the lists behind the one before.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	list := load(t, "receive/directed.mrv")[:4]
	require.NoError(t, Verilog(dir, list))
	sizes, err := os.ReadFile(filepath.Join(dir, "receive-tiny", "vector_sizes.svh"))
	require.NoError(t, err)
	for _, want := range []string{"`define VEC_CONNS 4\n", "`define VEC_OP_ACK 8'd17\n", "`define VEC_ACK_MASK 896'h", "`define VEC_ROWS 16\n"} {
		assert.Contains(t, string(sizes), want)
	}
	index, err := os.ReadFile(filepath.Join(dir, "receive-tiny", "index.txt"))
	require.NoError(t, err)
	names := strings.Fields(string(index))
	require.Len(t, names, len(list))
	for i, v := range list {
		for name, width := range tableWidth {
			b, err := os.ReadFile(filepath.Join(dir, "receive-tiny", names[i], name+".hex"))
			require.NoError(t, err)
			for _, l := range strings.Fields(string(b)) {
				require.Len(t, l, (width+3)/4, name)
			}
		}
		fates, err := os.ReadFile(filepath.Join(dir, "receive-tiny", names[i], "fate.hex"))
		require.NoError(t, err)
		assert.Len(t, strings.Fields(string(fates)), v.Frames()+1)
	}
	require.ErrorContains(t, Verilog(dir, []*mrv.Vector{{Name: "e", Kind: mrv.Endpoint}}), "vector e is of kind endpoint: there is a bench for the receive side and for engines")
	require.ErrorContains(t, Verilog(t.TempDir(), []*mrv.Vector{{Name: "e", Kind: mrv.Receive, Preset: "huge"}}), `preset "huge"`)
	require.ErrorContains(t, Verilog(t.TempDir(), []*mrv.Vector{{Name: "e", Kind: "window", Steps: make([]mrv.Step, 1)}}), "a body of 0 bytes")
}

// TestStepSizes: the widths are those of the packed structs.
func TestStepSizes(t *testing.T) {
	pkg, err := os.ReadFile("../../rtl/gen/mr_pkg.sv")
	require.NoError(t, err)
	for i := range block.Engines {
		e := &block.Engines[i]
		in, out, _ := e.Widths()
		camel := strings.ToUpper(e.Name[:1]) + e.Name[1:]
		assert.Contains(t, string(pkg), "localparam int "+camel+"InW = "+itoa(in)+";")
		assert.Contains(t, string(pkg), "localparam int "+camel+"OutW = "+itoa(out)+";")
	}
}
