package layers

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/gopacket"
	gplayers "github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/spec/golden"
	"metaroce/tandem/model/wire"
)

func entries(t testing.TB) []golden.Entry {
	t.Helper()
	data, err := os.ReadFile("../../vectors/golden/wire/packets.txt")
	require.NoError(t, err)
	out, err := golden.Parse(string(data))
	require.NoError(t, err)
	return out
}

// frames are the shapes that every packet is tried in.
func frames() map[string]Frame {
	four, six := Default(), Default6()
	tagged := four
	tagged.Tagged, tagged.VLAN, tagged.ECN, tagged.DSCP = true, 0x6007, CE, 46
	tagged6 := six
	tagged6.Tagged, tagged6.VLAN, tagged6.NoChecksum = true, 7, true
	bare := four
	bare.NoChecksum, bare.TTL, bare.NoEthernetPad = true, 1, true
	return map[string]Frame{"ipv4": four, "ipv6": six, "vlan": tagged, "vlan6": tagged6, "bare": bare}
}

func goName(s string) string {
	var b strings.Builder
	for _, w := range strings.Split(s, "_") {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// value reads a field of a decoded layer by its golden name.
func value(t testing.TB, l any, name string) *big.Int {
	t.Helper()
	header, leaf, _ := strings.Cut(name, ".")
	f := reflect.ValueOf(l).Elem().FieldByName(goName(header)).FieldByName(goName(leaf))
	require.True(t, f.IsValid(), "%T %s", l, name)
	switch f.Kind() {
	case reflect.Bool:
		if f.Bool() {
			return big.NewInt(1)
		}
		return new(big.Int)
	case reflect.Array:
		v := new(big.Int)
		for i := f.Len() - 1; i >= 0; i-- {
			v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(f.Index(i).Uint()))
		}
		return v
	}
	return new(big.Int).SetUint64(f.Uint())
}

// TestGoldenPacketsAsLayers: each golden packet in each kind of frame, through NewPacket, through the Decoder, and back
// through SerializeLayers.
func TestGoldenPacketsAsLayers(t *testing.T) {
	d := NewDecoder()
	for name, f := range frames() {
		for _, e := range entries(t) {
			frame, err := f.AppendRaw(nil, e.Bytes)
			require.NoError(t, err)
			what := fmt.Sprintf("%s in %s", e.String(), name)
			p := gopacket.NewPacket(frame, gplayers.LayerTypeEthernet, gopacket.DecodeOptions{SkipDecodeRecovery: true})
			require.Nil(t, p.ErrorLayer(), what)
			for _, v := range e.Values {
				header, _, _ := strings.Cut(v.Name, ".")
				l := p.Layer(typeOf(header))
				require.NotNil(t, l, "%s: no layer %s", what, header)
				require.Zero(t, v.Big.Cmp(value(t, l, v.Name)), "%s %s: %x", what, v.Name, value(t, l, v.Name))
			}
			base := p.Layer(LayerTypeBase).(*Base)
			require.True(t, base.ICRCOK, what)
			require.Equal(t, e.Payload, payloadOf(p), what)
			require.Equal(t, frame, reserialize(t, p), what)
			decodeWithDecoder(t, d, frame, &e)
		}
	}
}

func typeOf(header string) gopacket.LayerType {
	for id, info := range wire.Headers {
		if info.Name == header {
			return layerTypes[id]
		}
	}
	return gopacket.LayerTypeZero
}

func payloadOf(p gopacket.Packet) []byte {
	if l := p.Layer(gopacket.LayerTypePayload); l != nil {
		return l.LayerContents()
	}
	return nil
}

// reserialize builds the frame again from its layers, with lengths and checksums worked out anew.
func reserialize(t *testing.T, p gopacket.Packet) []byte {
	t.Helper()
	var ls []gopacket.SerializableLayer
	udp, _ := p.Layer(gplayers.LayerTypeUDP).(*gplayers.UDP)
	sum := udp.Checksum
	for _, l := range p.Layers() {
		switch l := l.(type) {
		case *gplayers.IPv4:
			require.NoError(t, udp.SetNetworkLayerForChecksum(l))
		case *gplayers.IPv6:
			require.NoError(t, udp.SetNetworkLayerForChecksum(l))
		case *Base:
			l.Pad, l.ICRC, l.Padding = 3, 0x12345678, []byte{9} // all of it is worked out
		}
		s, ok := l.(gopacket.SerializableLayer)
		require.True(t, ok, "%T", l)
		ls = append(ls, s)
	}
	buf := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, ls...))
	out := append([]byte(nil), buf.Bytes()...)
	if want := p.Data(); len(out) < len(want) {
		out = append(out, make([]byte, len(want)-len(out))...) // Ethernet padding is no layer
	}
	if sum == 0 { // a frame without checksum was asked for
		at := bytes.Index(out, udp.LayerContents()[:6]) + 6
		out[at], out[at+1] = 0, 0
	}
	return out
}

