package endpoint

import (
	"metaroce/tandem/model/wire"
)

// Station is one engine with its table, which handles one packet at a time and says which is the next.
type Station uint8

// Stations of what comes in, in the order of the line; Slot, Answer and Reply stand beside it.
const (
	StationAdmit    Station = iota // may it come in
	StationWindow                  // is it new; acknowledgements are coalesced here
	StationKey                     // may it write there
	StationRecv                    // which receive takes it
	StationMessage                 // is its message to be placed
	StationMemory                  // the host's memory is written
	StationPlace                   // is its message whole
	StationComplete                // messages are released in order
	StationSlot                    // requests of the peer, and answers to own ones
	StationAnswer                  // an answer is in memory
	StationReply                   // what comes back to a sender: acknowledgements, NAKs, answers to probes; and control
)

// to hands an item to its next station. It is handled at once, before the station that it comes from goes on, unless the
// item is another's who decides when it goes on.
func (n *NIC) to(s Station, it *item) {
	if it.held != nil {
		it.held.Next, it.held.More = s, true
		return
	}
	n.handle(s, it)
}

func (n *NIC) handle(s Station, it *item) {
	switch s {
	case StationAdmit:
		n.admit(it)
	case StationWindow:
		n.window(it)
	case StationKey:
		n.key(it)
	case StationRecv:
		n.recv(it)
	case StationMessage:
		n.message(it)
	case StationMemory:
		n.memory(it)
	case StationPlace:
		n.place(it)
	case StationComplete:
		n.done(it.c, it.s, it.s.slotFor(it.d.Msn, it.d.Old), doneOf(&it.d))
	case StationSlot:
		n.request(it)
	case StationAnswer:
		n.answeredRequest(it)
	default:
		arrives[it.p.Opcode].take(n, int(it.plane), it.p)
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
	Data    uint64 // packets with psn sent
	Control uint64 // all other packets sent
	Bytes   uint64 // payload that came for the first time
	Walked  uint64 // records of packets in flight that were looked at, by acknowledgements and timers

	Retransmitted uint64 // of Data: sent before
	Detours       uint64 // of those: by another path's port
	Probes        uint64 // of Control: probes of a path
	Queries       uint64 // of those: status queries

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

	Drops    [32]uint64 // packets that came and were dropped, by the reason
	Verdicts [16]uint64 // new packets of messages that were not placed, by what message said
}

// Count is what the NIC counted so far.
func (n *NIC) Count() *Counters { return &n.count }
