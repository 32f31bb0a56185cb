package wire_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/wire"
)

// toBig is the slow twin of a bitmap.
func toBig(b wire.Bitmap256) *big.Int {
	v := new(big.Int)
	for i := 3; i >= 0; i-- {
		v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(b[i]))
	}
	return v
}

func drawBitmap(t *rapid.T) wire.Bitmap256 {
	var b wire.Bitmap256
	word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, ^uint64(0), 1, 1 << 63, ^uint64(0) >> 1}))
	for i := range b {
		b[i] = word.Draw(t, "word")
	}
	return b
}

func TestBitmapAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBitmap(t)
		v := toBig(b)
		i := rapid.Uint32Range(0, 255).Draw(t, "i")
		n := rapid.IntRange(0, 300).Draw(t, "n")
		if b.Get(i) != (v.Bit(int(i)) == 1) {
			t.Fatalf("Get(%d)", i)
		}
		set := b
		set.Set(i)
		if toBig(set).Cmp(new(big.Int).SetBit(v, int(i), 1)) != 0 {
			t.Fatalf("Set(%d)", i)
		}
		set.Clear(i)
		if toBig(set).Cmp(new(big.Int).SetBit(v, int(i), 0)) != 0 {
			t.Fatalf("Clear(%d)", i)
		}
		down := b
		down.ShiftRight(n)
		if toBig(down).Cmp(new(big.Int).Rsh(v, uint(n))) != 0 {
			t.Fatalf("ShiftRight(%d)", n)
		}
		run, count := 0, 0
		for run < 256 && v.Bit(run) == 1 {
			run++
		}
		for k := range 256 {
			count += int(v.Bit(k))
		}
		if b.TrailingOnes() != run || b.OnesCount() != count || b.Highest() != v.BitLen()-1 || b.IsZero() != (count == 0) {
			t.Fatalf("run %d count %d highest %d", b.TrailingOnes(), b.OnesCount(), b.Highest())
		}
	})
}

func TestSerial(t *testing.T) {
	for _, c := range []struct {
		a, b uint32
		less bool
		diff int32
	}{
		{0, 0, false, 0}, {1, 2, true, -1}, {0xffffffff, 0, true, -1}, {0, 0xffffffff, false, 1},
		{0xfffffff0, 0x10, true, -0x20}, {0, 0x7fffffff, true, -0x7fffffff}, {0, 0x80000000, true, -0x80000000},
		{0x80000000, 0, true, -0x80000000}, // half the space apart: neither is before, the sign says yes both ways
		{0x80000001, 0, true, -0x7fffffff}, {0x7fffffff, 0, false, 0x7fffffff},
	} {
		require.Equal(t, c.less, wire.Less(c.a, c.b), "%#x %#x", c.a, c.b)
		require.Equal(t, c.diff, wire.Diff(c.a, c.b), "%#x %#x", c.a, c.b)
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint32().Draw(t, "a")
		d := rapid.Uint32Range(0, 1<<31-1).Draw(t, "d")
		if wire.Diff(a+d, a) != int32(d) || wire.Less(a+d, a) || wire.Less(a, a+d) != (d > 0) || wire.Later(a, a+d) != a+d || wire.Later(a+d, a) != a+d {
			t.Fatalf("%#x + %#x", a, d)
		}
	})
}

func TestICRC(t *testing.T) {
	require.Equal(t, uint32(0xcbf43926), wire.ICRC([]byte("123456789")), "check value of CRC-32 (IEEE 802.3)")
}

func TestEnumNames(t *testing.T) {
	require.Equal(t, "write_imm", wire.OpcodeWriteImm.String())
	require.Equal(t, "opcode(255)", wire.Opcode(255).String())
	require.Equal(t, "remote_op", wire.SyndromeRemoteOp.String())
	require.Equal(t, "add_path", wire.ControlActionAddPath.String())
	require.True(t, wire.SideBoth.Receiver() && wire.SideReceiver.Receiver() && !wire.SideSender.Receiver() && !wire.SideNone.Receiver())
}
