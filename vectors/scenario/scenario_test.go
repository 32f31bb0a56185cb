package scenario

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenarios"
	"metaroce/tandem/vectors/stimulus"
)

func compile(t *testing.T, text string) (*Compiled, error) {
	t.Helper()
	f, err := Parse("x.scn", []byte(text))
	if f == nil {
		return nil, err
	}
	return Compile(f, Options{Params: preset.Tiny, Seed: 1})
}

const head = "conn 0 paths=2 streams=2\nkey 0\n"
const tail = "\nexpect drops=0\n"

// Rounds of empty loops count as lines: four of them inside each other would take minutes.
func TestEmptyLoops(t *testing.T) {
	text := head + strings.Repeat("repeat 20000\n", 4) + strings.Repeat("end\n", 4) + tail
	_, err := compile(t, text)
	assert.ErrorContains(t, err, "more than 100000 lines to execute; expected fewer repeats")
}

func TestStop(t *testing.T) {
	f, err := Parse("x.scn", []byte(head+"repeat 400\nend"+tail))
	require.NoError(t, err)
	stop := errors.New("stop")
	_, err = Compile(f, Options{Params: preset.Tiny, Stop: func() error { return stop }})
	assert.ErrorIs(t, err, stop)
}

// TestMistakes: every mistake has its line, its column, and what was expected there.
func TestMistakes(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"unknown word", "wrte psn=1", `x.scn:1:1: unknown word "wrte"; expected one of write`},
		{"unknown key", "conn 0 path=2", `x.scn:1:8: "conn" takes no "path"; expected paths=N`},
		{"count with a sign", head + "write\nexpect completions=-1", `x.scn:4:20: "-1"; expected N or N..N: this is no serial number`},
		{"no such rule", "covers R-WINDOW R-NOPE" + tail, `x.scn:1:17: "R-NOPE"; expected a rule id of docs/protocol.md such as R-`},
		{"key twice", "conn 0 paths=1 paths=2", `x.scn:1:16: "paths" again; expected each key once`},
		{"flag twice", head + "write A A", `x.scn:3:9: flag "A" again; expected each flag once`},
		{"no value", "conn 0 paths=", `x.scn:1:14: nothing behind "paths="; expected a value`},
		{"operator", "conn 0 paths>=2", `x.scn:1:8: "paths" with operator ">="; expected paths=VALUE`},
		{"missing word", "conn", `x.scn:1:1: "conn" needs more; expected conn N`},
		{"word too many", head + "close 0.0 0.1", `x.scn:3:11: "0.1" has no meaning here; expected close CONN.STREAM`},
		{"quote", `title "no end`, `x.scn:1:7: text in quotes does not end on its line; expected a second "`},
		{"block never closed", head + "repeat 3\nwrite", `x.scn:3:1: block "repeat" is never closed; expected a line "end"`},
		{"end without a block", "end", `x.scn:1:1: "end" without a block; expected a block to close`},
		{"end with more", "lose\nend here", `x.scn:2:5: "here"; expected nothing behind "end"`},
		{"gap before no packet", "+5 conn 0", `x.scn:1:1: gap before "conn"; expected a gap before packets only`},
		{"gap alone", "+5", `x.scn:1:3: end of line; expected a packet behind its gap`},
		{"control character", "conn 0 \x01", `x.scn:1:8: control character 0x1; expected text`},
		{"no text", "conn \xff", `x.scn:1:6: a byte that is no text; expected UTF-8 text`},
		{"no number", head + "write bytes=6x4" + tail, `x.scn:3:13: "6x4" is no number; expected a number such as 12`},
		{"number and more", head + "write bytes=6:4" + tail, `x.scn:3:14: ":4" has no meaning in a number`},
		{"expression ends", head + "write bytes=6+" + tail, `x.scn:3:15: a number is missing`},
		{"parenthesis", head + "write bytes=(6" + tail, `x.scn:3:15: a parenthesis is not closed`},
		{"division by zero", head + "write bytes=6/0" + tail, `x.scn:3:16: division by zero`},
		{"beyond 64 bit", head + "write addr=0xffff_ffff_ffff_ffff_f" + tail, `x.scn:3:12: "0xffff_ffff_ffff_ffff_f" is no number`},
		{"unit beyond 64 bit", head + "write addr=99999999999g" + tail, `x.scn:3:12: "99999999999g" is beyond 64 bit`},
		{"too large", head + "write attempt=16" + tail, `x.scn:3:15: attempt is 16; expected at most 15`},
		{"unknown variable", head + "repeat 2 i\nwrite bytes=j\nend" + tail, `x.scn:4:13: "j" is no number`},
		{"variable again", head + "repeat 2 i\nrepeat 2 i\nwrite\nend\nend" + tail, `x.scn:4:10: "i"; expected a letter or short word that is no variable of an outer repeat`},
		{"connection not open", "conn 0\nkey 0\nwrite conn=1" + tail, `x.scn:3:1: connection 1 is not open; expected a line "conn 1" before`},
		{"connection twice", "conn 0\nconn 0" + tail, `x.scn:2:6: connection 0 again`},
		{"no region", "conn 0\nwrite" + tail, `x.scn:2:1: memory region 0 is not set; expected a line "key N" before`},
		{"no room in the preset", "conn 0 paths=9" + tail, `x.scn:1:1: 9 paths: preset tiny has 1..4 a connection`},
		{"path of another", head + "epoch 0.7 +1" + tail, `x.scn:3:7: path 7 of 2; expected a path of the connection`},
		{"pair", head + "close 0" + tail, `x.scn:3:7: "0"; expected CONNECTION.STREAM such as 0.1`},
		{"mutation", head + "write bad=crc" + tail, `x.scn:3:11: mutation "crc"; expected one of ethertype, double_vlan`},
		{"permission", "conn 0\nkey 0 perm=write,raed" + tail, `x.scn:2:18: permission "raed"; expected write, read, atomic or none`},
		{"register", "read drop.icrc" + tail, `x.scn:1:6: register "drop.icrc"; expected one of id,`},
		{"register entry as docs/registers.md writes an array", "set DROPS[10] 5" + tail, `cmd_sent, drops.0 to drops.31, verdicts.0 to verdicts.15`},
		{"register entry", "read drops.40" + tail, `x.scn:1:6: entry 40 of DROPS`},
		{"address", "read 0x1000" + tail, `x.scn:1:6: address 0x1000; expected at most 0xfff`},
		{"address expected", "expect read[4096]=0", `x.scn:1:13: address 0x1000; expected at most 0xfff`},
		{"read-only register", "set id 5" + tail, `x.scn:1:5: register "id"; expected one of udp_port`},
		{"raw command", "command nothing" + tail, `x.scn:1:9: command "nothing"; expected one of conn_set`},
		{"argument of a command", "command key_set row=5" + tail, `x.scn:1:17: key_set takes no "row"`},
		{"command inside a block", head + "lose\nclose 0.0\nend" + tail, `x.scn:4:1: "close" inside reorder or lose; expected packets only`},
		{"order", head + "reorder sideways\nend" + tail, `x.scn:3:9: "sideways"; expected one of reverse, shuffle, rotate`},
		{"name unknown", head + "again z" + tail, `x.scn:3:7: nothing is named "z"; expected a name given with as=`},
		{"packet beyond a name", head + "write as=a\nagain a packets=0,3" + tail, `x.scn:4:17: packet 3 of 1`},
		{"lost packet beyond the message", head + "message write bytes=100 mtu=50 lose=1,2" + tail, `x.scn:3:37: packet 2 of 2`},
		{"range backwards", head + "message write lose=5..2" + tail, `x.scn:3:20: range 5..2 runs backwards`},
		{"mtu of zero", head + "message write mtu=0" + tail, `x.scn:3:1: a message of 64 bytes in packets of 0`},
		{"hex", "raw 0g" + tail, `x.scn:1:5: "0g" is no frame; expected two hex digits a byte`},
		{"port", "stall door" + tail, `x.scn:1:7: port "door"; expected frame, memory, completion, ack, register or all`},
		{"wait", "wait 5 minutes" + tail, `x.scn:1:8: "minutes"; expected one of cycles`},
		{"nothing about memory", "memory" + tail, `x.scn:1:1: nothing said about memory`},
		{"rule id", "covers window" + tail, `x.scn:1:8: "window"; expected a rule id of docs/protocol.md such as R-WINDOW`},
		{"preset", "preset huge" + tail, `x.scn:1:8: preset "huge"; expected tiny, small or full`},
		{"another preset", "preset small" + tail, `x.scn:1:8: compiled for preset "tiny"; expected the preset the scenario names`},
		{"expects nothing", "conn 0", `x.scn:1:1: the scenario expects nothing; expected a line such as "expect completions=1 mem=ok"`},
		{"empty", "", `x.scn:1:1: the scenario expects nothing`},
		{"empty expectation", "expect", `x.scn:1:1: expects nothing`},
		{"count", "expect dorps=1", `x.scn:1:8: unknown count "dorps"; expected a count such as drops`},
		{"count of a family", "expect drops.crc=1", `x.scn:1:8: unknown count "drops.crc"; expected a count such as drops.conn,`},
		{"bare word", "expect order", `x.scn:1:8: "order"; expected NAME=N, NAME>=N or NAME<=N`},
		{"memory", "expect mem=fine", `x.scn:1:12: "fine"; expected one of ok, none`},
		{"field", head + "expect window[0.0].sack=1", `x.scn:3:8: field "sack"; expected one of the fields cum`},
		{"row", head + "expect window[0.9].cum=1", `x.scn:3:15: path 9 of 2`},
		{"thing", head + "expect table[0.0].cum=1", `x.scn:3:8: "table[0.0].cum"; expected window[C.P].FIELD`},
		{"operator of a comparison", "expect drops<3", `x.scn:1:8: operator "<"; expected =, >= or <=`},
		{"too many lines", "repeat 20000\nrepeat 20000\nwait 1\nend\nend" + tail, `x.scn:3:1: more than 100000 lines to execute; expected fewer repeats`},
		{"too many frames", head + "repeat 20000\nflush\nflush\nend" + tail, `x.scn:4:1: the scenario makes more than 20000 frames`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile(t, c.text)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, err := compile(t, "wrte\nconn 0 pths=1\nrepeat 3\n")
	var list Errors
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, 3)
	_, err = compile(t, "repeat 5\nwrite\nend\nexpect dorps=1 kompletions=2\n")
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, 3, "one of them stands in a loop and counts once: %v", err)
	_, err = compile(t, strings.Repeat("nonsense\n", 500))
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, most)
}

