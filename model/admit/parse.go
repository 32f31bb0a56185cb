package admit

import (
	"encoding/binary"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Sizes and numbers of the headers below UDP, in bytes and as registered.
const (
	etherBytes = 14
	vlanBytes  = 4
	ipv4Bytes  = 20
	ipv6Bytes  = 40
	udpBytes   = 8

	etherVLAN = 0x8100
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	protoUDP  = 17

	ecnMask = 3
	ecnCE   = 3

	// BeatBytes is the width of the packet buffer.
	BeatBytes = 64
)

// Parse reads a frame (from the destination MAC, without FCS) into d and returns the first reason to drop it, which
// is also in d. Where there is one, all of d but reason, frame_len and room is zero; xid and buf_beat are the
// caller's in any case. Room is 1.
func Parse(frame []byte, port uint16, d *event.Desc) event.Reason {
	*d = event.Desc{}
	reason := parse(frame, port, d)
	if reason != event.ReasonNone {
		*d = event.Desc{}
	}
	d.Reason = reason
	d.FrameLen = uint16(min(len(frame), 0xffff))
	d.Room = 1
	return reason
}

// Payload returns the part of the frame that d, made from it by Parse, calls its payload.
func Payload(frame []byte, d *event.Desc) []byte {
	if d.Reason != event.ReasonNone || d.PayloadLen == 0 {
		return nil
	}
	at, _ := networkOffset(frame)
	if frame[at]>>4 == 4 {
		at += ipv4Bytes
	} else {
		at += ipv6Bytes
	}
	at += udpBytes + int(d.HdrLen)
	return frame[at : at+int(d.PayloadLen)]
}

// parse runs the checks in the order of the reason numbers.
func parse(frame []byte, port uint16, d *event.Desc) event.Reason {
	if len(frame) < etherBytes {
		return event.ReasonRunt
	}
	if len(frame) > preset.MaxFrame {
		return event.ReasonTooLong
	}
	at, ether := networkOffset(frame)
	var ip []byte // IP payload
	var tos, proto uint8
	var reason event.Reason
	switch ether {
	case etherIPv4:
		ip, tos, proto, reason = ipv4(frame[at:])
	case etherIPv6:
		ip, tos, proto, reason = ipv6(frame[at:])
	default:
		return event.ReasonEthertype
	}
	if reason != event.ReasonNone {
		return reason
	}
	if proto != protoUDP {
		return event.ReasonNotUdp
	}
	if len(ip) < udpBytes || int(binary.BigEndian.Uint16(ip[4:])) != len(ip) {
		return event.ReasonUdpLength
	}
	if binary.BigEndian.Uint16(ip[2:]) != port {
		return event.ReasonUdpPort
	}
	d.Sport = binary.BigEndian.Uint16(ip)
	d.Ce = tos&ecnMask == ecnCE
	return transport(ip[udpBytes:], d)
}

// networkOffset returns where the network header starts and its ethertype, 0 if the frame ends before it.
func networkOffset(frame []byte) (int, uint16) {
	ether := binary.BigEndian.Uint16(frame[12:])
	if ether != etherVLAN {
		return etherBytes, ether
	}
	if len(frame) < etherBytes+vlanBytes {
		return etherBytes, 0
	}
	return etherBytes + vlanBytes, binary.BigEndian.Uint16(frame[16:])
}

// ipv4 returns the payload that the header claims, its type of service and its protocol.
func ipv4(b []byte) ([]byte, uint8, uint8, event.Reason) {
	const moreFragments, offset = 0x2000, 0x1fff
	if len(b) < ipv4Bytes || b[0] != 0x45 ||
		binary.BigEndian.Uint16(b[6:])&(moreFragments|offset) != 0 || !checksumHolds(b[:ipv4Bytes]) {
		return nil, 0, 0, event.ReasonIpHeader
	}
	total := int(binary.BigEndian.Uint16(b[2:]))
	if total < ipv4Bytes || total > len(b) {
		return nil, 0, 0, event.ReasonIpLength
	}
	return b[ipv4Bytes:total], b[1], b[9], event.ReasonNone
}

// ipv6 is ipv4 for IPv6. Extension headers are not followed.
func ipv6(b []byte) ([]byte, uint8, uint8, event.Reason) {
	if len(b) < ipv6Bytes || b[0]>>4 != 6 {
		return nil, 0, 0, event.ReasonIpHeader
	}
	n := int(binary.BigEndian.Uint16(b[4:]))
	if ipv6Bytes+n > len(b) {
		return nil, 0, 0, event.ReasonIpLength
	}
	return b[ipv6Bytes : ipv6Bytes+n], b[1] >> 4, b[6], event.ReasonNone
}

// checksumHolds sums the ones' complement words of an IPv4 header, its checksum included.
func checksumHolds(h []byte) bool {
	sum := uint32(0)
	for i := 0; i < ipv4Bytes; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(h[i:]))
	}
	sum = sum>>16 + sum&0xffff
	sum = sum>>16 + sum&0xffff
	return sum == 0xffff
}

