package workload_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

const example = `# A small trace: two requests, their answers, and what follows when both are in.
hosts 8
message ask1 from=0 to=1 bytes=64
message ask2 from=0 to=2 bytes=64 at=1.5us
message answer1 from=1 to=0 bytes=256k after=ask1 delay=2us
message answer2 from=2 to=0 bytes=256k after=ask2 delay=2us   # as long as the other
message from=0 to=7 bytes=1_000_000 stream=3 after=ask1..answer1,answer2
message from=0 to=7 bytes=1 after=ask1,ask2,answer2
`

func TestParseExample(t *testing.T) {
	g, err := workload.Parse("example", example)
	require.NoError(t, err)
	require.Equal(t, 8, g.Hosts())
	require.Equal(t, 6, g.Messages())
	require.Equal(t, uint64(2*64+2*262144+1_000_000+1), g.Bytes())
	require.Equal(t, workload.Message{Src: 0, Dst: 7, Stream: 3, Bytes: 1_000_000, Tag: 4}, g.Message(4))
	require.Equal(t, []uint32{0, 1, 2, 3}, g.After(4))
	require.Equal(t, 1500*sim.Nanosecond, g.At(1))
	require.Equal(t, 2*sim.Microsecond, g.Delay(2))
	require.Equal(t, g.Bound(at400), g.Limit(at400))
	require.Equal(t, `hosts 8
message ask1 from=0 to=1 bytes=64
message ask2 from=0 to=2 bytes=64 at=1.5us
message answer1 from=1 to=0 bytes=256k after=ask1 delay=2us
message answer2 from=2 to=0 bytes=256k after=ask2 delay=2us
message from=0 to=7 bytes=1000000 stream=3 after=ask1..answer2
message from=0 to=7 bytes=1 after=ask1,ask2,answer2
`, workload.Format(g))
}

// TestPageExample: the manual's trace is one.
func TestPageExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/workloads.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "```\n")
	require.True(t, ok)
	text, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	g, err := workload.Parse("page", text)
	require.NoError(t, err)
	require.Equal(t, 5, g.Messages())
}

func TestHostsThatNobodyStated(t *testing.T) {
	g, err := workload.Parse("t", "message from=3 to=9 bytes=1\r\nmessage from=4 to=0 bytes=2")
	require.NoError(t, err)
	require.Equal(t, 10, g.Hosts())
}

// TestMistakes: each with its place, all of one text at once.
func TestMistakes(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"nothing", "# only this\n\n", "f:2:1: the trace has no message; want at least one line: message from=0 to=1 bytes=64k"},
		{"empty", "", "f:1:1: the trace has no message; want at least one line: message from=0 to=1 bytes=64k"},
		{"unknown statement", "mesage from=0 to=1 bytes=1", `f:1:1: "mesage" begins no statement; want message or hosts, did you mean message?`},
		{"pair first", "from=0 to=1", `f:1:1: "from" begins no statement; want message or hosts`},
		{"several at once", "message from=0 to=0 bytes=0 streem=1\n message a b from=1 at=5 delay=1us",
			`f:1:19: host 0 sends to itself; want another host than from
f:1:27: bytes is "0"; want a number, 1..2g
f:1:29: a message has no "streem"; want from, to, bytes, stream, at, after, delay, did you mean stream?
f:2:2: the message has no to; want to=, a number, 0..65535
f:2:2: the message has no bytes; want bytes=, a number, 1..2g
f:2:12: "b" is no pair; want one name, then pairs such as bytes=64k
f:2:24: at: "5" has no unit; want a time such as 10us, 1.5ms or 0
f:2:26: delay counts from what a message waits for, and this one waits for nothing; want after=NAME on the same line, or at=TIME`},
		{"host beyond", "hosts 4\nmessage from=4 to=1 bytes=1", `f:2:14: from is "4"; want a number, 0..3`},
		{"hosts twice", "hosts 4\nhosts 4\nmessage from=0 to=1 bytes=1", "f:2:1: hosts is said a second time"},
		{"hosts late", "message from=0 to=1 bytes=1\nhosts 4", "f:2:1: hosts stands behind a message; want it above the first message"},
		{"hosts of one", "hosts 1\nmessage from=0 to=1 bytes=1", `f:1:7: hosts is "1"; want a number, 2..64k`},
		{"hosts of nothing", "hosts\nmessage from=0 to=1 bytes=1", "f:1:1: hosts has 0 words behind it; want hosts and a number, 2..65536"},
		{"name twice", "message a from=0 to=1 bytes=1\nmessage a from=0 to=1 bytes=1", "f:2:9: the message of line 1 is called a, too"},
		{"bad name", "message 1a from=0 to=1 bytes=1", `f:1:9: "1a" is no name; want a letter, then letters, digits, _ and -`},
		{"key twice", "message from=0 to=1 to=2 bytes=1", "f:1:21: to is said a second time"},
		{"unknown name", "message ask from=0 to=1 bytes=1\nmessage from=1 to=0 bytes=1 after=aks",
			"f:2:35: no message is called aks; want the name of a message above, did you mean ask?"},
		{"a later one", "message from=1 to=0 bytes=1 after=b\nmessage b from=0 to=1 bytes=1",
			"f:1:35: b stands on line 2; want one on a line above: then nothing can wait for itself"},
		{"itself", "message b from=1 to=0 bytes=1 after=b", "f:1:37: b waits for itself"},
		{"range backwards", "message a from=0 to=1 bytes=1\nmessage b from=0 to=1 bytes=1\nmessage from=1 to=0 bytes=1 after=b..a",
			"f:3:35: a stands above b; want the earlier one first"},
		{"waited for twice", "message a from=0 to=1 bytes=1\nmessage b from=0 to=1 bytes=1\nmessage from=1 to=0 bytes=1 after=b,a..b",
			"f:3:37: a message before this is named a second time"},
		{"no name at all", "message a from=0 to=1 bytes=1\nmessage from=1 to=0 bytes=1 after=a,..b",
			"f:2:37: \"\" is no name; want names with commas between them; first..last for all from one to another\nf:2:39: no message is called b; want the name of a message above"},
		{"late for ever", "message from=0 to=1 bytes=1 at=99999999s", "f:1:32: at: \"99999999s\" is longer than 64 bits of picoseconds; want a time such as 10us, 1.5ms or 0"},
		{"late for long", "message from=0 to=1 bytes=1 at=9999s", "f:1:32: at: longer than 2^53 ps; want a time such as 10us, 1.5ms or 0"},
		{"numbers", "message from=_1 to=1_ bytes=1__0 stream=+1", `f:1:14: from is "_1"; want a number, 0..65535
f:1:20: to is "1_"; want a number, 0..65535
f:1:29: bytes is "1__0"; want a number, 1..2g
f:1:41: stream is "+1"; want a number, 0..65535`},
		{"too large", "message from=0 to=1 bytes=99999999999999999g", `f:1:27: bytes is "99999999999999999g"; want a number, 1..2g`},
		{"a line that is wrong is no reason for another", "message a from=0 to=1\nmessage from=1 to=0 bytes=1 after=a", "f:1:1: the message has no bytes; want bytes=, a number, 1..2g"},
		{"long line", "#" + strings.Repeat("x", 1<<16), "f:1:65537: the line has 65537 bytes; want at most 65536 bytes in a line"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := workload.Parse("f", c.text)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestMistakesEnd(t *testing.T) {
	_, err := workload.Parse("f", strings.Repeat("nonsense\n", 1000))
	var list workload.Mistakes
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 50)
}

