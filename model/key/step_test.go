package key_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/wire"
)

func TestCheck(t *testing.T) {
	region := event.KeyKey{Valid: true, Tag: 0x5a, Conn: 3, Perm: key.PermWrite, Base: 0x1000, Length: 0x100}
	good := event.KeyIn{Rkey: 0x25a, Addr: 0x1000, PayloadLen: 0x100, Length: 0x100, Conn: 3}
	with := func(change func(*event.KeyKey, *event.KeyIn)) (event.KeyKey, event.KeyIn) {
		k, in := region, good
		change(&k, &in)
		return k, in
	}
	for _, c := range []struct {
		name   string
		change func(*event.KeyKey, *event.KeyIn)
		want   wire.Syndrome
	}{
		{"whole region", func(*event.KeyKey, *event.KeyIn) {}, wire.SyndromeNone},
		{"unused row", func(k *event.KeyKey, _ *event.KeyIn) { k.Valid = false }, wire.SyndromeKey},
		{"other tag", func(_ *event.KeyKey, in *event.KeyIn) { in.Rkey ^= 1 }, wire.SyndromeKey},
		{"other connection", func(_ *event.KeyKey, in *event.KeyIn) { in.Conn = 4 }, wire.SyndromeKey},
		{"read only", func(k *event.KeyKey, _ *event.KeyIn) { k.Perm = key.PermRead | key.PermAtomic }, wire.SyndromePermission},
		{"key before permission", func(k *event.KeyKey, in *event.KeyIn) { k.Perm, in.Conn = 0, 4 }, wire.SyndromeKey},
		{"permission before bounds", func(k *event.KeyKey, in *event.KeyIn) { k.Perm, in.Addr = 0, 0 }, wire.SyndromePermission},
		{"one byte before", func(_ *event.KeyKey, in *event.KeyIn) { in.Addr-- }, wire.SyndromeBounds},
		{"one byte behind", func(_ *event.KeyKey, in *event.KeyIn) { in.Addr++ }, wire.SyndromeBounds},
		{"zero-length message asks for nothing", func(k *event.KeyKey, in *event.KeyIn) { *k, in.Length, in.Addr = event.KeyKey{}, 0, 7 }, wire.SyndromeNone},
		{"region up to the last byte", func(k *event.KeyKey, in *event.KeyIn) { k.Base, in.Addr = ^uint64(0xff), ^uint64(0xff) }, wire.SyndromeNone},
		{"sum that wraps into the region", func(k *event.KeyKey, in *event.KeyIn) { k.Base, k.Length, in.Addr = 0, 0x1000, ^uint64(0x7f) }, wire.SyndromeBounds},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, in := with(c.change)
			before := k
			var out event.KeyOut
			key.Step(&k, event.KeyCheck, &in, &out)
			require.Equal(t, c.want, out.Syndrome)
			require.Equal(t, before, k, "a check changes nothing")
		})
	}
}

func TestSetAndClear(t *testing.T) {
	var k event.KeyKey
	out := event.KeyOut{Syndrome: 9}
	key.Step(&k, event.KeySet, &event.KeyIn{Rkey: 0x1234, Addr: 5, Length: 6, LengthHi: 7, Conn: 8, Perm: 5}, &out)
	require.Equal(t, event.KeyKey{Valid: true, Tag: 0x34, Conn: 8, Perm: 5, Base: 5, Length: 7<<32 | 6}, k)
	require.Zero(t, out)
	key.Step(&k, event.KeyClear, &event.KeyIn{Rkey: 0x1234}, &out)
	require.Zero(t, k)
}

// TestBounds holds the 65-bit comparison against integers without a limit.
func TestBounds(t *testing.T) {
	edge := rapid.OneOf(
		rapid.Uint64(), rapid.Uint64Range(0, 0x10000), rapid.Uint64Range(^uint64(0)-0x10000, ^uint64(0)), rapid.Uint64Range(1<<63-10, 1<<63+10))
	rapid.Check(t, func(t *rapid.T) {
		base, length := edge.Draw(t, "base"), edge.Draw(t, "length")
		n := uint16(rapid.IntRange(0, 9000).Draw(t, "n"))
		addr := edge.Draw(t, "addr")
		if rapid.Bool().Draw(t, "near the end") {
			addr = base + length - uint64(n) + uint64(rapid.Int64Range(-2, 2).Draw(t, "delta"))
		}
		k := event.KeyKey{Valid: true, Perm: 1, Base: base, Length: length}
		var out event.KeyOut
		key.Step(&k, event.KeyCheck, &event.KeyIn{Addr: addr, PayloadLen: n, Length: 1}, &out)
		end := new(big.Int).Add(num(addr), num(uint64(n)))
		limit := new(big.Int).Add(num(base), num(length))
		want := wire.SyndromeNone
		if num(addr).Cmp(num(base)) < 0 || end.Cmp(limit) > 0 {
			want = wire.SyndromeBounds
		}
		require.Equal(t, want, out.Syndrome)
	})
}

func num(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