func TestFormat(t *testing.T) {
	messy := "\n\n#first\ntitle   \"a  b\"   #why\n\n\n\tconn 0   paths=2\n+3   write A   bytes=5 # five\n\nrepeat  2  i\n\n# inside\nlose\nflush\nend   # gone\n\n# last\nend\n#tail\n\n\n#more\n\n"
	want := `# first
title "a  b"  # why

conn 0 paths=2
+3 write A bytes=5  # five

repeat 2 i
  # inside
  lose
    flush
  end  # gone

  # last
end
# tail

# more
`
	f, err := Parse("x", []byte(messy))
	require.NoError(t, err)
	got := string(Format(f))
	assert.Equal(t, want, got)
	again, err := Parse("x", []byte(got))
	require.NoError(t, err)
	assert.Equal(t, got, string(Format(again)))
}

// TestNumbers tries the expressions of values.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]uint64{"7": 7, "0x1_0": 16, "64k": 65536, "2m": 2 << 20, "1g": 1 << 30, "1+2*3": 7, "(1+2)*3": 9, "10-3-2": 5,
		"7%4+1": 4, "i*2": 10, "(i+1)/2": 3, "0-1": 1<<64 - 1, "0b101": 5} {
		v := values{rep: newReport("x"), vars: map[string]uint64{"i": 5}}
		got, ok := v.number(text, Pos{1, 1})
		assert.True(t, ok && got == want, "%s = %d, %v", text, got, v.rep.list)
	}
}

