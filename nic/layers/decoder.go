package layers

import (
	"github.com/google/gopacket"
	gplayers "github.com/google/gopacket/layers"
)

// Decoder reads frame after frame into the same layers: no allocation per frame. One goroutine at a time.
type Decoder struct {
	Ethernet gplayers.Ethernet
	Dot1Q    gplayers.Dot1Q
	IPv4     gplayers.IPv4
	IPv6     gplayers.IPv6
	UDP      gplayers.UDP
	Base     Base
	extensions
	Payload gopacket.Payload

	Layers []gopacket.LayerType // of the frame decoded last, outermost first
	parser *gopacket.DecodingLayerParser
}

// NewDecoder makes a Decoder for Ethernet frames.
func NewDecoder() *Decoder {
	d := &Decoder{}
	all := []gopacket.DecodingLayer{&d.Ethernet, &d.Dot1Q, &d.IPv4, &d.IPv6, &d.UDP, &d.Base, &d.Payload}
	d.parser = gopacket.NewDecodingLayerParser(gplayers.LayerTypeEthernet, append(all, d.link(&d.Base)...)...)
	d.parser.IgnoreUnsupported = true // a frame of others ends where it stops being ours
	return d
}

// Decode reads a frame. Layers says how far it got; the error says why it ended before its end.
func (d *Decoder) Decode(frame []byte) error {
	d.Payload = nil
	return d.parser.DecodeLayers(frame, &d.Layers)
}

// Has says whether the frame decoded last holds such a layer.
func (d *Decoder) Has(t gopacket.LayerType) bool {
	for _, l := range d.Layers {
		if l == t {
			return true
		}
	}
	return false
}
