package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pcapFile makes a capture of the old format.
func pcapFile(order binary.AppendByteOrder, magic, link uint32, frames ...[]byte) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(order.AppendUint16(b, 2), 4)
	b = order.AppendUint32(append(b, make([]byte, 8)...), 65535)
	b = order.AppendUint32(b, link)
	for _, f := range frames {
		b = append(b, make([]byte, 8)...)
		b = order.AppendUint32(order.AppendUint32(b, uint32(len(f))), uint32(len(f)))
		b = append(b, f...)
	}
	return b
}

// udp4 is a frame of MetaRoCE's port for nobody, with the fields that a hostile sender gets wrong.
func udp4(version byte, total, udpLen uint16, fragment uint16, payload ...byte) []byte {
	b := make([]byte, 14, 64)
	b[0], b[12] = 2, 0x08
	b = append(b, version, 0)
	b = binary.BigEndian.AppendUint16(b, total)
	b = binary.BigEndian.AppendUint16(append(b, 0, 0), fragment)
	b = append(b, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2)
	b = binary.BigEndian.AppendUint16(b, 0xc000)
	b = binary.BigEndian.AppendUint16(b, 4796)
	b = binary.BigEndian.AppendUint16(b, udpLen)
	return append(append(b, 0, 0), payload...)
}

// hostile are captures that mean ill, by name: broken files, and sound files with frames that lie about themselves.
func hostile() map[string][]byte {
	const micro, nano = 0xa1b2c3d4, 0xa1b23c4d
	le, be := binary.LittleEndian, binary.BigEndian
	frame := func(kind uint16, n int) []byte {
		f := make([]byte, n)
		if n >= 14 {
			be.PutUint16(f[12:], kind)
		}
		return f
	}
	sound := pcapFile(le, micro, 1, frame(0x0806, 60), frame(0x0800, 90))
	vlans := frame(0x88a8, 200)
	for at := 16; at+4 < len(vlans); at += 4 {
		be.PutUint16(vlans[at:], 0x8100)
	}
	payload := bytes.Repeat([]byte{0xff}, 300)
	huge := append(le.AppendUint32(le.AppendUint32(append(pcapFile(le, micro, 1), make([]byte, 8)...), 0xffff_ffff), 60), 1)
	return map[string][]byte{
		"nothing.pcap":      {},
		"half-magic.pcap":   {0xd4, 0xc3},
		"text.pcap":         []byte("GET / HTTP/1.1\r\n\r\n"),
		"header-cut.pcap":   sound[:23],
		"no-packet.pcap":    sound[:24],
		"record-cut.pcap":   sound[:30],
		"packet-cut.pcap":   sound[:len(sound)-1],
		"huge-packet.pcap":  huge,
		"raw-ip.pcap":       pcapFile(be, nano, 101, payload),
		"flags.pcap":        pcapFile(be, nano, 0xffff_0001, frame(0x0806, 60)),
		"empty-packet.pcap": pcapFile(le, micro, 1, nil, frame(0x0806, 60)),
		"lengths.pcap": pcapFile(le, nano, 1, frame(0, 1), frame(0, 13), frame(0x0800, 14), frame(0x0800, 33), frame(0x86dd, 53), frame(0x0800, 34),
			frame(0x0800, 64), frame(0x0800, 65), frame(0x86dd, 9000), frame(0x0800, 65535)),
		"vlans.pcap":    pcapFile(be, micro, 1, vlans, vlans[:18], vlans[:16]),
		"versions.pcap": pcapFile(le, micro, 1, udp4(0x40, 328, 308, 0, payload...), udp4(0x44, 328, 308, 0, payload...), udp4(0x4f, 328, 308, 0, payload...), udp4(0x65, 328, 308, 0, payload...)),
		"ip-length.pcap": pcapFile(le, micro, 1, udp4(0x45, 0, 308, 0, payload...), udp4(0x45, 19, 308, 0, payload...), udp4(0x45, 27, 8, 0, payload...),
			udp4(0x45, 65535, 308, 0, payload...), udp4(0x45, 329, 309, 0, payload...)),
		"udp-length.pcap": pcapFile(le, micro, 1, udp4(0x45, 328, 0, 0, payload...), udp4(0x45, 328, 7, 0, payload...), udp4(0x45, 328, 8, 0, payload...),
			udp4(0x45, 328, 9, 0, payload...), udp4(0x45, 328, 65535, 0, payload...)),
		"fragments.pcap": pcapFile(le, micro, 1, udp4(0x45, 328, 308, 0x2000, payload...), udp4(0x45, 328, 308, 0x1fff, payload...)),
		"garbage.pcap": pcapFile(le, micro, 1, udp4(0x45, 328, 308, 0, payload...), udp4(0x45, 328, 308, 0, make([]byte, 300)...), udp4(0x45, 29, 9, 0, 1),
			udp4(0x45, 28, 8, 0)),
		"block-length.pcapng":  {0x0a, 0x0d, 0x0d, 0x0a, 3, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a},
		"byte-order.pcapng":    {0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 1, 2, 3, 4},
		"section-alone.pcapng": {0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 28, 0, 0, 0},
	}
}

// captureOutcome is what a report says about one capture.
type captureOutcome struct {
	Name, Trouble, Result string
	Breaches              []string
	Counts                map[string]int
}

// feed runs all captures on a device and returns what became of each, by name.
func feed(t *testing.T, dut string, files []string) map[string]captureOutcome {
	t.Helper()
	args := []string{"run", "--dut", dut, "--json", "--keep", "never", "--runs", t.TempDir()}
	for _, f := range files {
		args = append(args, "--pcap", f)
	}
	var out, errs bytes.Buffer
	code := run(args, &out, &errs)
	require.NotEqual(t, 1, code, "a divergence: %s", &out)
	var r struct{ Outcomes []captureOutcome }
	require.NoError(t, json.Unmarshal(out.Bytes(), &r), "%s%s", &out, &errs)
	require.Len(t, r.Outcomes, len(files), "every capture was run")
	got := map[string]captureOutcome{}
	for _, o := range r.Outcomes {
		got[o.Name] = o
	}
	return got
}

// TestCaptures feeds hostile captures to RTL and model alike, and those that lie beside the checkout if there are any:
// each is read to its end or refused with its place, nothing is admitted, nothing placed, and both count the same.
func TestCaptures(t *testing.T) {
	dir, made := t.TempDir(), hostile()
	for name, b := range made {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pcap*"))
	require.NoError(t, err)
	require.Len(t, files, len(made))
	beside, err := filepath.Glob("../../../shared/captures/*.pcap*")
	require.NoError(t, err)
	files = append(files, beside...)

	model, rtl := feed(t, "model", files), feed(t, "rtl", files)
	require.GreaterOrEqual(t, len(model), len(made))
	sound := 0
	for name, o := range model {
		switch o.Result {
		case "match":
			sound++
			assert.Positive(t, o.Counts["frames"], name)
			assert.Equal(t, o.Counts["frames"], o.Counts["drops"], name)
		case "inconclusive":
			assert.Zero(t, o.Counts["frames"], name)
		default:
			assert.Contains(t, []string{"bench failure", "unsupported"}, o.Result, name)
			assert.True(t, strings.Contains(o.Trouble, "at byte "), "%s: %s", name, o.Trouble)
		}
		assert.Empty(t, o.Breaches, name)
		assert.Zero(t, o.Counts["writes"]+o.Counts["admitted"], name)
		assert.Equal(t, o, rtl[name], name)
	}
	assert.GreaterOrEqual(t, sound, 8, "sound files with hostile frames")
}
