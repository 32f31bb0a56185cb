package block

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
)

var rewrite = flag.Bool("rewrite", false, "write vectors/golden/<engine>/step.hex again")

// Lines of a file, and the seed that they come from.
const (
	goldenLines = 1000
	goldenSeed  = 1
)

// TestGolden holds the committed vectors against the steps. A difference is a change of behaviour: wanted or a bug.
func TestGolden(t *testing.T) {
	for _, e := range Engines {
		t.Run(e.Name, func(t *testing.T) {
			text := e.Header() + strings.Join(e.Lines(goldenSeed, goldenLines), "\n") + "\n"
			path := filepath.Join("..", "golden", e.Name, "step.hex")
			if *rewrite {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
				return
			}
			committed, err := os.ReadFile(path)
			require.NoError(t, err)
			have, want := strings.Split(string(committed), "\n"), strings.Split(text, "\n")
			require.Len(t, have, len(want), "%s: number of lines", path)
			for i := range want {
				require.Equal(t, want[i], have[i], "%s:%d: the step gives the first line now; `make golden` takes that over", path, i+1)
			}
		})
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
