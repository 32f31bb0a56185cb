package experiment_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/experiment"
)

// someParams has one of each kind and unit.
var someParams = experiment.Params{
	{Name: "hosts", Min: 2, Max: 1024, Default: "64", Why: "as announced"},
	{Name: "loss", Kind: experiment.Numbers, Unit: experiment.PerMill, Max: 500_000, Default: "0%,0.1%,1%", Why: "three decades"},
	{Name: "bytes", Unit: experiment.Bytes, Min: 1, Max: 1 << 30, Default: "2m", Why: "some"},
	{Name: "delay", Unit: experiment.Nanos, Max: 10_000_000, Default: "1us", Why: "some"},
	{Name: "rate", Unit: experiment.Mbits, Min: 1000, Max: 800_000, Default: "400g", Why: "some"},
	{Name: "scale", Unit: experiment.Milli, Max: 5000, Default: "1000", Why: "some"},
	{Name: "shape", Kind: experiment.Choice, Options: []string{"leaf-spine", "fat-tree"}, Default: "leaf-spine", Why: "some"},
	{Name: "who", Kind: experiment.Choices, Options: []string{"metaroce", "rocev2"}, Default: "metaroce,rocev2", Why: "both"},
}

func settings(texts ...string) []experiment.Setting {
	var list []experiment.Setting
	for _, t := range texts {
		name, text, _ := strings.Cut(t, "=")
		list = append(list, experiment.Setting{Name: name, Text: text})
	}
	return list
}

func TestParamsRead(t *testing.T) {
	_, twice := someParams.Read(settings("hosts=127", "loss=10%,0.01%,7", "delay=2.5us", "who=rocev2", "rate=0.8g", "rate=100g"))
	assert.Contains(t, errors.Join(twice...).Error(), "rate is set twice")
	v, bad := someParams.Read(settings("hosts=127", "loss=10%,0.01%,7ppm", "delay=2.5us", "who=rocev2", "rate=1.5g"))
	require.Empty(t, bad)
	assert.Equal(t, uint64(127), v.Number("hosts"))
	assert.Equal(t, []uint64{100_000, 100, 7}, v.Numbers("loss"))
	assert.Equal(t, uint64(2500), v.Number("delay"))
	assert.Equal(t, uint64(1500), v.Number("rate"))
	assert.Equal(t, uint64(2<<20), v.Number("bytes"))
	assert.Equal(t, "leaf-spine", v.Word("shape"))
	assert.Equal(t, []string{"rocev2"}, v.Words("who"))
	assert.Equal(t, experiment.Setting{Name: "loss", Text: "10%,0.01%,7ppm"}, v.Texts[1])
	assert.Panics(t, func() { v.Number("host") })
}

// TestEveryProblemAtOnce: nothing is hidden behind the first mistake.
func TestEveryProblemAtOnce(t *testing.T) {
	_, bad := someParams.Read(settings("hots=3", "hosts=1", "loss=0.1%,2,0.1%,x", "bytes=0x10", "delay=0.0001us", "shape=fatree", "who=", "rate=-1", "scale=18446744073709551616"))
	text := errors.Join(bad...).Error()
	for _, want := range []string{
		`parameter "hots": no such parameter; near it: hosts; there are hosts, loss,`,
		"hosts is 1: want 2 to 1024",
		`loss is "0.1%,2,0.1%,x": 0.1% stands there twice`,
		`loss is "x": want a share, such as 1%, 0.1% or 1000 (parts per million)`,
		`bytes is "0x10": want bytes, such as 4096, 64k or 2m`,
		`delay is "0.0001us": want a time`,
		`shape is "fatree": want one of leaf-spine, fat-tree; near it: fat-tree`,
		`who is "": want one of metaroce, rocev2`,
		`rate is "-1": want a rate in Mb/s`,
		`scale is "18446744073709551616": want thousandths`,
	} {
		assert.Contains(t, text, want)
	}
	assert.Len(t, bad, 10)
}

// TestKnobs: one of many constants is read like any other, but told only where it was set.
func TestKnobs(t *testing.T) {
	ps := append(experiment.Params{{Name: "mr.rto_min", Knob: true, Min: 250, Max: 9999, Default: "6250", Why: "some"}}, someParams[0])
	v, bad := ps.Read(nil)
	require.Empty(t, bad)
	assert.Equal(t, uint64(6250), v.Number("mr.rto_min"))
	assert.Equal(t, settings("hosts=64"), v.Texts)
	v, bad = ps.Read(settings("mr.rto_min=300"))
	require.Empty(t, bad)
	assert.Equal(t, settings("mr.rto_min=300", "hosts=64"), v.Texts)
	_, bad = ps.Read(settings("mr.rto_mni=300"))
	assert.EqualError(t, errors.Join(bad...), `parameter "mr.rto_mni": no such parameter; near it: mr.rto_min; there are hosts`)
}

