package lockstep_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

var modes = []target.Mode{target.ModeFull, target.ModeDigest}

func TestMatch(t *testing.T) {
	for _, m := range modes {
		v := do(t, modeltarget.New(), config(m), stimuli(t))
		require.Equal(t, lockstep.Match, v.Result, v.Line)
		assert.Nil(t, v.Divergence)
		for i := range event.Engines {
			if e := &event.Engines[i]; e.Built && e.Kind != event.KindMemRead {
				assert.Positive(t, v.Compared[e.Name], e.Name)
			}
		}
		sum := uint64(0)
		for _, n := range v.Compared {
			sum += n
		}
		assert.Equal(t, v.Transactions, sum)
		assert.Contains(t, v.NotCompared, "mem_read: not seen by model (pipe)")
	}
}

// What is told is what event.tbl declares so, and nothing else: at most two values a record.
func TestToldIsCounted(t *testing.T) {
	v := do(t, modeltarget.New(), config(target.ModeFull), stimuli(t))
	assert.Equal(t, v.Compared["window"], v.Told["window.now"])
	assert.Equal(t, v.Compared["ack"], v.Told["ack.now"])
	assert.Equal(t, v.Compared["ack"], v.Told["ack.grant"])
	assert.Equal(t, v.Compared["ctimer"], v.Told["ctimer.now"])
	assert.Positive(t, v.Told["admit.room"])
	assert.Less(t, v.Told["admit.room"], v.Compared["admit"], "nobody is told of the room for a command")
	assert.Len(t, v.Told, 5)
}

func TestObserveGetsEverythingWhole(t *testing.T) {
	for _, m := range modes {
		n := uint64(0)
		r := lockstep.Run{Name: "test", Device: modeltarget.New(), Config: config(m), Stimulus: stimuli(t), Observe: func(b []byte) {
			require.Len(t, b, 64*(1+int(b[3])))
			require.Equal(t, uint32(n), binary.LittleEndian.Uint32(b[4:]))
			n++
		}}
		v := r.Do(context.Background())
		assert.Equal(t, v.Transactions, n)
	}
}

func TestNothingComparedIsInconclusive(t *testing.T) {
	v := do(t, modeltarget.New(), config(target.ModeFull), stimulus.List{{Kind: stimulus.KindWaitIdle}})
	assert.Equal(t, lockstep.Inconclusive, v.Result)
	assert.Equal(t, 3, int(v.Result))
	assert.Equal(t, "inconclusive: nothing was compared", v.Line)
}

// A device that computes one value wrong, whichever record and whichever bit: found there, with the field and both
// values, in either mode.
func TestEveryWrongBitIsNamed(t *testing.T) {
	for _, m := range modes {
		rapid.Check(t, func(t *rapid.T) {
			var want, device, model, kind string
			var seq uint64
			d := newTampered(m, func(list [][]byte) [][]byte {
				i := rapid.IntRange(0, len(list)-1).Draw(t, "record")
				e := event.Info(event.Kind(list[i][1]))
				f := e.Fields[rapid.IntRange(0, len(e.Fields)-1).Draw(t, "field")]
				was := f.Format(f.Bytes(list[i]))
				bit := rapid.IntRange(0, f.Width-1).Draw(t, "bit")
				f.Bytes(change(list, i))[bit/8] ^= 1 << (bit % 8)
				redigest(list[i])
				seq, kind, want, model, device = uint64(i), e.Name, f.FullName(), was, f.Format(f.Bytes(list[i]))
				return list
			})
			v := do(nil2(t), d, config(m), must(t))
			require.Equal(t, lockstep.Diverged, v.Result, v.Line)
			dv := v.Divergence
			require.Equal(t, seq, dv.Seq, v.Line)
			require.Equal(t, kind, dv.Kind)
			if dv.What == "illegal" { // a told value against its rule: admit.room
				require.Equal(t, "in.room", want, v.Line)
				return
			}
			require.Equal(t, "differs", dv.What, v.Line)
			require.Equal(t, want, dv.Field)
			require.Equal(t, device, dv.Device)
			require.Equal(t, model, dv.Model)
			require.Equal(t, event.Info(eventKind(kind)).Rule, dv.Rule)
			require.Len(t, dv.Fields, 1)
			require.Contains(t, v.Line, want+" is "+device+" in the device, "+model+" in the model")
			require.NotContains(t, v.Line, "\n")
		})
	}
}

func eventKind(name string) event.Kind {
	for i := range event.Engines {
		if event.Engines[i].Name == name {
			return event.Engines[i].Kind
		}
	}
	return 0
}

// A head that says something else: op, xid, connection, path, stream, cycle, number, version, kind, parts.
func TestEveryWrongHeadIsFound(t *testing.T) {
	for _, m := range modes {
		rapid.Check(t, func(t *rapid.T) {
			var seq uint64
			d := newTampered(m, func(list [][]byte) [][]byte {
				i := rapid.IntRange(0, len(list)-1).Draw(t, "record")
				bit := rapid.IntRange(0, 28*8-1).Draw(t, "bit")
				if bit >= 64 {
					bit += 64 // the cycle is told
				}
				change(list, i)[bit/8] ^= 1 << (bit % 8)
				seq = uint64(i)
				return list
			})
			v := do(nil2(t), d, config(m), must(t))
			require.Equal(t, lockstep.Diverged, v.Result, v.Line)
			require.LessOrEqual(t, v.Divergence.Seq, seq+1, v.Line)
		})
	}
}

