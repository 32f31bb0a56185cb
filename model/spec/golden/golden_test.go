package golden

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	got, err := Parse("# c\nheader base zeros\n  psn ff\n  hex 00ff\npacket ack x\n  payload -\n  udp 01\n")
	require.NoError(t, err)
	require.Len(t, got, 2)
	v, ok := got[0].Get("psn")
	require.True(t, ok)
	require.Equal(t, int64(255), v.Int64())
	_, ok = got[0].Get("tsn")
	require.False(t, ok)
	require.Equal(t, []byte{0, 255}, got[0].Bytes)
	require.Equal(t, "packet ack x (line 5)", got[1].String())
}

func TestBadFiles(t *testing.T) {
	for text, says := range map[string]string{
		"":                             "no entry",
		"header base\n":                "line 1",
		"  psn 1\n":                    "below an entry",
		"header a b\n  psn\n":          "line 2",
		"header a b\n  psn x\n":        "not hexadecimal",
		"header a b\n  hex 0\n":        "line 2",
		"header a b\n  payload zz\n":   "line 2",
		"header a b\n  psn 1\n":        "has no bytes",
		"header a b\n  hex 00\n x y z": "line 3",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, says, "%q", text)
	}
}
