package wire_test

import (
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/spec/golden"
	"metaroce/tandem/model/wire"
)

// header is what every generated header offers.
type header interface {
	Append([]byte) []byte
	Decode([]byte) error
}

// fresh makes a zero header by its name in the tables.
var fresh = map[string]func() header{
	"base": func() header { return new(wire.Base) }, "message": func() header { return new(wire.Message) },
	"target": func() header { return new(wire.Target) }, "match": func() header { return new(wire.Match) },
	"imm": func() header { return new(wire.Imm) }, "read": func() header { return new(wire.Read) },
	"response": func() header { return new(wire.Response) }, "atomic": func() header { return new(wire.Atomic) },
	"atomic_result": func() header { return new(wire.AtomicResult) }, "ack": func() header { return new(wire.Ack) },
	"nak": func() header { return new(wire.Nak) }, "probe": func() header { return new(wire.Probe) },
	"answer": func() header { return new(wire.Answer) }, "control": func() header { return new(wire.Control) },
}

// sizes are the exported constants, by header.
var sizes = map[string]int{
	"base": wire.BaseSize, "message": wire.MessageSize, "target": wire.TargetSize, "match": wire.MatchSize, "imm": wire.ImmSize,
	"read": wire.ReadSize, "response": wire.ResponseSize, "atomic": wire.AtomicSize, "atomic_result": wire.AtomicResultSize,
	"ack": wire.AckSize, "nak": wire.NakSize, "probe": wire.ProbeSize, "answer": wire.AnswerSize, "control": wire.ControlSize,
}

func entries(t testing.TB, name string) []golden.Entry {
	t.Helper()
	data, err := os.ReadFile("../../vectors/golden/wire/" + name)
	require.NoError(t, err)
	out, err := golden.Parse(string(data))
	require.NoError(t, err)
	return out
}

func goName(s string) string {
	var b strings.Builder
	for _, w := range strings.Split(s, "_") {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// setField puts a value into the struct field of that name.
func setField(t testing.TB, h any, name string, v *big.Int) {
	t.Helper()
	f := reflect.ValueOf(h).Elem().FieldByName(goName(name))
	require.True(t, f.IsValid(), "%T has no field %s", h, goName(name))
	switch f.Kind() {
	case reflect.Bool:
		f.SetBool(v.Sign() != 0)
	case reflect.Array:
		for i := range f.Len() {
			word := new(big.Int).And(new(big.Int).Rsh(v, uint(64*i)), new(big.Int).SetUint64(^uint64(0)))
			f.Index(i).SetUint(word.Uint64())
		}
	default:
		f.SetUint(v.Uint64())
	}
}

func TestHeadersAgainstGolden(t *testing.T) {
	seen := map[string]int{}
	for _, e := range entries(t, "headers.txt") {
		make, ok := fresh[e.Name]
		require.True(t, ok, e.String())
		want := make()
		for _, v := range e.Values {
			setField(t, want, v.Name, v.Big)
		}
		require.Equal(t, e.Bytes, want.Append(nil), e.String())
		got := make()
		require.NoError(t, got.Decode(e.Bytes))
		require.Equal(t, want, got, e.String())
		seen[e.Name]++
	}
	require.Len(t, seen, len(wire.Headers))
	for name, n := range seen {
		require.Greater(t, n, 8, name)
	}
}

func TestPacketsAgainstGolden(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range entries(t, "packets.txt") {
		var base wire.Base
		require.NoError(t, base.Decode(e.Bytes))
		kind := wire.Kinds[base.Opcode]
		require.True(t, kind.Known)
		require.Equal(t, e.Name, kind.Name)
		var b []byte
		for _, id := range kind.Headers {
			h := fresh[id.String()]()
			for _, v := range e.Values {
				if name, ok := strings.CutPrefix(v.Name, id.String()+"."); ok {
					setField(t, h, name, v.Big)
				}
			}
			b = h.Append(b)
		}
		require.Len(t, b, kind.HeaderLen)
		b = append(b, e.Payload...)
		b = append(b, make([]byte, base.Pad)...)
		icrc := wire.ICRC(b)
		b = append(b, byte(icrc), byte(icrc>>8), byte(icrc>>16), byte(icrc>>24))
		require.Equal(t, e.Bytes, b, e.String())
		require.Zero(t, len(b)%4)
		require.True(t, kind.Payload || len(e.Payload) == 0)
		seen[kind.Name] = true
	}
	for op, k := range wire.Kinds {
		require.True(t, !k.Known || seen[k.Name], "opcode %#x", op)
	}
}

func TestSizesAndTruncation(t *testing.T) {
	for id, info := range wire.Headers {
		h := fresh[info.Name]()
		b := h.Append(nil)
		require.Len(t, b, info.Size)
		require.Equal(t, sizes[info.Name], info.Size)
		require.NoError(t, h.Decode(append(b, 1, 2, 3)), "bytes behind are not looked at")
		for n := range info.Size {
			err := h.Decode(b[:n])
			var de *wire.DecodeError
			require.ErrorAs(t, err, &de, "%s %d", info.Name, n)
			require.Equal(t, wire.HeaderID(id), de.Header)
			require.Equal(t, firstCut(info, n), de.Field)
			require.ErrorContains(t, err, info.Name)
			require.ErrorContains(t, err, de.Field)
		}
	}
	require.Equal(t, "header(200)", wire.HeaderID(200).String())
}

// firstCut walks the fields bit by bit: the first one that lies beyond n bytes in part.
func firstCut(info wire.HeaderInfo, n int) string {
	at := 0
	for _, f := range info.Fields {
		at += f.Width
		if at > 8*n {
			return f.Name
		}
	}
	return ""
}

// TestReservedBits: written as zero, ignored when read.
func TestReservedBits(t *testing.T) {
	for _, info := range wire.Headers {
		b := make([]byte, info.Size)
		for _, f := range info.Fields {
			if f.Reserved {
				for i := f.Bit; i < f.Bit+f.Width; i++ {
					b[i/8] |= 0x80 >> (i % 8)
				}
			}
		}
		h := fresh[info.Name]()
		require.NoError(t, h.Decode(b))
		require.Equal(t, fresh[info.Name](), h, info.Name)
		require.Equal(t, make([]byte, info.Size), h.Append(nil))
	}
}

// TestRoundTrip: for any bytes, decode and append give them back but for reserved bits, and each field is what the
// slow twin (FieldInfo.Value) reads.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		info := rapid.SampledFrom(wire.Headers[:]).Draw(t, "header")
		b := rapid.SliceOfN(rapid.Byte(), info.Size, info.Size).Draw(t, "bytes")
		h := fresh[info.Name]()
		if err := h.Decode(b); err != nil {
			t.Fatal(err)
		}
		want := append([]byte(nil), b...)
		for _, f := range info.Fields {
			if f.Reserved {
				for i := f.Bit; i < f.Bit+f.Width; i++ {
					want[i/8] &^= 0x80 >> (i % 8)
				}
				continue
			}
			slow := new(big.Int).SetBytes(f.Value(b))
			if got := fieldBig(h, f.Name); got.Cmp(slow) != 0 {
				t.Fatalf("%s.%s: %x, slow twin %x", info.Name, f.Name, got, slow)
			}
		}
		prefix := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "prefix")
		if got := h.Append(append([]byte(nil), prefix...)); string(got) != string(prefix)+string(want) {
			t.Fatalf("%s: %x became %x", info.Name, b, got)
		}
	})
}