func TestRanges(t *testing.T) {
	want := []string{"2 to 1024", "a list, each 0% to 50%", "1 to 1024m", "0 to 10ms", "1g to 800g", "0 to 5000", "one of leaf-spine, fat-tree", "a list of metaroce, rocev2"}
	for i := range someParams {
		assert.Equal(t, want[i], someParams[i].Range())
	}
}

// TestUnitsAreReadAsWritten: what a unit writes, it reads, for any number.
func TestUnitsAreReadAsWritten(t *testing.T) {
	for _, u := range []experiment.Unit{experiment.Count, experiment.Bytes, experiment.Nanos, experiment.Mbits, experiment.PerMill, experiment.Milli} {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.Uint64Range(0, 1<<63).Draw(t, "n")
			if u == experiment.PerMill {
				n = rapid.Uint64Range(0, 1_000_000).Draw(t, "ppm")
			}
			p := experiment.Params{{Name: "x", Unit: u, Max: 1 << 63, Default: u.Format(n)}}
			v, bad := p.Read(nil)
			require.Empty(t, bad)
			require.Equal(t, n, v.Number("x"))
		})
	}
}

// FuzzUnit: whatever is written, a number is in its range or there is a problem.
func FuzzUnit(f *testing.F) {
	for _, s := range []string{"1", "1.5g", "0.1%", "9.999999999us", "18446744073709551615m", ".", "%", "1.", "+1", "1.+1us"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range someParams[:6] {
			v, bad := experiment.Params{p}.Read([]experiment.Setting{{Name: p.Name, Text: text}})
			if len(bad) > 0 {
				continue
			}
			for _, n := range v.Numbers(p.Name) {
				require.GreaterOrEqual(t, n, p.Min)
				require.LessOrEqual(t, n, p.Max)
			}
		}
	})
}

func TestReadOver(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"hosts=4..7", []string{"4", "5", "6", "7"}},
		{"hosts=4..9:2", []string{"4", "6", "8"}},
		{"hosts=4..64:x4", []string{"4", "16", "64"}},
		{"hosts=8..8", []string{"8"}},
		{"loss=0%..1%:0.5%", []string{"0%", "0.5%", "1%"}},
		{"loss=0.01%..100000:x10", []string{"0.01%", "0.1%", "1%", "10%"}},
		{"bytes=4k..64k:x4", []string{"4k", "16k", "64k"}},
		{"shape=fat-tree,leaf-spine", []string{"fat-tree", "leaf-spine"}},
		{"who=rocev2", []string{"rocev2"}},
		{"delay=100,1us", []string{"100ns", "1us"}},
	}
	for _, c := range cases {
		o, bad := experiment.ReadOver(c.text, someParams)
		require.Empty(t, bad, c.text)
		assert.Equal(t, c.want, o.Texts, c.text)
	}
}

func TestReadOverProblems(t *testing.T) {
	cases := []struct{ text, want string }{
		{"hosts", "want key=a..b"}, {"hosts=", "want key=a..b"}, {"=1..2", "want key=a..b"},
		{"host=1..2", "near it: hosts"}, {"hosts=9..4", "smaller end first"}, {"hosts=1..4", "hosts is 1: want 2 to 1024"}, {"hosts=2..x", `hosts is "x"`},
		{"hosts=2..9:0", "want a step above 0"}, {"hosts=2..9:x1", "want a factor of at least 2"}, {"hosts=2..9:xx", "want a factor"}, {"loss=0..9:x2", "0 times anything"},
		{"bytes=1..100000", "more than 1000 points: give a step, as in 1..100000:STEP"}, {"shape=a..b", "words have no range"}, {"shape=fat", "near it: fat-tree"},
		{"hosts=4,4", "4 stands there twice"},
	}
	for _, c := range cases {
		_, bad := experiment.ReadOver(c.text, someParams)
		require.NotEmpty(t, bad, c.text)
		assert.Contains(t, errors.Join(bad...).Error(), c.want, c.text)
	}
	_, bad := experiment.ReadOver("hosts=x..y:z", someParams)
	assert.Len(t, bad, 3, "all of them at once")
}

// TestOverTwin holds ranges against a loop that only adds or multiplies.
func TestOverTwin(t *testing.T) {
	p := experiment.Params{{Name: "n", Max: 1 << 20, Default: "1"}}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64Range(1, 500).Draw(t, "a"), rapid.Uint64Range(1, 500).Draw(t, "b")
		more := rapid.Uint64Range(1, 40).Draw(t, "more")
		a, b = min(a, b), max(a, b)
		var add, times []string
		for n := a; n <= b; n += more {
			add = append(add, experiment.Count.Format(n))
		}
		for n := a; n <= b; n *= more + 1 {
			times = append(times, experiment.Count.Format(n))
		}
		text := "n=" + experiment.Count.Format(a) + ".." + experiment.Count.Format(b) + ":"
		o, bad := experiment.ReadOver(text+experiment.Count.Format(more), p)
		require.Empty(t, bad)
		require.Equal(t, add, o.Texts)
		o, bad = experiment.ReadOver(text+"x"+experiment.Count.Format(more+1), p)
		require.Empty(t, bad)
		require.Equal(t, times, o.Texts)
	})
}
