package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	gplayers "github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/spec/golden"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/nic/layers"
)

func goldenPacketsFile(t *testing.T) []golden.Entry {
	t.Helper()
	data, err := os.ReadFile(goldenPath + "/packets.txt")
	require.NoError(t, err)
	out, err := golden.Parse(string(data))
	require.NoError(t, err)
	return out
}

// capture writes a pcapng of UDP payloads, in frames of several shapes.
func capture(t *testing.T, payloads [][]byte, port uint16) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "golden.pcapng")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	w, err := pcapgo.NewNgWriter(f, gplayers.LinkTypeEthernet)
	require.NoError(t, err)
	for i, p := range payloads {
		fr := layers.Default()
		if i%2 == 1 {
			fr = layers.Default6()
		}
		fr.Tagged, fr.DstPort, fr.SrcPort = i%3 == 2, port, 0xc001
		b, err := fr.AppendRaw(nil, p)
		require.NoError(t, err)
		ci := gopacket.CaptureInfo{Timestamp: time.Unix(int64(i), 0), CaptureLength: len(b), Length: len(b)}
		require.NoError(t, w.WritePacket(ci, b))
	}
	require.NoError(t, w.Flush())
	return path
}

// tsharkFields runs tshark with the generated dissector and returns the values of each packet by field name.
func tsharkFields(t *testing.T, file string, more ...string) []map[string][]string {
	t.Helper()
	need(t, "tshark", "tshark")
	args := append([]string{"-X", "lua_script:" + root + "/docs/dissector/metaroce.lua", "-r", file, "-T", "json", "-J", "metaroce _ws.lua"}, more...)
	cmd := exec.Command("tshark", args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // no preferences of whoever runs the test
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	require.NotContains(t, stderr.String(), "Lua: ", "the dissector has an error")
	var packets []struct {
		Source struct {
			Layers json.RawMessage `json:"layers"`
		} `json:"_source"`
	}
	require.NoError(t, json.Unmarshal(out, &packets))
	var all []map[string][]string
	for _, p := range packets {
		fields := map[string][]string{}
		flatten(t, p.Source.Layers, fields)
		all = append(all, fields)
	}
	return all
}

// flatten collects every "metaroce." value of tshark's nested JSON, repeated keys included.
func flatten(t *testing.T, raw json.RawMessage, into map[string][]string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	var walk func(key string)
	walk = func(key string) {
		tok, err := dec.Token()
		require.NoError(t, err)
		switch tok := tok.(type) {
		case json.Delim:
			for dec.More() {
				k := key
				if tok == '{' {
					name, err := dec.Token()
					require.NoError(t, err)
					k = name.(string)
				}
				walk(k)
			}
			_, err = dec.Token()
			require.NoError(t, err)
		default:
			if strings.HasPrefix(key, "metaroce.") {
				into[key] = append(into[key], fmt.Sprint(tok))
			}
		}
	}
	walk("")
}

// tsharkNumber reads what tshark prints for a number, a bool or bytes.
func tsharkNumber(t *testing.T, s string) *big.Int {
	t.Helper()
	switch s {
	case "True", "true":
		return big.NewInt(1)
	case "False", "false":
		return new(big.Int)
	}
	if strings.Contains(s, ":") {
		b, err := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
		require.NoError(t, err, s)
		return new(big.Int).SetBytes(b)
	}
	v, ok := new(big.Int).SetString(s, 0)
	require.True(t, ok, "%q", s)
	return v
}

// TestDissectorAgainstGolden: tshark, with the generated dissector, reads from a capture of every golden packet the
// values that the golden file has.
func TestDissectorAgainstGolden(t *testing.T) {
	entries := goldenPacketsFile(t)
	var payloads [][]byte
	for _, e := range entries {
		payloads = append(payloads, e.Bytes)
	}
	got := tsharkFields(t, capture(t, payloads, 0))
	require.Len(t, got, len(entries))
	compared := 0
	for i, e := range entries {
		for _, v := range e.Values {
			s := got[i]["metaroce."+v.Name]
			require.Len(t, s, 1, "%s: %s", e.String(), v.Name)
			require.Zero(t, v.Big.Cmp(tsharkNumber(t, s[0])), "%s: %s is %x, tshark says %s", e.String(), v.Name, v.Big, s[0])
			compared++
		}
		want := hex.EncodeToString(e.Payload)
		gotPayload := strings.ReplaceAll(strings.Join(got[i]["metaroce.payload"], ""), ":", "")
		require.Equal(t, want, gotPayload, e.String())
		require.Len(t, got[i]["metaroce.icrc.ok"], 1, e.String())
		require.Equal(t, int64(1), tsharkNumber(t, got[i]["metaroce.icrc.ok"][0]).Int64(), e.String())
	}
	require.Greater(t, compared, 1000)
}

// TestDissectorSaysWhatIsWrong: gaps, a wrong ICRC, cut packets, unknown opcodes, another version, another port.
func TestDissectorSaysWhatIsWrong(t *testing.T) {
	var v wire.Bitmap256
	for _, i := range []uint32{1, 2, 5, 255} {
		v.Set(i)
	}
	ack, err := (&layers.Packet{Base: wire.Base{Version: 1, Opcode: wire.OpcodeAck}, Headers: []layers.Header{&wire.Ack{Cum: 0xfffffffe, Vector: v}}}).AppendUDP(nil)
	require.NoError(t, err)
	none, err := (&layers.Packet{Base: wire.Base{Version: 1, Opcode: wire.OpcodeAck}, Headers: []layers.Header{&wire.Ack{Cum: 9}}}).AppendUDP(nil)
	require.NoError(t, err)
	bad := append([]byte(nil), ack...)
	bad[30] ^= 1
	other := (&wire.Base{Version: 2, Opcode: 0xee, Pad: 3}).Append(nil)
	got := tsharkFields(t, capture(t, [][]byte{ack, none, bad, ack[:60], other[:12], append(other, 0, 0, 0, 0)}, 0))
	require.Len(t, got, 6)
	require.Equal(t, []string{"4294967295-0,3,253"}, got[0]["metaroce.ack.received"])
	require.Equal(t, []string{"4294967294,1-2,4-252"}, got[0]["metaroce.ack.missing"])
	require.Equal(t, []string{"252"}, got[0]["metaroce.ack.missing_count"])
	require.NotEmpty(t, got[0]["metaroce.ack.gap"])
	require.Equal(t, []string{"0"}, got[1]["metaroce.ack.missing_count"])
	require.Empty(t, got[1]["metaroce.ack.gap"])
	require.NotEmpty(t, got[2]["metaroce.icrc.bad"])
	require.Empty(t, got[0]["metaroce.icrc.bad"])
	require.NotEmpty(t, got[3]["metaroce.short"])
	require.NotEmpty(t, got[4]["metaroce.short"])
	require.NotEmpty(t, got[5]["metaroce.version.other"])
	require.NotEmpty(t, got[5]["metaroce.opcode.unknown"])
	require.NotEmpty(t, got[5]["metaroce.short"], "padding longer than what is left")

	moved := capture(t, [][]byte{ack}, 5000)
	require.Empty(t, tsharkFields(t, moved)[0])
	require.NotEmpty(t, tsharkFields(t, moved, "-o", "metaroce.port:5000")[0])
}