// TestSerials: relative numbers count from the first of the path, and the next one follows the highest.
func TestSerials(t *testing.T) {
	c, err := compile(t, "conn 0 psn=0xffff_ffff tsn=10 msn=7 epoch=15 streams=2\nkey 0\nwrite\nwrite psn=+5 msn=+3\nwrite\nwrite psn=-1 epoch=+1\nwrite offset=8 bytes=8\nwrite D\nflush\nwrite stream=1"+tail)
	require.NoError(t, err)
	var got [][4]uint32
	for _, f := range c.Program.Frames {
		p := f.Packet
		got = append(got, [4]uint32{p.Psn, p.Tsn, p.Msn, uint32(p.Epoch)})
	}
	assert.Equal(t, [][4]uint32{{0xffff_ffff, 10, 7, 15}, {4, 11, 10, 15}, {5, 12, 11, 15}, {0xffff_fffe, 13, 12, 0}, {6, 14, 12, 15}, {7, 14, 13, 15}, {0, 15, 0, 15}, {8, 16, 7, 15}}, got)
	assert.EqualValues(t, 64, c.Program.Frames[4].Packet.Length, "of the message that the offset continues")
}

func TestMessageAndAgain(t *testing.T) {
	c, err := compile(t, "conn 0 paths=2\nrecv 0.0 index=+0\nmessage send bytes=250 mtu=100 paths=all lose=1 order=reverse as=m\nagain m packets=1 D via=1\nmessage send msn=+0 attempt=1 bytes=250 mtu=100"+tail)
	require.NoError(t, err)
	frames := c.Program.Frames
	require.Len(t, frames, 6)
	assert.Equal(t, []uint32{200, 0, 100, 0, 100, 200}, []uint32{frames[0].Packet.Offset, frames[1].Packet.Offset, frames[2].Packet.Offset, frames[3].Packet.Offset, frames[4].Packet.Offset, frames[5].Packet.Offset})
	assert.True(t, frames[0].Packet.L && !frames[1].Packet.L)
	lost := frames[2].Packet
	assert.True(t, lost.R && lost.D)
	assert.EqualValues(t, 1, lost.Path)
	assert.Equal(t, frames[5].Packet.Recv, lost.Recv, "an attempt uses the same receive")
	assert.Len(t, c.Program.Posted, 1)
}

