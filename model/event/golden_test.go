package event_test

import (
	"encoding/binary"
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/spec/golden"
)

// record is what every generated record offers.
type record interface {
	Encode(*[event.MaxRecord]byte) int
	Decode([]byte) error
}

var fresh = map[event.Kind]func() record{
	event.KindAdmit: func() record { return new(event.Admit) }, event.KindWindow: func() record { return new(event.Window) },
	event.KindKey: func() record { return new(event.Key) }, event.KindRecv: func() record { return new(event.Recv) },
	event.KindMessage: func() record { return new(event.Message) }, event.KindPlace: func() record { return new(event.Place) },
	event.KindComplete: func() record { return new(event.Complete) }, event.KindCoalesce: func() record { return new(event.Coalesce) },
	event.KindCtimer: func() record { return new(event.Ctimer) }, event.KindAck: func() record { return new(event.Ack) },
	event.KindPacketIn: func() record { return new(event.PacketIn) }, event.KindPacketOut: func() record { return new(event.PacketOut) },
	event.KindMemWrite: func() record { return new(event.MemWrite) }, event.KindCompletion: func() record { return new(event.Completion) },
	event.KindMemRead: func() record { return new(event.MemRead) }, event.KindRegister: func() record { return new(event.Register) },
	event.KindCommandDone: func() record { return new(event.CommandDone) },
}

func entries(t testing.TB) []golden.Entry {
	t.Helper()
	data, err := os.ReadFile("../../vectors/golden/wire/records.txt")
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

// field finds group.name inside a record.
func field(t testing.TB, r record, name string) reflect.Value {
	t.Helper()
	group, leaf, _ := strings.Cut(name, ".")
	f := reflect.ValueOf(r).Elem().FieldByName(goName(group))
	require.True(t, f.IsValid(), "%T.%s", r, group)
	f = f.FieldByName(goName(leaf))
	require.True(t, f.IsValid(), "%T.%s", r, name)
	return f
}

func set(f reflect.Value, v *big.Int) {
	switch f.Kind() {
	case reflect.Bool:
		f.SetBool(v.Sign() != 0)
	case reflect.Array:
		bits := int(f.Type().Elem().Size()) * 8
		mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1))
		for i := range f.Len() {
			f.Index(i).SetUint(new(big.Int).And(new(big.Int).Rsh(v, uint(bits*i)), mask).Uint64())
		}
	default:
		f.SetUint(v.Uint64())
	}
}

func TestRecordsAgainstGolden(t *testing.T) {
	seen := map[event.Kind]int{}
	for _, e := range entries(t) {
		kind := event.Kind(e.Bytes[1])
		require.Equal(t, e.Name, kind.String())
		want := fresh[kind]()
		for _, v := range e.Values {
			set(field(t, want, v.Name), v.Big)
		}
		var b [event.MaxRecord]byte
		for i := range b {
			b[i] = 0xa5 // what was in the buffer before must not shine through
		}
		n := want.Encode(&b)
		require.Equal(t, e.Bytes, b[:n], e.String())
		require.Equal(t, byte(0xa5), append(b[:], 0xa5)[n], "nothing behind the record is written")

		got := fresh[kind]()
		require.NoError(t, got.Decode(e.Bytes), e.String())
		var again [event.MaxRecord]byte
		require.Equal(t, n, got.Encode(&again))
		require.Equal(t, e.Bytes, again[:n], e.String())
		for _, v := range e.Values {
			set(field(t, got, v.Name), big.NewInt(0))
		}
		reflect.ValueOf(got).Elem().FieldByName("Head").Set(reflect.ValueOf(event.Head{}))
		require.Equal(t, fresh[kind](), got, "%s: the golden values are all there is", e.String())
		seen[kind]++
	}
	for _, info := range event.Engines {
		require.Equal(t, info.Built, seen[info.Kind] > 8, info.Name)
	}
}

// TestHeadAlone: in mode digest a record is its head; values behind it read as zero even in a record used before.
func TestHeadAlone(t *testing.T) {
	for _, e := range entries(t) {
		kind := event.Kind(e.Bytes[1])
		whole, alone := fresh[kind](), fresh[kind]()
		require.NoError(t, whole.Decode(e.Bytes))
		head := append([]byte(nil), e.Bytes[:event.RecordSize]...)
		head[23] = 1
		require.NoError(t, alone.Decode(e.Bytes))
		require.NoError(t, alone.Decode(head))
		for _, f := range event.Info(kind).Fields {
			got, want := field(t, alone, f.FullName()), field(t, whole, f.FullName())
			if f.Offset < event.RecordSize {
				require.Equal(t, want.Interface(), got.Interface(), f.FullName())
			} else {
				require.True(t, got.IsZero(), f.FullName())
			}
			require.True(t, !f.Told || f.Offset < event.RecordSize, "%s is told and must travel in the head", f.FullName())
		}
	}
}

