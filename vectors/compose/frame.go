package compose

import (
	"metaroce/tandem/model/wire"
	"metaroce/tandem/nic/layers"
)

// Net is what stands around the UDP payload.
type Net struct {
	VLAN, IPv6, CE bool
	Sport          uint16
	Dport          uint16 // 0: the default port
	PadTo          int    // Ethernet padding, at least to this length; 60 at least
	Cut            int    // the frame ends here; 0: nowhere
	Bad            Bad
}

const (
	dscp       = 0x28
	tagBytes   = 4
	etherBytes = 14
	udpBytes   = 8
)

// outer is the frame around a UDP payload.
func (n *Net) outer() *layers.Frame {
	f := layers.Default()
	if n.IPv6 {
		f = layers.Default6()
	}
	f.Tagged, f.VLAN, f.DSCP, f.SrcPort, f.DstPort = n.VLAN, 7, dscp, n.Sport, n.Dport
	if n.CE {
		f.ECN = layers.CE
	}
	return &f
}

// ipAt is where the IP header starts.
func (n *Net) ipAt() int {
	if n.VLAN {
		return etherBytes + tagBytes
	}
	return etherBytes
}

// udpAt is where the UDP header starts.
func (n *Net) udpAt() int {
	if n.IPv6 {
		return n.ipAt() + 40
	}
	return n.ipAt() + 20
}

// Frame returns the packet's frame without FCS. Where nothing is wrong with it, its payload comes as a part of it.
func (p *Packet) Frame() (frame, payload []byte) {
	buf := scratch.Get().(*[]byte)
	udp := p.Net.mutateUDP(p.appendUDP((*buf)[:0]))
	frame, err := p.Net.outer().AppendRaw(make([]byte, 0, max(p.Net.udpAt()+udpBytes+len(udp), p.Net.PadTo, minFrame)), udp)
	*buf = udp[:0]
	scratch.Put(buf)
	if err != nil {
		panic("compose BUG: " + err.Error())
	}
	frame = p.Net.mutateOuter(frame)
	for len(frame) < p.Net.PadTo {
		frame = append(frame, 0)
	}
	if c := p.Net.Cut; c > 0 && c < len(frame) {
		frame = frame[:c]
	}
	if p.Proper() && wire.Kinds[p.Op].Payload {
		at := p.Net.udpAt() + udpBytes + wire.Kinds[p.Op].HeaderLen
		payload = frame[at : at+p.Bytes]
	}
	return frame, payload
}

// Proper says whether nothing is wrong with the packet's frame.
func (p *Packet) Proper() bool { return p.Net.Bad == BadNone && p.Net.Cut == 0 }
