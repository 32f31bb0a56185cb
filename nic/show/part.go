package show

import (
	"fmt"

	"github.com/google/gopacket"
	gplayers "github.com/google/gopacket/layers"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Part is a stretch of a frame: a header, the payload, what pads it, its checksum. The parts of a frame, one after the
// other, are its bytes.
type Part struct {
	Name   string  `json:"name"`
	At     int     `json:"at"`     // first byte in the frame
	Bytes  []byte  `json:"-"`      // of the frame
	Hex    string  `json:"hex"`    // the same
	Text   string  `json:"text"`   // headers of others in words
	Fields []Field `json:"fields"` // headers of MetaRoCE
}

// cutter takes parts off the front of a frame.
type cutter struct {
	frame []byte
	at    int
	parts []Part
}

// take cuts off n bytes, or what there is.
func (c *cutter) take(name string, n int) *Part {
	n = max(0, min(n, len(c.frame)-c.at))
	b := c.frame[c.at : c.at+n]
	c.parts = append(c.parts, Part{Name: name, At: c.at, Bytes: b, Hex: fmt.Sprintf("%x", b)})
	c.at += n
	return &c.parts[len(c.parts)-1]
}

// Parts cuts a frame into its parts. Whatever it is, all of its bytes are in them.
func (r *Reader) Parts(frame []byte) []Part {
	c := &cutter{frame: frame}
	_ = r.d.Decode(frame) // how far it got is in Layers; the rest is a part without a name
	for _, t := range r.d.Layers {
		if n, text := r.outer(t); n > 0 {
			c.take(t.String(), n).Text = text
		}
	}
	if r.d.Has(gplayers.LayerTypeUDP) && r.d.UDP.DstPort == preset.UDPPort {
		c.packet(min(c.at+len(r.d.UDP.Payload), len(frame)))
	}
	if c.at < len(frame) {
		c.take("rest", len(frame)-c.at)
	}
	return c.parts
}

// outer is the size of a layer around the packet, and what it says.
func (r *Reader) outer(t gopacket.LayerType) (size int, text string) {
	d := r.d
	switch t {
	case gplayers.LayerTypeEthernet:
		return len(d.Ethernet.Contents), fmt.Sprintf("%v > %v", d.Ethernet.SrcMAC, d.Ethernet.DstMAC)
	case gplayers.LayerTypeDot1Q:
		return len(d.Dot1Q.Contents), fmt.Sprintf("vlan %d priority %d", d.Dot1Q.VLANIdentifier, d.Dot1Q.Priority)
	case gplayers.LayerTypeIPv4:
		return len(d.IPv4.Contents), fmt.Sprintf("%v > %v, %d bytes, tos %#x", d.IPv4.SrcIP, d.IPv4.DstIP, d.IPv4.Length, d.IPv4.TOS)
	case gplayers.LayerTypeIPv6:
		return len(d.IPv6.Contents), fmt.Sprintf("%v > %v, %d bytes, class %#x", d.IPv6.SrcIP, d.IPv6.DstIP, d.IPv6.Length, d.IPv6.TrafficClass)
	case gplayers.LayerTypeUDP:
		return len(d.UDP.Contents), fmt.Sprintf("%d > %d, %d bytes", uint16(d.UDP.SrcPort), uint16(d.UDP.DstPort), d.UDP.Length)
	}
	return 0, ""
}

// packet cuts the UDP payload, which ends at end.
func (c *cutter) packet(end int) {
	icrc := end - preset.IcrcBytes
	if icrc < c.at+wire.BaseSize {
		return
	}
	first := c.frame[c.at:]
	headers := []wire.HeaderID{wire.HeaderBase}
	if kind := &wire.Kinds[first[1]]; kind.Known {
		headers = kind.Headers
	}
	for _, id := range headers {
		h := &wire.Headers[id]
		if c.at+h.Size > icrc {
			break
		}
		p := &Packet{}
		part := c.take(h.Name, h.Size)
		p.header(h, part.Bytes)
		part.Fields = p.Fields
	}
	if pad := min(int(first[2]&3), icrc-c.at); icrc > c.at {
		if n := icrc - c.at - pad; n > 0 {
			c.take("payload", n)
		}
		if pad > 0 {
			c.take("padding", pad)
		}
	}
	sum := c.take("icrc", preset.IcrcBytes)
	from := len(c.frame) - len(first)
	if want := fmt.Sprintf("%08x", wire.ICRC(c.frame[from:icrc])); want == littleHex(sum.Bytes) {
		sum.Text = want
	} else {
		sum.Text = littleHex(sum.Bytes) + ", should be " + want
	}
}

// littleHex is a little-endian number in hexadecimal digits.
func littleHex(b []byte) string {
	s := ""
	for i := len(b) - 1; i >= 0; i-- {
		s += fmt.Sprintf("%02x", b[i])
	}
	return s
}

// String is the value of a field in words.
func (f *Field) String() string {
	switch {
	case f.Hex != "":
		return f.Hex
	case f.Word != "":
		return fmt.Sprintf("%s (%#x)", f.Word, f.Value)
	}
	return fmt.Sprintf("%d (%#x)", f.Value, f.Value)
}
