package vector

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/export"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/stimulus"
)

const race = `title "a stream is closed behind a packet on its way"
covers R-LIFE
conn 0
key 0
wait idle
write
close 0.0
write
wait idle
expect completions>=0
`

// TestTimeDecides: a text whose outcome hangs on time is no vector; waits make it one.
func TestTimeDecides(t *testing.T) {
	f, err := scenario.Parse("t.scn", []byte(race))
	require.NoError(t, err)
	_, err = FromText(ctx, f, "t", "tiny", 1, false)
	var u *Unstable
	require.ErrorAs(t, err, &u)
	assert.Contains(t, err.Error(), "hangs on time")
	v, err := FromText(ctx, f, "t", "tiny", 1, true)
	require.NoError(t, err)
	assert.Contains(t, v.Source.Args, "settled ")
	for _, target := range []string{Blocks, Model} {
		assert.Equal(t, lockstep.Match, Check(ctx, v, Options{Target: target}).Result)
	}
	stripped := *v
	items, kept := stimulus.List{}, []mrv.Item(nil)
	for i, it := range v.Items {
		if it.Kind != stimulus.KindWaitIdle || i < 10 {
			items, kept = append(items, v.Program().Items[i]), append(kept, it)
		}
	}
	prog := *v.Program()
	prog.Items = items
	stripped.Replace(kept, &prog)
	require.ErrorAs(t, Bless(ctx, &stripped), &u, "the waits are what holds it")
}

// TestRandomSettles: any traffic can be made a vector; its name, seed and limits give it again.
func TestRandomSettles(t *testing.T) {
	for seed := range uint64(2) {
		v, err := FromSeed(ctx, "r", "tiny", seed, 40, nil)
		require.NoError(t, err)
		again, err := FromSeed(ctx, "r", "tiny", seed, 40, nil)
		require.NoError(t, err)
		require.Equal(t, mrv.Whole(v), mrv.Whole(again))
		for _, target := range []string{Blocks, Model} {
			out := Check(ctx, v, Options{Target: target})
			require.Equal(t, lockstep.Match, out.Result, out.Line)
		}
	}
}

// TestFrameOvertakesCommand: a command and a frame behind it race, and only a later frame, which has its wait, shows it.
func TestFrameOvertakesCommand(t *testing.T) {
	limits, err := generate.ParseLimits([]string{"lose=200"})
	require.NoError(t, err)
	v, err := FromSeed(ctx, "r", "tiny", 8, 500, limits)
	require.NoError(t, err)
	assert.Equal(t, lockstep.Match, Check(ctx, v, Options{Target: Model}).Result)
}

// TestUnsettled: where no wait helps, the message says what does.
func TestUnsettled(t *testing.T) {
	f, err := scenario.Parse("t.scn", []byte("title \"t\"\ncovers R-ACK\nconn 0\nkey 0\nwrite A\nsee ack within=0..1\nwait idle\n"))
	require.NoError(t, err)
	_, err = FromText(ctx, f, "t", "tiny", 1, true)
	var u *Unsettled
	require.ErrorAs(t, err, &u)
	assert.ErrorContains(t, err, "leave it to lockstep (tandem run), or change it")
}

// TestOneCell: the guide reaches every bin of a cell, and says so when it does not.
func TestOneCell(t *testing.T) {
	p, _ := preset.ByName("tiny")
	c := cell{event.ClassNew, 1, wire.SyndromeBounds}
	g, err := newGuide("x", p, 3)
	require.NoError(t, err)
	v := fresh("x", "tiny", mrv.Source{})
	for n := range 16 {
		if n == 5 {
			continue
		}
		g.reach(c, n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0)
	}
	require.NoError(t, g.err)
	v.FromProgram(g.b.Program)
	require.NoError(t, settled(ctx, v))
	assert.Equal(t, []string{"window class=new epoch=next D=yes CE=no L=yes syndrome=bounds near=no"}, missed(ctx, v, c))
	assert.Len(t, cells(), 39)
}