func fieldBig(h any, name string) *big.Int {
	f := reflect.ValueOf(h).Elem().FieldByName(goName(name))
	switch f.Kind() {
	case reflect.Bool:
		if f.Bool() {
			return big.NewInt(1)
		}
		return new(big.Int)
	case reflect.Array:
		v := new(big.Int)
		for i := f.Len() - 1; i >= 0; i-- {
			v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(f.Index(i).Uint()))
		}
		return v
	}
	return new(big.Int).SetUint64(f.Uint())
}

// TestWideValuesDoNotSpill: a value wider than its field (a 4-bit epoch of 0xff) must not reach the neighbours.
func TestWideValuesDoNotSpill(t *testing.T) {
	b := (&wire.Base{Epoch: 0xff, DstConn: 0xff123456}).Append(nil)
	require.Equal(t, byte(0x0f), b[0])
	require.Equal(t, []byte{0x12, 0x34, 0x56, 0}, b[4:8])
	a := (&wire.Ack{Hint: 0xffffffff, Held: 0xffffffff}).Append(nil)
	require.Equal(t, []byte{0xff, 0xff, 0xff, 0}, a[8:12])
	require.Equal(t, []byte{0xff, 0xff, 0xf0, 0}, a[72:76])
}

func TestNoAllocation(t *testing.T) {
	buf := make([]byte, 0, 256)
	for name, make := range fresh {
		h := make()
		b := h.Append(buf)
		require.Zero(t, testing.AllocsPerRun(100, func() { b = h.Append(buf) }), name)
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = h.Decode(b) }), name)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range entries(f, "packets.txt") {
		f.Add(e.Bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var base wire.Base
		if base.Decode(b) != nil {
			if len(b) >= wire.BaseSize {
				t.Fatal("a whole base header is refused")
			}
			return
		}
		at := 0
		for _, id := range wire.Kinds[base.Opcode].Headers {
			h := fresh[id.String()]()
			err := h.Decode(b[at:])
			if (err == nil) != (len(b)-at >= wire.Headers[id].Size) {
				t.Fatalf("%s at %d of %d: %v", id, at, len(b), err)
			}
			if err != nil {
				return
			}
			at += wire.Headers[id].Size
		}
	})
}

func BenchmarkAppendAck(b *testing.B) {
	a := wire.Ack{Cum: 1, Vector: wire.Bitmap256{1, 2, 3, 4}}
	buf := make([]byte, 0, 256)
	for range b.N {
		_ = a.Append(buf)
	}
}

func BenchmarkDecodeAck(b *testing.B) {
	buf := (&wire.Ack{Cum: 1}).Append(nil)
	var a wire.Ack
	for range b.N {
		_ = a.Decode(buf)
	}
}

func BenchmarkDecodeBase(b *testing.B) {
	buf := (&wire.Base{Psn: 1}).Append(nil)
	var h wire.Base
	for range b.N {
		_ = h.Decode(buf)
	}
}
