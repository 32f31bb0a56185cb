package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

func anyItem(t *rapid.T) stimulus.Item {
	return stimulus.Item{
		Kind: stimulus.Kind(rapid.IntRange(1, 8).Draw(t, "kind")), Port: stimulus.Port(rapid.IntRange(0, 5).Draw(t, "port")),
		Addr: rapid.Uint16().Draw(t, "addr"), Value: rapid.Uint32().Draw(t, "value"), Gap: rapid.Uint32().Draw(t, "gap"),
		Lo: rapid.Uint64().Draw(t, "lo"), Hi: rapid.Uint64().Draw(t, "hi"), Permille: rapid.Uint16().Draw(t, "permille"),
		Run: rapid.Uint16().Draw(t, "run"), Data: rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "data"),
	}
}

func TestItemsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := stimulus.List(rapid.SliceOfN(rapid.Custom(anyItem), 0, 20).Draw(t, "list"))
		var b []byte
		for i := range list {
			at := len(b)
			b = AppendItem(b, &list[i])
			require.Equal(t, ItemSize(&list[i]), len(b)-at)
			require.Zero(t, len(b)%8, "the next item is aligned")
		}
		back, err := DecodeItems(b)
		require.NoError(t, err)
		require.Len(t, back, len(list))
		for i := range list {
			require.True(t, bytes.Equal(list[i].Data, back[i].Data))
			list[i].Data, back[i].Data = nil, nil
			require.Equal(t, list[i], back[i])
		}
	})
}

func TestEveryTruncationIsSeen(t *testing.T) {
	b := AppendItem(AppendItem(nil, &stimulus.Item{Kind: stimulus.KindRead}), &stimulus.Item{Kind: stimulus.KindFrame, Data: make([]byte, 70)})
	for n := range b {
		_, err := DecodeItems(b[:n])
		if n == 0 || n == ItemBytes {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "cut short")
		require.ErrorContains(t, err, "item ")
	}
}

