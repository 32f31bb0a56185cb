package vector

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/scenario"
)

const golden = "../../vectors/golden"

var ctx = context.Background()

// committed is the committed set, read once: nobody may change it.
var committed = sync.OnceValues(func() (*Store, error) { return OpenStore(golden) })

// TestGoldenHolds runs the committed set on the model without time, and a part of it in cycles.
func TestGoldenHolds(t *testing.T) {
	s, err := committed()
	require.NoError(t, err)
	list := s.Vectors()
	require.GreaterOrEqual(t, len(list), 300)
	kinds := map[string]int{}
	for i, v := range list {
		kinds[v.Kind]++
		out := Check(ctx, v, Options{Target: Blocks})
		require.Equal(t, lockstep.Match, out.Result, "%s: %s: `make golden` shows by rule what changes", v.Name, out.Line)
		require.Positive(t, out.Compared)
		if i%40 == 0 {
			out = Check(ctx, v, Options{Target: Model})
			require.Equal(t, lockstep.Match, out.Result, "%s: %s", v.Name, out.Line)
		}
	}
	for i := range block.Engines {
		assert.Positive(t, kinds[block.Engines[i].Name], "%s has no vector", block.Engines[i].Name)
	}
	assert.Positive(t, kinds[mrv.Receive])
}

// TestManifest: the list that is reviewed is that of the files.
func TestManifest(t *testing.T) {
	s, err := committed()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(golden, ManifestFile))
	require.NoError(t, err)
	assert.Equal(t, Manifest(s.Version, s.Files), string(text))
	log, err := os.ReadFile(filepath.Join(golden, ChangesFile))
	require.NoError(t, err)
	assert.Contains(t, string(log), "\n## "+s.Version+"\n", "the version has an entry with its reason")
	rej, err := filepath.Glob(filepath.Join(golden, "*", "*.rej"))
	require.NoError(t, err)
	assert.Empty(t, rej)
}

// TestGoldenIsMadeAgain: equal arguments give equal bytes, on one and on two workers; of parts that are quick to make, one of
// them by the model. vectors/block holds the other steps, `tandem vectors bless` everything.
func TestGoldenIsMadeAgain(t *testing.T) {
	s, err := committed()
	require.NoError(t, err)
	parts, err := GoldenParts([]string{"ctimer/steps.mrv", "coalesce/steps.mrv", "parse/mutations.mrv"})
	require.NoError(t, err)
	one, err := MakeAll(ctx, parts, 1)
	require.NoError(t, err)
	two, err := MakeAll(ctx, parts, 2)
	require.NoError(t, err)
	for i, p := range parts {
		a, err := mrv.Encode(one[i], 1)
		require.NoError(t, err)
		b, err := mrv.Encode(two[i], 2)
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), p.Path)
		d := Diff(s.Files[p.Path].Vectors, one[i].Vectors)
		require.True(t, d.None(), "%s: %v", p.Path, d.Lines())
	}
}

func text(t *testing.T, src string) *mrv.Vector {
	t.Helper()
	f, err := scenario.Parse("t.scn", []byte(src))
	require.NoError(t, err)
	v, err := FromText(ctx, f, "t", "tiny", 1, false)
	require.NoError(t, err)
	return v
}

const twoMessages = `title "two messages, a gap, a refusal"
covers R-WINDOW
requires commits
conn 0 paths=2 streams=2
key 0
wait idle
write as=a
lose
  write as=b
end
write stream=1
see window gap_shown=1 class=new
wait idle
again b
see completion stream=0 msn=+1
send stream=1
query stream=1
see ack cum=+4 path=0
see completion never stream=1 msn=+1
wait idle
read CMD_DONE
expect completions>=3
`

// TestEveryExpectationBites changes one expectation at a time: the run no longer holds, under the rule of what changed.
func TestEveryExpectationBites(t *testing.T) {
	out := Check(ctx, text(t, twoMessages), Options{Target: Blocks})
	require.Equal(t, lockstep.Match, out.Result, out.Line)
	require.Positive(t, out.Acks)
	last := func(v *mrv.Vector) *expect.Segment { return &v.Want.Segments[len(v.Want.Segments)-2] }
	for name, c := range map[string]struct {
		change func(v *mrv.Vector)
		rule   string
	}{
		"reason":     {func(v *mrv.Vector) { v.Want.Fates[0].Reason = event.ReasonIcrc }, "R-ADMIT"},
		"class":      {func(v *mrv.Vector) { v.Want.Fates[1].Class = event.ClassDuplicate }, "R-WINDOW"},
		"verdict":    {func(v *mrv.Vector) { v.Want.Fates[1].Verdict = event.VerdictClosed }, "R-MESSAGE"},
		"syndrome":   {func(v *mrv.Vector) { v.Want.Fates[3].Syndrome = wire.SyndromeKey }, "R-RECV"},
		"address":    {func(v *mrv.Vector) { v.Want.Fates[0].Addr ^= 8 }, "R-PLACE"},
		"completion": {func(v *mrv.Vector) { last(v).Completions[0].WrId = 9 }, "R-COMPLETE"},
		"reply":      {func(v *mrv.Vector) { last(v).Replies[0].Sport++ }, "R-REPLY-PORT"},
		"state":      {func(v *mrv.Vector) { s := last(v).States; s[len(s)-1].Ack.Packets++ }, "R-WINDOW"},
		"command":    {func(v *mrv.Vector) { v.Want.Segments[0].Dones[0].Op++ }, "R-CMDDONE"},
		"register":   {func(v *mrv.Vector) { v.Want.Segments[len(v.Want.Segments)-1].Reads[0].Value++ }, "R-REGISTER"},
		"see":        {func(v *mrv.Vector) { v.Sees[0].Fields[0].Any[0] = expect.Alternative{Lo: 7, Hi: 7} }, "R-WINDOW"},
		"never":      {func(v *mrv.Vector) { v.Sees[3].Fields, v.Sees[3].After = v.Sees[3].Fields[:1], expect.Point{} }, "R-COMPLETION"},
		"after":      {func(v *mrv.Vector) { v.Sees[1].After = expect.Point{Frames: 99, Accesses: 999} }, "R-COMPLETION"},
	} {
		t.Run(name, func(t *testing.T) {
			v := text(t, twoMessages)
			c.change(v)
			for _, target := range []string{Blocks, Model} {
				out := Check(ctx, v, Options{Target: target})
				require.Equal(t, lockstep.Diverged, out.Result)
				assert.Equal(t, c.rule, out.Mismatches[0].Rule, out.Line)
			}
		})
	}
}