func TestRecordsLostDoubledSwapped(t *testing.T) {
	for _, m := range modes {
		for _, c := range []struct {
			name string
			f    func(l [][]byte, i int) [][]byte
		}{
			{"lost", func(l [][]byte, i int) [][]byte { return append(l[:i:i], l[i+1:]...) }},
			{"doubled", func(l [][]byte, i int) [][]byte { return append(l[:i:i], append([][]byte{l[i]}, l[i:]...)...) }},
			{"swapped", func(l [][]byte, i int) [][]byte { l[i], l[i+1] = l[i+1], l[i]; return l }},
			{"renumbered loss", func(l [][]byte, i int) [][]byte {
				l = append(l[:i:i], l[i+1:]...)
				for n := i; n < len(l); n++ {
					binary.LittleEndian.PutUint32(change(l, n)[4:], uint32(n))
				}
				return l
			}},
		} {
			t.Run(fmt.Sprint(m, " ", c.name), func(t *testing.T) {
				list, err := recorded()
				require.NoError(t, err)
				for at := 0; at < len(list)-1; at += 1 + len(list)/20 {
					v := do(t, newTampered(m, func(l [][]byte) [][]byte { return c.f(l, at) }), config(m), stimuli(t))
					require.Equal(t, lockstep.Diverged, v.Result, "record %d: %s", at, v.Line)
				}
			})
		}
	}
}

// What the device never did is found at the end, and named.
func TestLeftovers(t *testing.T) {
	for _, c := range []struct {
		name string
		drop func(r []byte) bool
		kind string
	}{
		{"last ACK", func(r []byte) bool { return r[1] == byte(event.KindPacketOut) }, "packet_out"},
		{"last completion", func(r []byte) bool { return r[1] == byte(event.KindCompletion) }, "completion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newTampered(target.ModeFull, func(l [][]byte) [][]byte {
				last := -1
				for i := range l {
					if c.drop(l[i]) {
						last = i
					}
				}
				l = append(l[:last:last], l[last+1:]...)
				for n := last; n < len(l); n++ {
					binary.LittleEndian.PutUint32(change(l, n)[4:], uint32(n))
				}
				return l
			})
			v := do(t, d, config(target.ModeFull), stimuli(t))
			require.Equal(t, lockstep.Diverged, v.Result, v.Line)
			assert.Equal(t, c.kind, v.Divergence.Kind, v.Line)
			assert.Contains(t, []string{"missing", "late", "illegal"}, v.Divergence.What)
			assert.NotEmpty(t, v.Divergence.Why)
		})
	}
	d := newTampered(target.ModeFull, func(l [][]byte) [][]byte { return l[:len(l)/2] })
	v := do(t, d, config(target.ModeFull), stimuli(t))
	require.Equal(t, lockstep.Diverged, v.Result)
	assert.Equal(t, "missing", v.Divergence.What, v.Line)
}

// hangs is a device that stops without being idle.
type hangs struct{ *tampered }

func (h hangs) End() target.Ending {
	e := h.tampered.End()
	e.Hung, e.Cycles = true, e.Cycles+30000
	return e
}

func TestHang(t *testing.T) {
	v := do(t, hangs{newTampered(target.ModeFull, func(l [][]byte) [][]byte { return l })}, config(target.ModeFull), stimuli(t))
	require.Equal(t, lockstep.Diverged, v.Result)
	assert.Equal(t, "hang", v.Divergence.What)
	assert.Contains(t, v.Line, "divergence: hang at cycle")
	v = do(t, hangs{newTampered(target.ModeFull, func(l [][]byte) [][]byte { return l[:len(l)/2] })}, config(target.ModeFull), stimuli(t))
	require.Equal(t, lockstep.Diverged, v.Result)
	assert.NotEqual(t, "hang", v.Divergence.What, "what is owed says more than that it hangs: %s", v.Line)
}

func TestReport(t *testing.T) {
	at := 0
	d := newTampered(target.ModeDigest, func(l [][]byte) [][]byte {
		for i := len(l) * 3 / 4; ; i++ { // late enough for a history
			if l[i][1] == byte(event.KindWindow) {
				change(l, i)[76] ^= 0x10 // vector: a state record, so that the field is known by the second look only
				redigest(l[i])
				at = i
				return l
			}
		}
	})
	v := do(t, d, config(target.ModeDigest), stimuli(t))
	require.Equal(t, lockstep.Diverged, v.Result)
	dv := v.Divergence
	assert.Equal(t, uint64(at), dv.Seq)
	assert.Equal(t, "path.vector", dv.Field)
	assert.Equal(t, "R-WINDOW", dv.Rule)
	assert.Equal(t, "tandem run test", v.Rerun)
	require.Len(t, dv.History, 16)
	for _, h := range dv.History {
		assert.Contains(t, h, fmt.Sprintf(" conn %d path %d ", dv.Conn, dv.Path))
		assert.Contains(t, h, " window ")
	}
	assert.Less(t, dv.WaveFrom, dv.Cycle)
	assert.Greater(t, dv.WaveTo, dv.Cycle)
	assert.Contains(t, dv.DeviceRecord, "path.vector=")
	b, err := json.Marshal(v)
	require.NoError(t, err)
	var back lockstep.Verdict
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, *v, back, "the verdict survives its file")
}

