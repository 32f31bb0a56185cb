package edge

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// lanes is a beat or more of bytes as one number: byte 0 in bits 7:0.
func lanes(b []byte) *big.Int {
	reversed := make([]byte, len(b))
	for i, v := range b {
		reversed[len(b)-1-i] = v
	}
	return new(big.Int).SetBytes(reversed)
}

// packer packs structs of model/event as the structs of rtl/gen/mr_types.svh, with the widths and places of mr_pkg.sv.
type packer struct {
	widths map[string]int // DescW ...
	lsbs   map[string]int // DescXidLsb ...
}

func newPacker(t *testing.T) *packer {
	text, err := os.ReadFile(filepath.Join(root, "rtl/gen/mr_pkg.sv"))
	require.NoError(t, err)
	p := &packer{widths: map[string]int{}, lsbs: map[string]int{}}
	for _, m := range regexp.MustCompile(`localparam int (\w+?)(W|Lsb) = (\d+);`).FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(m[3])
		require.NoError(t, err)
		if m[2] == "W" {
			p.widths[m[1]] = n
		} else {
			p.lsbs[m[1]] = n
		}
	}
	return p
}

// pack places the fields of v, a struct whose SystemVerilog name in UpperCamel is name.
func (p *packer) pack(t *testing.T, name string, v any) *big.Int {
	sum := new(big.Int)
	s := reflect.ValueOf(v)
	fields := 0
	for i := range s.NumField() {
		lsb, ok := p.lsbs[name+s.Type().Field(i).Name]
		require.True(t, ok, "mr_pkg has no %s%sLsb", name, s.Type().Field(i).Name)
		fields++
		f := s.Field(i)
		x := new(big.Int)
		switch f.Kind() {
		case reflect.Bool:
			if f.Bool() {
				x.SetInt64(1)
			}
		case reflect.Array: // Bitmap256: word 0 is the lowest
			for w := range f.Len() {
				word := new(big.Int).SetUint64(f.Index(w).Uint())
				x.Or(x, word.Lsh(word, uint(64*w)))
			}
		default:
			x.SetUint64(f.Uint())
		}
		sum.Or(sum, x.Lsh(x, uint(lsb)))
	}
	require.LessOrEqual(t, sum.BitLen(), p.widths[name], name)
	return sum
}

// bench is one simulator run: files in a folder of its own, sources, and plus arguments.
type bench struct {
	dir string
	top string
	exe string
}

// newBench compiles a bench with Icarus. Every warning is an error but the one that says that Icarus is more eager than it
// must be.
func newBench(t *testing.T, top string, sources ...string) *bench {
	dir := t.TempDir()
	b := &bench{dir: dir, top: top, exe: filepath.Join(dir, top+".vvp")}
	args := []string{"-g2012", "-Wall", "-Wno-timescale", "-s", top, "-I", root + "/rtl/gen", "-I", root + "/rtl/common", "-o", b.exe,
		root + "/rtl/gen/mr_pkg.sv"}
	for _, s := range sources {
		found, err := filepath.Glob(filepath.Join(root, "rtl", s))
		require.NoError(t, err)
		require.NotEmpty(t, found, s)
		args = append(args, found...)
	}
	out, err := exec.Command("iverilog", args...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "sorry: constant selects in always_* processes") {
			require.Empty(t, strings.TrimSpace(line), "iverilog %s", top)
		}
	}
	require.NoError(t, err, "iverilog (Debian package iverilog): %s", out)
	return b
}

// write puts one hex number a line into a file, and one line more, so that a list may be empty.
func (b *bench) write(t *testing.T, name string, numbers []*big.Int) {
	var text bytes.Buffer
	for _, n := range numbers {
		fmt.Fprintf(&text, "%x\n", n)
	}
	text.WriteString("0\n")
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), text.Bytes(), 0o600))
}

// run gives what the bench printed behind PASS, as numbers by name.
func (b *bench) run(t *testing.T, plus ...string) map[string]int {
	// a bench ends itself; a simulator that loops without time going on does not
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := []string{b.exe}
	for _, p := range plus {
		args = append(args, "+"+p)
	}
	cmd := exec.CommandContext(ctx, "vvp", args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v:\n%s", b.top, plus, out)
	m := regexp.MustCompile(`(?m)^PASS (.*)$`).FindSubmatch(out)
	require.NotNil(t, m, "%s %v does not say PASS:\n%s", b.top, plus, out)
	counts := map[string]int{}
	for _, word := range strings.Fields(string(m[1])) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		require.NoError(t, err)
		counts[name] = n
	}
	return counts
}
