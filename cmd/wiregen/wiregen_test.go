package main

import (
	"hash/crc32"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/spec"
)

func builtSpec(t *testing.T) *spec.Spec {
	t.Helper()
	s, err := load(root)
	require.NoError(t, err)
	return s
}

// TestCommittedFilesAreUpToDate is the gate of the definition: what is committed is what the tables say.
func TestCommittedFilesAreUpToDate(t *testing.T) { require.NoError(t, run(root, true)) }

// TestRebuiltFromNothing deletes everything by starting in an empty folder, and gets the committed bytes again.
func TestRebuiltFromNothing(t *testing.T) {
	dir := copyTables(t)
	require.ErrorContains(t, run(dir, true), "missing  model/wire/header_gen.go")
	require.NoError(t, run(dir, false))
	require.NoError(t, run(dir, true))
	outs, err := generate(builtSpec(t))
	require.NoError(t, err)
	for _, o := range outs {
		want, err := os.ReadFile(filepath.Join(root, o.path))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, o.path))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), o.path)
	}
}

func copyTables(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "model/spec"), 0o755))
	for _, name := range spec.TableNames {
		data, err := os.ReadFile(filepath.Join(root, "model/spec", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "model/spec", name), data, 0o644))
	}
	return dir
}

func TestCheckListsWhatIsWrong(t *testing.T) {
	dir := copyTables(t)
	require.NoError(t, run(dir, false))
	edit := func(path string, f func(string) string) {
		full := filepath.Join(dir, path)
		data, err := os.ReadFile(full)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(full, []byte(f(string(data))), 0o644))
	}
	edit("rtl/gen/mr_pkg.sv", func(s string) string { return strings.Replace(s, "BasePsnLsb = 64", "BasePsnLsb = 65", 1) })
	require.NoError(t, os.Remove(filepath.Join(dir, "docs/wire.md")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model/event/old_gen.go"), []byte("// "+marker+"\npackage event\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model/event/hand.go"), []byte("package event\n"), 0o644))
	err := run(dir, true)
	require.ErrorContains(t, err, "differs  rtl/gen/mr_pkg.sv:")
	require.ErrorContains(t, err, "missing  docs/wire.md")
	require.ErrorContains(t, err, "stale    model/event/old_gen.go")
	require.NotContains(t, err.Error(), "hand.go")
	require.Equal(t, 4, len(strings.Split(err.Error(), "\n")))

	edit("model/spec/constant.tbl", func(s string) string { return strings.Replace(s, "4796", "4797", 1) })
	require.ErrorContains(t, run(dir, true), "differs  model/preset/preset_gen.go")
	edit("model/spec/constant.tbl", func(s string) string { return strings.Replace(s, "const udp_port", "cons udp_port", 1) })
	require.ErrorContains(t, run(dir, true), "model/spec/constant.tbl:")
	require.ErrorContains(t, run(t.TempDir(), true), "--root")
}

func TestSameTablesSameBytes(t *testing.T) {
	a, err := generate(builtSpec(t))
	require.NoError(t, err)
	b, err := generate(builtSpec(t))
	require.NoError(t, err)
	require.Equal(t, len(a), len(b))
	for i := range a {
		require.Equal(t, string(a[i].data), string(b[i].data), a[i].path)
	}
}

// TestCollisions: a name that two tables make is an error that names it, not a compiler's riddle.
func TestCollisions(t *testing.T) {
	dir := copyTables(t)
	path := filepath.Join(dir, "model/spec/constant.tbl")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	more := string(data) + "const reason_runt 1 unit=1 chosen ours \"meets the drop reason\"\n"
	require.NoError(t, os.WriteFile(path, []byte(more), 0o644))
	require.ErrorContains(t, run(dir, false), "mr_pkg.sv: two definitions become ReasonRunt")
}

func TestEveryGeneratedFileIsMarked(t *testing.T) {
	outs, err := generate(builtSpec(t))
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, o := range outs {
		require.False(t, seen[o.path], o.path)
		seen[o.path] = true
		head, _, _ := strings.Cut(string(o.data[:min(len(o.data), 512)]), "\n\n")
		require.Contains(t, head, marker, o.path)
		inside := false
		for _, d := range outputDirs {
			inside = inside || strings.HasPrefix(o.path, d+"/")
		}
		require.True(t, inside, "%s: its folder is not searched for stale files", o.path)
	}
}

// TestCrcAgainstTheLibrary applies the masks, as the SystemVerilog functions do, to messages of whole words.
func TestCrcAgainstTheLibrary(t *testing.T) {
	require.Equal(t, uint32(crcGood), crcResidue(0))
	r := seedOf("crc")
	for _, n := range []int{32, 64, 512} {
		masks := crcMasks(n)
		for range 20 {
			message := make([]byte, n/8*3)
			for i := range message {
				message[i] = byte(r.next())
			}
			state := uint32(0xffffffff)
			for at := 0; at < len(message); at += n / 8 {
				v := new(big.Int).SetBytes(reversed(message[at : at+n/8]))
				v.Or(v.Lsh(v, 32), big.NewInt(int64(state)))
				state = 0
				for i, m := range masks {
					both := new(big.Int).And(v, m)
					for b := range both.BitLen() {
						state ^= uint32(both.Bit(b)) << i
					}
				}
			}
			require.Equal(t, crc32.ChecksumIEEE(message), ^state)
		}
	}
}
