package endpoint

import (
	"metaroce/tandem/model/wire"
)

// station is one engine with its table, which handles one item at a time.
type station uint8

const (
	stationAdmit station = iota
	stationWindow
	stationKey
	stationRecv
	stationMessage
	stationMemory
	stationSlot
)

// to hands an item to its next station. Here it is handled at once, before the station that it comes from goes on.
func (n *NIC) to(s station, it *item) {
	switch s {
	case stationAdmit:
		n.admit(it)
	case stationWindow:
		n.window(it)
	case stationKey:
		n.key(it)
	case stationRecv:
		n.recv(it)
	case stationMessage:
		n.message(it)
	case stationMemory:
		n.memory(it)
	default:
		n.request(it)
	}
}

// arrival says what takes a packet that came.
type arrival struct {
	receiver bool // it goes the way of the receive side, from admit on
	take     func(n *NIC, plane int, p *Packet)
}

// arrives is indexed by opcode; an empty row is dropped.
var arrives = func() (t [256]arrival) {
	for _, op := range []wire.Opcode{
		wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest, wire.OpcodeReadResponse,
		wire.OpcodeAtomicRequest, wire.OpcodeAtomicResponse, wire.OpcodeFlush, wire.OpcodeProbe,
	} {
		t[op].receiver = true
	}
	t[wire.OpcodeAck].take = (*NIC).onAck
	t[wire.OpcodeNak].take = (*NIC).onNak
	t[wire.OpcodeAnswer].take = (*NIC).onAnswer
	t[wire.OpcodeAnnounce].take = (*NIC).onAnnounce
	t[wire.OpcodeControl].take = (*NIC).onControl
	return t
}()

// Counters are sums since the NIC was made.
type Counters struct {
	Drops    [32]uint64 // packets that came, by the reason to drop them; entry 0: taken
	Verdicts [16]uint64 // new packets of messages, by what message said

	Data          uint64 // packets with psn sent
	Retransmitted uint64 // of those: sent before
	Detours       uint64 // of those: by another path's port
	Control       uint64 // all other packets sent
	Probes        uint64 // of those: probes of a path
	Queries       uint64 // of those: status queries

	Bytes      uint64 // payload that came for the first time
	Marked     uint64 // packets with psn that came with a CE mark
	Duplicates uint64 // packets with psn that came again
	Released   uint64 // messages of peers that are complete

	Timeouts     uint64 // of paths
	PathFailures uint64 // paths that became suspect
	PathReturns  uint64 // paths that became active again
	Moves        uint64 // changes of port or plane
	Refused      uint64 // attempts refused for want of a receive
	Bogus        uint64 // acknowledgements of what was never sent
	Wrong        uint64 // requests and responses that cannot be
	Under        uint64 // settled twice: a fault of this NIC
}

// Count is what the NIC counted so far.
func (n *NIC) Count() *Counters { return &n.count }
