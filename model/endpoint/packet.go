package endpoint

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Packet is a packet of any kind as the NIC handles it, between the wire and the engines. Fields that its kind does not
// have on the wire are not looked at and may hold anything: bodies are used again without being cleared.
type Packet struct {
	Front
	Ack wire.Ack

	RecvIndex uint32
	Imm       uint32

	Slot     uint8 // request slot
	FetchAdd bool
	Query    bool
	NewEpoch uint8
	Txn      uint8
	Syndrome wire.Syndrome
	Port     uint16

	Completed uint32 // answer
	EchoTime  uint32 // answer
	LocalKey  uint32 // Read and its response: where the answer goes
	LocalAddr uint64
	Compare   uint64 // atomic request
	Operand   uint64 // atomic request; atomic response: the value before

	Control wire.Control

	// Data is the payload, PayloadLen bytes, where the NICs have a memory; nil in simulations without one.
	Data []byte
}

// Front is all of a part of a Write but its payload, in one cache line; with Ack, all of an acknowledgement.
type Front struct {
	wire.Base // Version and Pad are the codec's

	Src, Dst   uint16 // IP addresses: numbers of hosts
	Sport      uint16 // UDP source port: the entropy of a path (ann:entropy)
	PayloadLen uint16 // bytes of payload without padding
	Stream     uint16
	Ce         bool // IP ECN field is CE
	Attempt    uint8
	Msn        uint32
	Length     uint32 // of the message; Read: bytes asked for
	Offset     uint32 // of the payload in the message or in the answer
	Rkey       uint32
	Addr       uint64
}

// Bytes around the UDP payload. Links are charged for all of them.
const (
	etherBytes   = 14
	udpBytes     = 8
	ipv4Bytes    = 20
	ipv6Bytes    = 40
	framingBytes = 24 // FCS 4, preamble 8, gap 12 (IEEE 802.3)

	// FramingV4 and FramingV6 are what a link carries beside the UDP payload.
	FramingV4 = etherBytes + ipv4Bytes + udpBytes + framingBytes
	FramingV6 = etherBytes + ipv6Bytes + udpBytes + framingBytes
)

// UDPBytes is the length of the UDP payload: headers, payload, padding, ICRC.
func (p *Packet) UDPBytes() int {
	return wire.Kinds[p.Opcode].HeaderLen + (int(p.payload())+3)&^3 + preset.IcrcBytes
}

// payload is the number of payload bytes: none on kinds that carry none, whatever the body says.
func (p *Packet) payload() uint16 {
	if wire.Kinds[p.Opcode].Payload {
		return p.PayloadLen
	}
	return 0
}

// IsData tells whether the packet takes a psn: a part of a message, a request or a response. All else is control.
func (p *Packet) IsData() bool { return wire.Kinds[p.Opcode].Psn == wire.PsnAndTsn }