func decodeWithDecoder(t *testing.T, d *Decoder, frame []byte, e *golden.Entry) {
	t.Helper()
	require.NoError(t, d.Decode(frame), e.String())
	require.True(t, d.Has(LayerTypeBase))
	for _, v := range e.Values {
		header, _, _ := strings.Cut(v.Name, ".")
		require.True(t, d.Has(typeOf(header)), "%s: %v", e.String(), d.Layers)
		l := reflect.ValueOf(d).Elem().FieldByName(goName(header)).Addr().Interface()
		require.Zero(t, v.Big.Cmp(value(t, l, v.Name)), "%s %s", e.String(), v.Name)
	}
	require.Equal(t, e.Payload, append([]byte(nil), d.Payload...))
}

// TestChecksumsAgainstGopacket: the frame builder's checksums are those that gopacket works out.
func TestChecksumsAgainstGopacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Default()
		if rapid.Bool().Draw(t, "six") {
			f = Default6()
		}
		f.SrcPort = rapid.Uint16().Draw(t, "sport")
		f.DSCP = rapid.Uint8Range(0, 63).Draw(t, "dscp")
		f.ECN = rapid.Uint8Range(0, 3).Draw(t, "ecn")
		payload := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "payload")
		frame, err := f.AppendRaw(nil, payload)
		if err != nil {
			t.Fatal(err)
		}
		p := gopacket.NewPacket(frame, gplayers.LayerTypeEthernet, gopacket.Default)
		udp := p.Layer(gplayers.LayerTypeUDP).(*gplayers.UDP)
		want := udp.Checksum
		eth := p.Layer(gplayers.LayerTypeEthernet).(*gplayers.Ethernet)
		net := p.NetworkLayer().(interface {
			gopacket.NetworkLayer
			gopacket.SerializableLayer
		})
		_ = udp.SetNetworkLayerForChecksum(net)
		buf := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, eth, net, udp, gopacket.Payload(payload)); err != nil {
			t.Fatal(err)
		}
		if udp.Checksum == 0 {
			udp.Checksum = 0xffff // gopacket 1.1.19 does not send a sum of 0 as all ones; RFC 768 does
			want &= 0xffff
		}
		if udp.Checksum != want {
			t.Fatalf("%04x, gopacket %04x", want, udp.Checksum)
		}
		if got := buf.Bytes()[:len(frame)-len(payload)-max(0, 60-len(frame))]; want != 0xffff && !bytes.HasPrefix(frame, got[:34]) {
			t.Fatalf("headers differ\n%x\n%x", frame, got)
		}
	})
}

func TestPacketBuild(t *testing.T) {
	f := Default()
	p := Packet{
		Base:    wire.Base{Version: preset.Version, Opcode: wire.OpcodeWrite, Psn: 7, Pad: 3},
		Headers: []Header{&wire.Message{Length: 5}, &wire.Target{Addr: 64}},
		Payload: []byte("hello"),
	}
	b, err := f.Append([]byte{1, 2}, &p)
	require.NoError(t, err)
	d := NewDecoder()
	require.NoError(t, d.Decode(b[2:]))
	require.True(t, d.Base.ICRCOK)
	require.Equal(t, uint8(3), d.Base.Pad)
	require.Equal(t, "hello", string(d.Payload))
	require.Equal(t, uint8(ECT0), d.IPv4.TOS&3)

	b[len(b)-6] ^= 1
	require.NoError(t, d.Decode(b[2:]))
	require.False(t, d.Base.ICRCOK)

	buf := make([]byte, 0, 4096)
	require.Zero(t, testing.AllocsPerRun(50, func() { _, _ = f.Append(buf, &p) }))
	frame, err := f.Append(nil, &p)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(50, func() { _ = d.Decode(frame) }))
}

func TestRefusedPackets(t *testing.T) {
	base := wire.Base{Version: 1, Opcode: wire.OpcodeSend}
	mixed := Default()
	mixed.Dst = Default6().Dst
	for says, c := range map[string]struct {
		f Frame
		p Packet
	}{
		"is no packet kind":                 {Default(), Packet{Base: wire.Base{Opcode: 0xee}}},
		"header 2 of send is *wire.Target":  {Default(), Packet{Base: base, Headers: []Header{&wire.Message{}, &wire.Target{}}}},
		"1 given behind base":               {Default(), Packet{Base: base, Headers: []Header{&wire.Message{}}}},
		"header 3 of send":                  {Default(), Packet{Base: base, Headers: []Header{&wire.Message{}, &wire.Match{}, &wire.Imm{}}}},
		"flush has no payload":              {Default(), Packet{Base: wire.Base{Opcode: wire.OpcodeFlush}, Payload: []byte{1}}},
		"are not of one IP version":         {mixed, Packet{Base: wire.Base{Opcode: wire.OpcodeFlush}}},
		"does not fit into IP":              {Default(), Packet{Base: base, Headers: []Header{&wire.Message{}, &wire.Match{}}, Payload: make([]byte, 0x10000)}},
		"source invalid IP and destination": {Frame{}, Packet{Base: wire.Base{Opcode: wire.OpcodeFlush}}},
	} {
		got, err := c.f.Append([]byte("x"), &c.p)
		require.ErrorContains(t, err, says)
		require.Equal(t, "x", string(got), "nothing is left behind")
	}
	_, err := mixed.AppendRaw(nil, nil)
	require.Error(t, err)
}

