package block

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/mrv"
)

// Draws that the tests look through, and the seed that they come from.
const (
	goldenLines = 1000
	goldenSeed  = 1
)

// TestGolden holds the committed vectors against the steps. A difference is a change of behaviour: wanted or a bug.
func TestGolden(t *testing.T) {
	for i := range Engines {
		e := &Engines[i]
		t.Run(e.Name, func(t *testing.T) {
			f, err := mrv.ReadFile("../golden/" + e.Name + "/steps.mrv")
			require.NoError(t, err)
			now := e.Vectors(goldenSeed)
			require.Len(t, f.Vectors, len(now), "`make golden` shows what changes")
			for i, v := range now {
				require.Equal(t, v.Name, f.Vectors[i].Name)
				for j := range v.Steps {
					require.Equal(t, v.Steps[j], f.Vectors[i].Steps[j], "%s, step %d: the step does the first now; `make golden` shows what changes", v.Name, j)
				}
			}
		})
	}
}

// TestAnswer: a step made from a body alone leaves what it left when it was drawn.
func TestAnswer(t *testing.T) {
	for i := range Engines {
		e := &Engines[i]
		v := e.walk(3)
		for j := range v.Steps {
			got, err := e.Answer(v.Steps[j].Op, v.Steps[j].Before)
			require.NoError(t, err)
			require.Equal(t, v.Steps[j].After, got, "%s, step %d", v.Name, j)
		}
		_, err := e.Answer(99, make([]byte, e.BodyBytes()))
		assert.ErrorContains(t, err, "has no op 99")
		_, err = e.Answer(0, make([]byte, e.BodyBytes()-1))
		assert.ErrorContains(t, err, "a body of")
	}
	assert.Nil(t, ByName("nothing"))
}

// TestFingerprint: it is that of behaviour, so it repeats; which it is changes with the steps.
func TestFingerprint(t *testing.T) {
	assert.Len(t, Fingerprint(), 16)
	assert.Equal(t, Fingerprint(), Fingerprint())
}

// TestLine: a line of an exported file is what Lines writes.
func TestLine(t *testing.T) {
	for i := range Engines {
		e := &Engines[i]
		v := e.walk(7)
		for j, want := range e.Lines(7, 50) {
			got, err := e.Line(&v.Steps[j])
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		in, out, rows := e.Widths()
		bits := in + out + 8
		for _, r := range rows {
			bits += 2 * r
		}
		assert.Len(t, e.Lines(7, 1)[0], (bits+3)/4)
	}
}

// TestEveryBuiltEngineHasVectors: an engine that is added to the definition must not go without.
func TestEveryBuiltEngineHasVectors(t *testing.T) {
	have := map[string]bool{}
	for _, e := range Engines {
		have[e.Name] = true
	}
	for _, info := range event.Engines {
		if info.Built && !info.Boundary {
			assert.True(t, have[info.Name], "%s has no vectors", info.Name)
		}
	}
}

// decisions are the values that enumerated decisions can take by the rules; a decision of one bit takes both.
var decisions = map[string][]uint8{
	"admit.reason":     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22},
	"window.class":     {0, 1, 2, 3, 4, 5},
	"key.syndrome":     {0, 2, 3, 4},
	"recv.syndrome":    {0, 1, 2, 3, 4, 5, 6, 7, 8},
	"message.verdict":  {0, 1, 2, 3, 4, 5, 6, 7, 8},
	"message.syndrome": {0, 1, 2, 3, 4, 5, 6, 7, 8},
}

// TestVectorsReachEveryDecision: every op of every engine and every value of its decisions comes at least twice.
func TestVectorsReachEveryDecision(t *testing.T) {
	for _, e := range Engines {
		t.Run(e.Name, func(t *testing.T) {
			info := infoOf(e.Name)
			seen := countDecisions(&e, info)
			for _, op := range info.Ops {
				assert.GreaterOrEqual(t, seen[fmt.Sprintf("op=%d", op.Number)], 2, "op %s", op.Name)
			}
			for i := range info.Fields {
				f := &info.Fields[i]
				values := decisions[e.Name+"."+f.Name]
				if f.Width == 1 {
					values = []uint8{0, 1}
				}
				for _, v := range values {
					if f.Group == event.GroupOut {
						assert.GreaterOrEqual(t, seen[fmt.Sprintf("%s=%d", f.Name, v)], 2, "%s is %d", f.Name, v)
					}
				}
			}
		})
	}
}

func countDecisions(e *Engine, info *event.EngineInfo) map[string]int {
	seen := map[string]int{}
	d := newDraw(goldenSeed, e)
	next := e.next()
	for range goldenLines {
		var before, after record
		next(d, &before, &after)
		seen[fmt.Sprintf("op=%d", after[2])]++
		for i := range info.Fields {
			if f := &info.Fields[i]; f.Group == event.GroupOut {
				seen[fmt.Sprintf("%s=%d", f.Name, f.Bytes(after[:])[0])]++
			}
		}
	}
	return seen
}

// TestPacking: bit by bit, against a word that was packed by hand.
func TestPacking(t *testing.T) {
	var w word
	w.put([]byte{0x01}, 1)
	w.put([]byte{0x05}, 3)
	w.put([]byte{0x34, 0x12}, 16)
	w.put([]byte{0x00}, 1)
	assert.Equal(t, "01234b", w.hex()) // 0 | 0x1234 | 101 | 1: 21 bits, so 6 digits
	r := event.Ctimer{In: event.CtimerIn{PathRow: 0x1122, ArmedBuilds: 0x33, Builds: 0x44, Pending: true, Now: 0x80000001}, Out: event.CtimerOut{Push: true}}
	var b record
	r.Encode(&b)
	// push 1 | now 32 | pending 1 | builds 8 | armed 8 | path_row 16 | op 8
	assert.Equal(t, "3000000034433112200", line(infoOf("ctimer"), &b, &b))
}

func TestLinesRepeat(t *testing.T) {
	for _, e := range Engines {
		assert.Equal(t, e.Lines(7, 50), e.Lines(7, 50), e.Name)
		assert.NotEqual(t, e.Lines(7, 50), e.Lines(8, 50), e.Name)
	}
}