// TestCommandsBeforeTheFirstPacketAreWaitedFor, and others keep their place between packets.
func TestCommandsKeepTheirPlace(t *testing.T) {
	c, err := compile(t, head+"write\nclose 0.0\nwrite stream=1"+tail)
	require.NoError(t, err)
	var order []stimulus.Kind
	for _, i := range c.Program.Items {
		if len(order) == 0 || order[len(order)-1] != i.Kind {
			order = append(order, i.Kind)
		}
	}
	assert.Equal(t, []stimulus.Kind{stimulus.KindWrite, stimulus.KindWaitIdle, stimulus.KindFrame, stimulus.KindWaitCycles, stimulus.KindWrite, stimulus.KindWaitCycles, stimulus.KindFrame}, order)
}

func TestExpectations(t *testing.T) {
	c, err := compile(t, "conn 0 psn=100 paths=2 streams=2\nexpect acks>=2 drops.icrc<=1 frames=3..5 window[0.1].cum=+3 ack[0.0].sack=1,3..4 stream[0.1].error=rnr stream[0.1].completed=+2 read[drops.icrc]=1 mem=none\n")
	require.NoError(t, err)
	e := c.Expect
	require.Len(t, e, 9)
	assert.Equal(t, [2]uint64{2, 1<<64 - 1}, [2]uint64{e[0].Lo, e[0].Hi})
	assert.Equal(t, [2]uint64{0, 1}, [2]uint64{e[1].Lo, e[1].Hi})
	assert.Equal(t, [2]uint64{3, 5}, [2]uint64{e[2].Lo, e[2].Hi})
	assert.EqualValues(t, 103, e[3].Lo)
	assert.Equal(t, wire.Bitmap256{1<<1 | 1<<3 | 1<<4}, *e[4].Sack)
	assert.EqualValues(t, wire.SyndromeRnr, e[5].Lo)
	assert.Equal(t, observe.Complete, e[6].What)
	assert.EqualValues(t, 0x100+4*10, e[7].Row)
	assert.Equal(t, observe.MemoryNil, e[8].What)
	assert.Equal(t, "x.scn:2:8", e[0].Where)
}