func FuzzDecodeItems(f *testing.F) {
	f.Add(AppendItem(nil, &stimulus.Item{Kind: stimulus.KindFrame, Data: []byte{1, 2, 3}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := DecodeItems(b)
		if err != nil {
			return
		}
		n := 0
		for i := range l {
			n += ItemSize(&l[i])
		}
		require.Equal(t, len(b), n)
	})
}

func TestCheckItems(t *testing.T) {
	for _, c := range []struct {
		item stimulus.Item
		want string
	}{
		{stimulus.Item{}, "item 0 (none): unknown kind"},
		{stimulus.Item{Kind: stimulus.KindFrame}, "0 bytes; 1 to 65535 can be driven"},
		{stimulus.Item{Kind: stimulus.KindFrame, Data: make([]byte, 65536)}, "65536 bytes"},
		{stimulus.Item{Kind: stimulus.KindWrite, Addr: 0x1000}, "address 0x1000"},
		{stimulus.Item{Kind: stimulus.KindRead, Addr: 0x1002}, "address 0x1002"},
		{stimulus.Item{Kind: stimulus.KindLatency, Lo: 9, Hi: 8}, "9 to 8 cycles"},
		{stimulus.Item{Kind: stimulus.KindStall}, "port none"},
		{stimulus.Item{Kind: stimulus.KindStall, Port: 9}, "port port(9)"},
		{stimulus.Item{Kind: stimulus.KindStall, Port: stimulus.PortAck, Permille: 1001}, "1001 permille"},
	} {
		assert.ErrorContains(t, CheckItems(stimulus.List{c.item}), c.want)
	}
	var many stimulus.List
	for range MaxFaults + 1 {
		many = append(many, stimulus.Item{Kind: stimulus.KindFault, Lo: 1, Hi: 2})
	}
	assert.ErrorContains(t, CheckItems(many), "more than 64 ranges at once")
	many[40] = stimulus.Item{Kind: stimulus.KindFault, Lo: 1, Hi: 0}
	assert.NoError(t, CheckItems(many))
	err := CheckItems(stimulus.List{{}, {Kind: stimulus.KindFrame}})
	assert.ErrorContains(t, err, "item 0")
	assert.ErrorContains(t, err, "item 1", "all mistakes at once")
}

func TestFolderName(t *testing.T) {
	for in, want := range map[string]string{
		"in-order": "in-order-7", "a/b c;rm -rf": "a-b-c-rm-rf-7", "": "run-7", "../..": "run-7", "ä": "run-7",
		strings.Repeat("x", 60): strings.Repeat("x", 40) + "-7",
	} {
		assert.Equal(t, want, FolderName(in, 7))
	}
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	items := stimulus.List{{Kind: stimulus.KindFrame, Data: []byte{1, 2, 3}}, {Kind: stimulus.KindWaitIdle}}
	meta := Meta{Name: "n", Device: "model", Config: target.Config{Preset: "tiny", Seed: 4, Mode: target.ModeDigest}, Plusargs: []string{"+x"}}
	require.NoError(t, Create(dir, meta, items))
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecordsFile), []byte("old"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, WaveFile), []byte("old"), 0o600))
	require.NoError(t, Create(dir, meta, items), "a second run of the name begins anew")
	_, err := os.Stat(filepath.Join(dir, WaveFile))
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecordsFile), []byte{1}, 0o600))
	_, err = Open(dir)
	require.ErrorContains(t, err, "folder is unfinished")
	require.NoError(t, WriteSeal(dir, Seal{}))
	j, err := Open(dir)
	require.NoError(t, err)
	assert.Equal(t, items, j.Stimulus)
	assert.Equal(t, meta.Config, j.Meta.Config)
	assert.Equal(t, []byte{1}, j.Records)
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(dir string) error
		want   string
	}{
		{"no folder", os.RemoveAll, "is no run folder"},
		{"garbled", func(d string) error { return os.WriteFile(filepath.Join(d, RunFile), []byte("{"), 0o600) }, "is garbled"},
		{"form", func(d string) error { return os.WriteFile(filepath.Join(d, RunFile), []byte(`{"version":9}`), 0o600) }, "has form 9"},
		{"of a regression", func(d string) error {
			return os.WriteFile(filepath.Join(d, RunFile), []byte(`{"version":1,"id":"p-1"}`), 0o600)
		}, "is no folder of a single run"},
		{"schema", func(d string) error {
			return os.WriteFile(filepath.Join(d, RunFile), []byte(`{"version":1,"schema":"00"}`), 0o600)
		}, "recorded with schema 00 of model/spec"},
		{"unfinished", func(d string) error { return os.Remove(filepath.Join(d, SealFile)) }, "folder is unfinished"},
		{"seal", func(d string) error { return os.WriteFile(filepath.Join(d, SealFile), nil, 0o600) }, "seal.json is garbled"},
		{"stimulus longer", func(d string) error { return os.WriteFile(filepath.Join(d, StimulusFile), []byte{1}, 0o600) }, "has 1 bytes, the run wrote 0"},
		{"records emptied", func(d string) error { return os.Truncate(filepath.Join(d, RecordsFile), 0) }, "has 0 bytes, the run wrote 4"},
		{"records changed", func(d string) error { return os.WriteFile(filepath.Join(d, RecordsFile), []byte("abcE"), 0o600) }, "records.bin has SHA-256"},
		{"records removed", func(d string) error { return os.Remove(filepath.Join(d, RecordsFile)) }, "cannot read records.bin"},
		{"ending added", func(d string) error { return WriteEnding(d, target.Ending{}) }, "ending.json was not there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r")
			require.NoError(t, Create(dir, Meta{Config: target.Config{Preset: "tiny"}}, nil))
			require.NoError(t, os.WriteFile(filepath.Join(dir, RecordsFile), []byte("abcd"), 0o600))
			require.NoError(t, WriteSeal(dir, Seal{}))
			require.NoError(t, c.damage(dir))
			_, err := Open(dir)
			require.ErrorContains(t, err, c.want)
			var f *target.Failure
			require.ErrorAs(t, err, &f)
			assert.Equal(t, "run folder", f.Side)
		})
	}
}

func TestSize(t *testing.T) {
	r := make([]byte, 192)
	r[0], r[1], r[3] = event.RecordVersion, byte(event.KindWindow), 2
	n, err := Size(r, target.ModeFull)
	require.NoError(t, err)
	assert.Equal(t, 192, n)
	n, err = Size(r, target.ModeDigest)
	require.NoError(t, err)
	assert.Equal(t, 64, n)
	for n := range 192 {
		_, err = Size(r[:n], target.ModeFull)
		assert.ErrorContains(t, err, "cut short")
	}
	r[3] = 1
	_, err = Size(r, target.ModeFull)
	assert.ErrorContains(t, err, "no record of this schema")
}