// noSecond cannot be looked at twice.
type noSecond struct{ *tampered }

func (noSecond) SecondLook(context.Context) ([]byte, error) { return nil, errors.New("ring is gone") }

func TestSecondLookFails(t *testing.T) {
	d := newTampered(target.ModeDigest, func(l [][]byte) [][]byte {
		change(l, 200)[28] ^= 1
		return l
	})
	v := do(t, noSecond{d}, config(target.ModeDigest), stimuli(t))
	require.Equal(t, lockstep.Diverged, v.Result, "a divergence stays one")
	assert.Equal(t, "head.digest", v.Divergence.Field)
	assert.Contains(t, fmt.Sprint(v.NotCompared), "ring is gone")
}

// failing breaks at a given step of its life.
type failing struct {
	*modeltarget.Device
	at  string
	err error
}

func (f *failing) Reset(ctx context.Context, c target.Config) error {
	if f.at == "reset" {
		return f.err
	}
	return f.Device.Reset(ctx, c)
}

func (f *failing) Apply(ctx context.Context, l stimulus.List) error {
	if f.at == "apply" {
		return f.err
	}
	return f.Device.Apply(ctx, l)
}

func (f *failing) Drain(ctx context.Context) ([]byte, error) {
	if f.at == "drain" {
		return nil, f.err
	}
	return f.Device.Drain(ctx)
}

func TestBenchFailuresAreNoDivergence(t *testing.T) {
	for _, at := range []string{"reset", "apply", "drain"} {
		v := do(t, &failing{modeltarget.New(), at, target.Fail("device", nil, "was silent for 1.5s")}, config(target.ModeFull), stimuli(t))
		assert.Equal(t, lockstep.BenchFailed, v.Result)
		assert.Equal(t, "bench failure: device: was silent for 1.5s", v.Line)
		assert.Nil(t, v.Divergence)
	}
	v := do(t, &failing{modeltarget.New(), "drain", target.Fail("device", io.EOF, "closed the socket")}, config(target.ModeFull), stimuli(t))
	assert.Equal(t, lockstep.BenchFailed, v.Result, "a device that broke off is not one that ended")
	v = do(t, &failing{modeltarget.New(), "reset", &target.Unsupported{What: "mode warp"}}, config(target.ModeFull), stimuli(t))
	assert.Equal(t, lockstep.Unsupported, v.Result)
	c := config(target.ModeFull)
	c.Preset = "huge"
	v = do(t, modeltarget.New(), c, stimuli(t))
	assert.Equal(t, lockstep.Unsupported, v.Result)
	assert.Contains(t, v.Line, "preset huge; there are tiny small full")
}

type fullDisk struct{ n int }

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

func TestJournal(t *testing.T) {
	var j bytes.Buffer
	r := lockstep.Run{Name: "t", Device: modeltarget.New(), Config: config(target.ModeDigest), Stimulus: stimuli(t), Journal: &j}
	v := r.Do(context.Background())
	require.Equal(t, lockstep.Match, v.Result)
	assert.Equal(t, int(v.Transactions)*64, j.Len())

	r.Device, r.Journal = modeltarget.New(), &fullDisk{1000}
	v = r.Do(context.Background())
	assert.Equal(t, lockstep.BenchFailed, v.Result)
	assert.Equal(t, "bench failure: run folder: cannot write the journal: no space left on device", v.Line)
}

func TestGarbageRecords(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(r []byte) []byte
	}{
		{"version", func(r []byte) []byte { r[0] = 9; return r }},
		{"kind", func(r []byte) []byte { r[1] = 200; return r }},
		{"parts", func(r []byte) []byte { r[3] = 2; return append(r, make([]byte, 64)...) }},
		{"cut", func(r []byte) []byte { return r[:64] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newTampered(target.ModeFull, func(l [][]byte) [][]byte {
				for i := range l {
					if l[i][1] == byte(event.KindAdmit) {
						l[i] = c.f(change(l, i))
						return l[:i+1]
					}
				}
				return l
			})
			v := do(t, d, config(target.ModeFull), stimuli(t))
			assert.Equal(t, lockstep.Diverged, v.Result, v.Line)
			assert.Equal(t, "R-RECORD", v.Divergence.Rule, v.Line)
		})
	}
}

// nil2 and must keep rapid's T out of helpers that want testing.TB.
func nil2(*rapid.T) testing.TB { return quiet{} }

type quiet struct{ testing.TB }

func (quiet) Helper() {}

func must(t *rapid.T) stimulus.List {
	l, err := traffic()
	require.NoError(t, err)
	return l
}