func TestSameSeedSameShuffle(t *testing.T) {
	text := head + "reorder shuffle\nmessage write bytes=4k mtu=64\nend\ngarbage" + tail
	f, err := Parse("x", []byte(text))
	require.NoError(t, err)
	make := func(seed uint64) stimulus.List {
		c, err := Compile(f, Options{Params: preset.Tiny, Seed: seed})
		require.NoError(t, err)
		return c.Program.Items
	}
	assert.Equal(t, make(1), make(1))
	assert.NotEqual(t, make(1), make(2))
}

// FuzzScenario: no text may panic, and what parses is formatted into what parses the same.
func FuzzScenario(f *testing.F) {
	names, _ := scenarios.Files.ReadDir(".")
	for _, n := range names {
		text, _ := scenarios.Files.ReadFile(n.Name())
		f.Add(string(text))
	}
	f.Add("repeat 99999\nrepeat 99999\nend\nend")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		file, err := Parse("x", []byte(text))
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		once := Format(file)
		again, err := Parse("x", once)
		if err != nil {
			t.Fatalf("formatted text does not parse: %v\n%s", err, once)
		}
		if twice := Format(again); string(once) != string(twice) {
			t.Fatalf("formatting is not stable:\n%q\n%q", once, twice)
		}
		if strings.Contains(text, "repeat") {
			return // bounded, but slow
		}
		_, _ = Compile(file, Options{Params: preset.Tiny})
	})
}

// TestAllAtOnce: mistakes of form do not hide those of value, and make no echoes.
func TestAllAtOnce(t *testing.T) {
	_, err := compile(t, "conn 0 pths=2\nkey 0\nwrte\nwrite path=1 bytes=1x0 frob=1\nrepeat\nwrite bytes=1x1\nend\nmemory latency=9..8\nwrite conn=5\ncovers R-NOPE\nexpect completions=-1 drop=0\n")
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		place, _, _ := strings.Cut(line, ": ")
		got = append(got, place)
	}
	assert.Equal(t, []string{"x.scn:1:8", "x.scn:3:1", "x.scn:4:24", "x.scn:5:1", "x.scn:8:16", "x.scn:10:8", "x.scn:11:20", "x.scn:11:23"}, got, "%v", err)
}

func TestByteOrderMark(t *testing.T) {
	c, err := compile(t, "\ufeff"+head+"write"+tail)
	require.NoError(t, err)
	assert.Len(t, c.Program.Frames, 1)
}

func TestRuleIDs(t *testing.T) {
	page, err := os.ReadFile("../../docs/protocol.md")
	require.NoError(t, err)
	var ids []string
	for _, m := range regexp.MustCompile(`(?m)^\| (R-[A-Z0-9-]+) \|`).FindAllSubmatch(page, -1) {
		ids = append(ids, string(m[1]))
	}
	slices.Sort(ids)
	assert.Equal(t, ids, ruleIDs, "rules.go lists the rules of docs/protocol.md, sorted")
}