func TestTruncationAndWrongKind(t *testing.T) {
	for kind, make := range fresh {
		var b [event.MaxRecord]byte
		n := make().Encode(&b)
		require.Equal(t, event.RecordSize*(1+event.Info(kind).Parts), n)
		for cut := range n {
			err := make().Decode(b[:cut])
			require.Error(t, err, "%s %d", kind, cut)
			if cut >= event.RecordSize {
				require.ErrorContains(t, err, kind.String())
			}
		}
		for at, says := range map[int]string{0: "version", 1: "expected", 3: "state records", 23: "valid mask"} {
			bad := b
			bad[at] ^= 0x40
			require.ErrorContains(t, make().Decode(bad[:n]), says, kind.String())
		}
	}
}

// TestDigest: the fast loop is the formula of the rule book; any changed bit changes it.
func TestDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 24).Draw(t, "words")
		b = append(b, make([]byte, -len(b)&7)...)
		h := uint64(0x6d65_7461_726f_6365)
		for i := 0; i < len(b); i += 8 {
			h = (h ^ binary.LittleEndian.Uint64(b[i:])) * 0x9e37_79b9_7f4a_7c15
			h ^= h >> 32
		}
		if event.Digest(b) != h {
			t.Fatalf("%x: %x, formula %x", b, event.Digest(b), h)
		}
		if len(b) > 0 {
			at := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
			b[at/8] ^= 1 << (at % 8)
			if event.Digest(b) == h {
				t.Fatalf("bit %d does not count", at)
			}
		}
	})
	require.Equal(t, uint64(0x6d65_7461_726f_6365), event.Digest(nil))
}

// TestDiffNamesTheField: change each byte of a value in turn; the first difference reported is that value.
func TestDiffNamesTheField(t *testing.T) {
	for _, e := range entries(t) {
		if e.Case != "random0" {
			continue
		}
		kind := event.Kind(e.Bytes[1])
		require.Empty(t, diff(kind, e.Bytes, e.Bytes))
		for _, f := range append(append([]event.FieldInfo(nil), event.HeadFields...), event.Info(kind).Fields...) {
			other := append([]byte(nil), e.Bytes...)
			other[f.Offset+f.Size-1] ^= 1
			got := diff(kind, e.Bytes, other)
			require.Len(t, got, 1, f.FullName())
			require.Equal(t, f.FullName(), got[0].Field.FullName())
			require.NotEqual(t, got[0].Field.Format(got[0].A), got[0].Field.Format(got[0].B), f.FullName())
		}
		if len(e.Bytes) > event.RecordSize {
			other := append([]byte(nil), e.Bytes...)
			for i := event.RecordSize; i < len(other); i++ {
				other[i] ^= 0xff
			}
			require.NotEmpty(t, diff(kind, e.Bytes, other))
			require.Empty(t, diff(kind, e.Bytes, other[:event.RecordSize]), "what one side does not hold is not compared")
			for range event.DiffFields(kind, e.Bytes, other) {
				break // stopping early is allowed
			}
		}
	}
}

func diff(k event.Kind, a, b []byte) (out []event.FieldDiff) {
	for d := range event.DiffFields(k, a, b) {
		out = append(out, d)
	}
	return out
}

// TestEveryByteBelongsToAField: head and values cover the record, or the byte is zero in every golden record.
func TestEveryByteBelongsToAField(t *testing.T) {
	for _, e := range entries(t) {
		kind := event.Kind(e.Bytes[1])
		owned := make([]bool, len(e.Bytes))
		for _, f := range append(append([]event.FieldInfo(nil), event.HeadFields...), event.Info(kind).Fields...) {
			for i := f.Offset; i < f.Offset+f.Size; i++ {
				require.False(t, owned[i], "%s: byte %d belongs to two", kind, i)
				owned[i] = true
			}
		}
		for i, v := range e.Bytes {
			require.True(t, owned[i] || v == 0, "%s byte %d", kind, i)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for kind, make := range fresh {
		r := make()
		var b [event.MaxRecord]byte
		n := 0
		require.Zero(t, testing.AllocsPerRun(50, func() { n = r.Encode(&b) }), kind.String())
		require.Zero(t, testing.AllocsPerRun(50, func() { _ = r.Decode(b[:n]) }), kind.String())
	}
}

func FuzzDecode(f *testing.F) {
	for i, e := range entries(f) {
		if i%20 == 0 {
			f.Add(e.Bytes)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for kind, make := range fresh {
			r := make()
			if r.Decode(b) == nil && (len(b) < event.RecordSize || b[1] != byte(kind)) {
				t.Fatalf("%s takes %x", kind, b)
			}
		}
	})
}

func BenchmarkEncodeWindow(b *testing.B) {
	var r event.Window
	var buf [event.MaxRecord]byte
	for range b.N {
		r.Encode(&buf)
	}
}

func BenchmarkDecodeWindow(b *testing.B) {
	var r event.Window
	var buf [event.MaxRecord]byte
	n := r.Encode(&buf)
	for range b.N {
		_ = r.Decode(buf[:n])
	}
}

func BenchmarkDigest192(b *testing.B) {
	var buf [192]byte
	for range b.N {
		sink = event.Digest(buf[:])
	}
}

var sink uint64