// transport reads the UDP payload.
func transport(b []byte, d *event.Desc) event.Reason {
	if len(b) < wire.BaseSize+preset.IcrcBytes || len(b)%4 != 0 {
		return event.ReasonShort
	}
	body := b[:len(b)-preset.IcrcBytes]
	if wire.ICRC(body) != binary.LittleEndian.Uint32(b[len(body):]) {
		return event.ReasonIcrc
	}
	var base wire.Base
	_ = base.Decode(body) // long enough: checked above
	kind := &wire.Kinds[base.Opcode]
	switch {
	case base.Version != preset.Version:
		return event.ReasonVersion
	case !kind.Known:
		return event.ReasonOpcode
	case len(body) < kind.HeaderLen:
		return event.ReasonHeaderLength
	}
	rest, pad := len(body)-kind.HeaderLen, int(base.Pad)
	if !kind.Payload && rest != 0 || pad > rest || rest-pad > preset.MaxPayload {
		return event.ReasonHeaderLength
	}
	if !kind.Side.Receiver() {
		return event.ReasonNotReceiver
	}
	d.Opcode = base.Opcode
	d.Epoch = base.Epoch
	d.FlagA, d.FlagD, d.FlagL = base.FlagA, base.FlagD, base.FlagL
	d.DstConn, d.Path, d.Psn, d.Tsn, d.TxTime = base.DstConn, base.Path, base.Psn, base.Tsn, base.TxTime
	d.PayloadLen = uint16(rest - pad)
	d.HdrLen = uint8(kind.HeaderLen)
	if d.PayloadLen != 0 {
		d.BufBeats = uint8((kind.HeaderLen + rest - pad + BeatBytes - 1) / BeatBytes)
	}
	extension(kind, body[wire.BaseSize:], d)
	return event.ReasonNone
}

// extension reads the headers behind the base header. b holds all of them.
func extension(kind *wire.Kind, b []byte, d *event.Desc) {
	for _, id := range kind.Headers {
		switch id {
		case wire.HeaderMessage:
			var h wire.Message
			_ = h.Decode(b)
			d.Stream, d.Attempt, d.Msn, d.Length, d.Offset = h.Stream, h.Attempt, h.Msn, h.Length, h.Offset
			b = b[wire.MessageSize:]
		case wire.HeaderTarget:
			var h wire.Target
			_ = h.Decode(b)
			d.Rkey, d.Addr = h.Rkey, h.Addr
			b = b[wire.TargetSize:]
		case wire.HeaderMatch:
			var h wire.Match
			_ = h.Decode(b)
			d.RecvIndex = h.RecvIndex
			b = b[wire.MatchSize:]
		case wire.HeaderImm:
			var h wire.Imm
			_ = h.Decode(b)
			d.ImmValue = h.ImmValue
			b = b[wire.ImmSize:]
		case wire.HeaderRead:
			var h wire.Read
			_ = h.Decode(b)
			d.Stream, d.Msn = h.Stream, h.Msn
		case wire.HeaderAtomic:
			var h wire.Atomic
			_ = h.Decode(b)
			d.Stream, d.Msn = h.Stream, h.Msn
		case wire.HeaderProbe:
			var h wire.Probe
			_ = h.Decode(b)
			d.Port, d.NewEpoch, d.Query, d.Txn = h.Port, h.NewEpoch, h.Query, h.Txn
			d.Stream, d.Msn = h.Stream, h.Msn
		}
	}
}