// TestTruncatedPackets: cut anywhere, the decoders stop with an error or show fewer layers; nothing panics.
func TestTruncatedPackets(t *testing.T) {
	d := NewDecoder()
	for _, e := range entries(t) {
		if e.Case != "random0" {
			continue
		}
		for n := 1; n < len(e.Bytes); n++ { // an empty payload is no packet
			p := gopacket.NewPacket(e.Bytes[:n], LayerTypeBase, gopacket.DecodeOptions{SkipDecodeRecovery: true})
			base, _ := p.Layer(LayerTypeBase).(*Base)
			require.Equal(t, n >= wire.BaseSize+preset.IcrcBytes+int(e.Bytes[2]&3), base != nil, "%s cut at %d", e.String(), n)
			kind := wire.Kinds[e.Bytes[1]]
			whole := base != nil && n-preset.IcrcBytes-int(base.Pad) >= kind.HeaderLen
			require.Equal(t, whole, p.ErrorLayer() == nil, "%s cut at %d", e.String(), n)
			f := Default()
			frame, err := f.AppendRaw(nil, e.Bytes[:n])
			require.NoError(t, err)
			// The parser of gopacket stops without an error where nothing is left: the last header tells.
			lastHeader := layerTypes[kind.Headers[len(kind.Headers)-1]]
			require.Equal(t, whole, d.Decode(frame) == nil && d.Has(lastHeader), "%s cut at %d", e.String(), n)
		}
	}
}

func TestUnknownOpcodeIsPayload(t *testing.T) {
	b := (&wire.Base{Version: 1, Opcode: 0xee}).Append(nil)
	b = append(b, 1, 2, 3, 4, 0, 0, 0, 0)
	p := gopacket.NewPacket(b, LayerTypeBase, gopacket.DecodeOptions{SkipDecodeRecovery: true})
	require.Nil(t, p.ErrorLayer())
	require.Equal(t, []byte{1, 2, 3, 4}, payloadOf(p))
}

// TestExtensionAlone: a header somebody decodes without its base is followed by payload.
func TestExtensionAlone(t *testing.T) {
	for id, info := range wire.Headers {
		if wire.HeaderID(id) == wire.HeaderBase {
			require.Nil(t, extension(wire.HeaderBase, nil))
			continue
		}
		data := make([]byte, info.Size+3)
		p := gopacket.NewPacket(data, layerTypes[id], gopacket.DecodeOptions{SkipDecodeRecovery: true})
		require.Nil(t, p.ErrorLayer())
		require.Equal(t, []byte{0, 0, 0}, payloadOf(p), info.Name)
		p = gopacket.NewPacket(data[:info.Size-1], layerTypes[id], gopacket.DecodeOptions{SkipDecodeRecovery: true})
		require.NotNil(t, p.ErrorLayer())
		require.True(t, p.Metadata().Truncated)
	}
}

func TestRegisterPort(t *testing.T) {
	f := Default()
	f.DstPort = 40000
	b, err := f.Append(nil, &Packet{Base: wire.Base{Version: 1, Opcode: wire.OpcodeFlush}})
	require.NoError(t, err)
	d := NewDecoder()
	require.NoError(t, d.Decode(b))
	require.False(t, d.Has(LayerTypeBase))
	RegisterPort(40000)
	require.NoError(t, d.Decode(b))
	require.True(t, d.Has(LayerTypeBase))
}

// FuzzLayers: whatever arrives, nothing panics, and what decodes whole serialises to the same UDP payload but for
// reserved bits, which read as zero.
func FuzzLayers(f *testing.F) {
	for i, e := range entries(f) {
		if i%7 == 0 {
			f.Add(e.Bytes)
		}
	}
	d := NewDecoder()
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = d.Decode(b)
		fr := Default6()
		if frame, err := fr.AppendRaw(nil, b); err == nil {
			_ = d.Decode(frame)
		}
		p := gopacket.NewPacket(b, LayerTypeBase, gopacket.DecodeOptions{SkipDecodeRecovery: true})
		if p.ErrorLayer() != nil {
			return
		}
		var ls []gopacket.SerializableLayer
		for _, l := range p.Layers() {
			ls = append(ls, l.(gopacket.SerializableLayer))
		}
		buf := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{}, ls...); err != nil {
			t.Fatal(err)
		}
		q := gopacket.NewPacket(buf.Bytes(), LayerTypeBase, gopacket.Default)
		if len(buf.Bytes()) != len(b) || len(q.Layers()) != len(p.Layers()) {
			t.Fatalf("%x became %x", b, buf.Bytes())
		}
	})
}

func BenchmarkFrameAppend(b *testing.B) {
	f := Default()
	p := Packet{Base: wire.Base{Version: 1, Opcode: wire.OpcodeWrite}, Headers: []Header{&wire.Message{}, &wire.Target{}}, Payload: make([]byte, 64)}
	buf := make([]byte, 0, 256)
	for range b.N {
		_, _ = f.Append(buf, &p)
	}
}
