package layers

import (
	"encoding/binary"
	"fmt"

	"github.com/google/gopacket"
	gplayers "github.com/google/gopacket/layers"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// firstLayerType is the number of LayerTypeBase; gopacket leaves 2000 and above to everybody.
const firstLayerType = 47960

func init() { RegisterPort(preset.UDPPort) }

// RegisterPort makes gopacket decode UDP packets to this port as MetaRoCE. Not to be called while packets are decoded.
func RegisterPort(port uint16) {
	gplayers.RegisterUDPPortLayerType(gplayers.UDPPort(port), LayerTypeBase)
}

// Extension is a layer of an extension header.
type Extension interface {
	gopacket.Layer
	gopacket.DecodingLayer
	gopacket.SerializableLayer
}

// Base is the base header as a layer. It also owns the end of the UDP payload: padding and ICRC. Payload is what lies
// between: extension headers and payload.
type Base struct {
	gplayers.BaseLayer
	wire.Base
	Padding []byte
	ICRC    uint32
	ICRCOK  bool // what was decoded had the right ICRC
}

// LayerType is LayerTypeBase.
func (l *Base) LayerType() gopacket.LayerType { return LayerTypeBase }

// CanDecode is LayerTypeBase.
func (l *Base) CanDecode() gopacket.LayerClass { return LayerTypeBase }

// NextLayerType is the first extension header of the kind, or payload.
func (l *Base) NextLayerType() gopacket.LayerType { return next(l, wire.HeaderBase) }

// DecodeFromBytes reads a whole UDP payload. A wrong ICRC is no error, see ICRCOK.
func (l *Base) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if err := l.Base.Decode(data); err != nil {
		df.SetTruncated()
		return err
	}
	end := len(data) - preset.IcrcBytes
	if end < wire.BaseSize {
		df.SetTruncated()
		return fmt.Errorf("layers: %d bytes have no room for the ICRC behind the base header", len(data))
	}
	l.ICRC = binary.LittleEndian.Uint32(data[end:])
	l.ICRCOK = l.ICRC == wire.ICRC(data[:end])
	rest := end - int(l.Pad)
	if rest < wire.BaseSize {
		df.SetTruncated()
		return fmt.Errorf("layers: base.pad %d, only %d bytes stand between base header and ICRC", l.Pad, end-wire.BaseSize)
	}
	l.BaseLayer = gplayers.BaseLayer{Contents: data[:wire.BaseSize], Payload: data[wire.BaseSize:rest]}
	l.Padding = data[rest:end]
	return nil
}

// SerializeTo puts the header before what is in b, and padding and ICRC behind it. With FixLengths the padding is what
// fills to 4 bytes, with ComputeChecksums the ICRC is right; else both are as the layer says.
func (l *Base) SerializeTo(b gopacket.SerializeBuffer, opts gopacket.SerializeOptions) error {
	padding := l.Padding
	if opts.FixLengths {
		l.Pad = uint8(-len(b.Bytes()) & 3)
		padding = make([]byte, l.Pad)
	}
	tail, err := b.AppendBytes(len(padding))
	if err != nil {
		return err
	}
	copy(tail, padding)
	if err := prepend(b, wire.BaseSize, l.Base.Append); err != nil {
		return err
	}
	if opts.ComputeChecksums {
		l.ICRC = wire.ICRC(b.Bytes())
	}
	if tail, err = b.AppendBytes(preset.IcrcBytes); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(tail, l.ICRC)
	return nil
}

// decodeBase decodes the whole header stack at once, since only the base header knows it.
func decodeBase(data []byte, p gopacket.PacketBuilder) error {
	base := &Base{}
	if err := base.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(base)
	rest := base.Payload
	kind := &wire.Kinds[base.Opcode]
	if !kind.Known {
		return p.NextDecoder(gopacket.LayerTypePayload)
	}
	for _, id := range kind.Headers[1:] {
		l := extension(id, base)
		if err := l.DecodeFromBytes(rest, p); err != nil {
			return err
		}
		p.AddLayer(l)
		rest = l.LayerPayload()
	}
	return p.NextDecoder(gopacket.LayerTypePayload)
}

// decodeAlone decodes an extension header that somebody asked for without its base.
func decodeAlone(l Extension, data []byte, p gopacket.PacketBuilder) error {
	if err := l.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(l)
	return p.NextDecoder(gopacket.LayerTypePayload)
}

// next is the layer behind header id in the packet that base starts.
func next(base *Base, id wire.HeaderID) gopacket.LayerType {
	if base == nil {
		return gopacket.LayerTypePayload
	}
	headers := wire.Kinds[base.Opcode].Headers
	for i, h := range headers {
		if h == id && i+1 < len(headers) {
			return layerTypes[headers[i+1]]
		}
	}
	return gopacket.LayerTypePayload
}

func split(data []byte, n int) gplayers.BaseLayer {
	return gplayers.BaseLayer{Contents: data[:n], Payload: data[n:]}
}

func prepend(b gopacket.SerializeBuffer, n int, appendTo func([]byte) []byte) error {
	room, err := b.PrependBytes(n)
	if err != nil {
		return err
	}
	appendTo(room[:0])
	return nil
}