// TestCaptureAndRun: the frames of a vector come back through a capture, and through the folder of a run, as the packets
// that they are.
func TestCaptureAndRun(t *testing.T) {
	v := text(t, twoMessages)
	dir := t.TempDir()
	file := filepath.Join(dir, "v.pcapng")
	out, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, export.Pcapng(out, v))
	require.NoError(t, out.Close())
	c, err := FromCapture(ctx, file, "tiny")
	require.NoError(t, err)
	assert.Equal(t, v.Frames(), c.Frames())
	for i := range c.Items {
		if c.Items[i].Kind == stimulus.KindFrame {
			assert.NotNil(t, c.Items[i].Packet, "item %d", i)
		}
	}
	assert.Equal(t, event.ReasonConn, c.Want.Fates[0].Reason, "nothing is set up")

	verdict := session.Run(ctx, session.Options{Name: "n", Device: "model", Config: target.Config{Preset: "tiny", Seed: 4}, Stimulus: v.Program().Items, RunsDir: dir})
	require.Equal(t, lockstep.Match, verdict.Result)
	r, err := FromRun(ctx, verdict.Folder, false)
	require.NoError(t, err)
	assert.Equal(t, uint64(4), r.Seed)
	assert.Equal(t, lockstep.Match, Check(ctx, r, Options{Target: Model}).Result)
	require.Len(t, r.Items, len(v.Items))
	for i := range v.Items {
		if p := v.Items[i].Packet; p != nil {
			assert.Equal(t, p.Op, r.Items[i].Packet.Op)
			assert.Equal(t, v.Program().Items[i].Data, r.Program().Items[i].Data)
		}
	}
	_, err = FromRun(ctx, dir, false)
	assert.ErrorContains(t, err, "is no run folder")
	require.NoError(t, os.WriteFile(file, []byte("no capture"), 0o600))
	_, err = FromCapture(ctx, file, "tiny")
	assert.Error(t, err)
}

// TestSize: a mixed run of packets stays far below 60 bytes a packet on disk, and holds when it is read back.
func TestSize(t *testing.T) {
	p, _ := preset.ByName("tiny")
	prog, err := generate.Generate(generate.Config{Params: p, Seed: 1, Packets: 2000})
	require.NoError(t, err)
	v := fresh("r", "tiny", mrv.Source{})
	v.FromProgram(prog)
	seen, _, err := Run(ctx, v, Options{Target: Blocks})
	require.NoError(t, err)
	v.Want = seen.Set
	b, err := mrv.Encode(NewFile([]*mrv.Vector{v}), 1)
	require.NoError(t, err)
	assert.Less(t, len(b)/v.Frames(), 60)
	f, err := mrv.Decode(b)
	require.NoError(t, err)
	assert.Equal(t, lockstep.Match, Check(ctx, f.Vectors[0], Options{Target: Blocks}).Result)
}

func TestBroken(t *testing.T) {
	list, err := Broken(ctx, "tiny")
	require.NoError(t, err)
	require.Len(t, list, len(compose.Mutations))
	for i, v := range list {
		assert.Equal(t, compose.Mutations[i].IPv4, v.Want.Fates[1].Reason, v.Name)
		assert.Equal(t, compose.Mutations[i].IPv6, v.Want.Fates[7].Reason, v.Name)
		assert.Equal(t, event.ReasonNone, v.Want.Fates[2].Reason, "the frame behind it is whole")
	}
}

// numbered has all commands take the number that is nobody's else, and opens windows with them.
const numbered = `title "commands of one number"
covers R-REGISTER R-ACK
conn 0
key 0
wait idle
repeat 3
  write
  wait idle
  set cmd_sent 0x7fff_ffff
  command path_set conn=0 path=0 psn=0x100 tsn=0x100 peer=7
  wait idle
end
write psn=0x100 tsn=0x100
wait idle
read cmd_sent
expect mem=ok
`

// TestNumbersOfCommands: what software makes of the numbers of commands, none of them is taken for a frame.
func TestNumbersOfCommands(t *testing.T) {
	v := text(t, numbered)
	states := 0
	for i := range v.Want.Segments {
		for _, s := range v.Want.Segments[i].States {
			if s.Xid == expect.CommandBit {
				states++
			}
		}
	}
	assert.Equal(t, 3, states)
	for _, target := range []string{Blocks, Model} {
		out := Check(ctx, v, Options{Target: target})
		assert.Equal(t, lockstep.Match, out.Result, out.Line)
	}
}

// TestCountersWrittenWhileTheyCount: the wait that decides stands in front of the write, and the read has its own already.
func TestCountersWrittenWhileTheyCount(t *testing.T) {
	for name, lines := range map[string]string{
		"verdicts": "write\nset verdicts.place 5\nwait idle\nread verdicts.place",
		"drops":    "write\nset drops.none 0xffff_ffff\nset drops.none 7\nread drops.none\nwrite\nread drops.none",
		"commands": "command stream_close row=9\nset cmd_done 0xffff_ffff\nwait idle\nread cmd_done",
	} {
		f, err := scenario.Parse("t.scn", []byte("title \"counters\"\ncovers R-REGISTER\nconn 0\nkey 0\nwait idle\n"+lines+"\nwait idle\nexpect mem=ok\n"))
		require.NoError(t, err, name)
		_, err = FromText(ctx, f, "t", "tiny", 1, false)
		assert.ErrorContains(t, err, "or of the write of that register before it, decides it", name)
		v, err := FromText(ctx, f, "t", "tiny", 1, true)
		require.NoError(t, err, name)
		for _, target := range []string{Blocks, Model} {
			assert.Equal(t, lockstep.Match, Check(ctx, v, Options{Target: target}).Result, name)
		}
	}
}