// drawText draws a trace that is right.
func drawText(t *rapid.T) string {
	var b strings.Builder
	hosts := rapid.IntRange(2, 9).Draw(t, "hosts of text")
	if rapid.Bool().Draw(t, "stated") {
		fmt.Fprintf(&b, "hosts %d\n", hosts)
	}
	n := rapid.IntRange(1, 12).Draw(t, "lines")
	for i := range n {
		src := rapid.IntRange(0, hosts-1).Draw(t, "src")
		dst := (src + rapid.IntRange(1, hosts-1).Draw(t, "shift")) % hosts
		fmt.Fprintf(&b, "message n%d to=%d  from=%d bytes=%s", i, dst, src, rapid.SampledFrom([]string{"1", "64k", "3m", "2g", "1_000"}).Draw(t, "bytes"))
		b.WriteString(rapid.SampledFrom([]string{"", " at=0", " at=1.5us", " stream=65535", " at=7ps stream=1"}).Draw(t, "more"))
		drawAfter(t, &b, i)
		b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", " # why\n\n"}).Draw(t, "end"))
	}
	return b.String()
}

func drawAfter(t *rapid.T, b *strings.Builder, i int) {
	var names []string
	for k := 0; k < i; k++ {
		switch rapid.IntRange(0, 4).Draw(t, "waits") {
		case 0:
			names = append(names, fmt.Sprintf("n%d", k))
		case 1:
			last := rapid.IntRange(k, i-1).Draw(t, "last")
			names = append(names, fmt.Sprintf("n%d..n%d", k, last))
			k = last
		}
	}
	if len(names) == 0 {
		return
	}
	b.WriteString(" after=" + strings.Join(rapid.Permutation(names).Draw(t, "order"), ","))
	b.WriteString(rapid.SampledFrom([]string{"", " delay=1us"}).Draw(t, "delay"))
}

// same holds two graphs to each other, names and formula aside.
func same(t require.TestingT, a, b *workload.Graph) {
	require.Equal(t, a.Hosts(), b.Hosts())
	require.Equal(t, a.Messages(), b.Messages())
	for i := range a.Messages() {
		tag := uint32(i)
		require.Equal(t, a.Message(tag), b.Message(tag))
		require.Equal(t, a.At(tag), b.At(tag))
		require.Equal(t, a.Delay(tag), b.Delay(tag))
		require.Equal(t, append([]uint32{}, a.After(tag)...), append([]uint32{}, b.After(tag)...))
	}
}

// TestRoundTrip: Parse reads what Format writes, of every builder and of every text.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyTrace(t)
		text := workload.Format(g)
		again, err := workload.Parse("again", text)
		require.NoError(t, err)
		same(t, g, again)
		require.Equal(t, text, workload.Format(again))
	})
}

func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Add("hosts 2\nmessage a from=0 to=1 bytes=1 after=a..b,,\n")
	f.Add("message \x00 from== to=1k bytes=1g at=-1us delay=1e3s")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := workload.Parse("fuzz", text)
		if err != nil {
			var list workload.Mistakes
			require.ErrorAs(t, err, &list)
			require.NotEmpty(t, list)
			return
		}
		again, err := workload.Parse("again", workload.Format(g))
		require.NoError(t, err)
		same(t, g, again)
	})
}