// TestStepsBite: a bit of a step's answer that is changed is found, by field.
func TestStepsBite(t *testing.T) {
	s, err := OpenStore(golden) // a copy that may be changed
	require.NoError(t, err)
	for i := range block.Engines {
		e := &block.Engines[i]
		v := s.Files[e.Name+"/steps.mrv"].Vectors[0]
		require.Equal(t, lockstep.Match, Check(ctx, v, Options{Target: RTL}).Result)
		v.Steps[1].After[0] ^= 1
		out := Check(ctx, v, Options{Target: Blocks})
		require.Equal(t, lockstep.Diverged, out.Result)
		assert.Equal(t, 1, out.Mismatches[0].Segment)
		assert.Contains(t, out.Mismatches[0].Field, "out.")
		assert.Equal(t, e.Info().Rule, out.Mismatches[0].Rule)
		v.Source.Revision = "block 1 layout 00000000"
		out = Check(ctx, v, Options{Target: Blocks})
		assert.Equal(t, lockstep.BenchFailed, out.Result)
		assert.Contains(t, out.Line, "written for layout 00000000")
	}
}

func TestWhatATargetCannotDo(t *testing.T) {
	v := text(t, twoMessages)
	for name, c := range map[string]struct {
		change func(v *mrv.Vector)
		want   string
	}{
		"sender":   {func(v *mrv.Vector) { v.Requires = []string{"sender"} }, `requires "sender"`},
		"cycles":   {func(v *mrv.Vector) { v.Requires = []string{"cycles"} }, `requires "cycles"`},
		"endpoint": {func(v *mrv.Vector) { v.Kind = mrv.Endpoint }, "whole endpoint"},
		"acts":     {func(v *mrv.Vector) { v.Acts = make([]mrv.Act, 1) }, "whole endpoint"},
		"kind":     {func(v *mrv.Vector) { v.Kind = "toaster" }, `vector t is of kind "toaster"; there are receive, endpoint, `},
		"preset":   {func(v *mrv.Vector) { v.Preset = "huge" }, `preset "huge"`},
	} {
		w := *v
		c.change(&w)
		out := Check(ctx, &w, Options{Target: Blocks})
		assert.Equal(t, lockstep.Unsupported, out.Result, name)
		assert.Contains(t, out.Line, c.want)
	}
	assert.Equal(t, lockstep.Unsupported, Check(ctx, v, Options{Target: "silicon"}).Result)
	engine := &mrv.Vector{Name: "b", Kind: "window", Preset: "tiny"}
	assert.Equal(t, lockstep.Inconclusive, Check(ctx, engine, Options{Target: Blocks}).Result, "no steps are no pass")
	engine.Items = v.Items
	assert.Contains(t, Check(ctx, engine, Options{Target: Blocks}).Line, "which an engine is not given")
	empty := &mrv.Vector{Name: "e", Kind: mrv.Receive, Preset: "tiny"}
	assert.Equal(t, lockstep.Inconclusive, Check(ctx, empty, Options{Target: Blocks}).Result, "nothing compared is not a pass")
}

// TestWindowsOfCycles: they are looked at where cycles mean something, and counted where they do not.
func TestWindowsOfCycles(t *testing.T) {
	src := "title \"t\"\ncovers R-ACK\nconn 0\nkey 0\nwrite A\nsee ack within=0..%\nwait idle\nwrite\n"
	out := Check(ctx, text(t, strings.Replace(src, "%", "900", 1)), Options{Target: Model})
	require.Equal(t, lockstep.Match, out.Result, out.Line)
	v := text(t, strings.Replace(src, "%", "900", 1))
	v.Sees[0].Hi = 2
	assert.Equal(t, lockstep.Diverged, Check(ctx, v, Options{Target: Model}).Result)
	out = Check(ctx, v, Options{Target: Blocks})
	assert.Equal(t, lockstep.Match, out.Result)
	assert.Equal(t, 1, out.Untimed)
}

// What lockstep ended says its result once, and that something was compared.
func TestEndedByLockstep(t *testing.T) {
	out := (&Outcome{Name: "n"}).ended(&lockstep.Verdict{Result: lockstep.Diverged, Line: "divergence: window packet xid 0x1: out.ack_now is 1",
		Folder: "runs/n-1", Compared: map[string]uint64{"admit": 5, "window": 1}})
	assert.Equal(t, Outcome{Name: "n", Result: lockstep.Diverged, Line: "window packet xid 0x1: out.ack_now is 1", Folder: "runs/n-1", Compared: 6}, *out)
	assert.Equal(t, "device: was silent", bare(&lockstep.Verdict{Result: lockstep.BenchFailed, Line: "bench failure: device: was silent"}))
	assert.Equal(t, "x.scn:1:1: expected", bare(&lockstep.Verdict{Result: lockstep.Diverged, Line: "x.scn:1:1: expected"}))
}
