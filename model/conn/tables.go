package conn

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// tables are the rows of all engines, each an array indexed as model/spec/event.tbl says. All zero after reset.
type tables struct {
	conns    []event.AdmitConn
	paths    []event.WindowPath
	keys     []event.KeyKey
	recvs    []event.RecvRecv
	slots    []event.MessageSlot
	streams  []event.MessageStream
	tallies  []event.PlaceTally
	orders   []event.CompleteStream
	kept     []keptInfo
	coalesce []event.CoalescePath
	acks     []event.AckPath
	pending  []bool // path waits to be built: set by a push, cleared by the build
}

// keptInfo is what complete keeps of a message from done to its release.
type keptInfo struct {
	xid     uint32
	opcode  wire.Opcode
	length  uint32
	imm     uint32
	wrID    uint32
	conn    uint16
	stream  uint16
	pathRow uint16
}

func newTables(p *preset.Params) tables {
	paths, slots := p.Conns*p.Paths, p.Streams*p.MsgSlots
	return tables{
		conns:    make([]event.AdmitConn, p.Conns),
		paths:    make([]event.WindowPath, paths),
		keys:     make([]event.KeyKey, p.Keys),
		recvs:    make([]event.RecvRecv, p.Streams*p.Recvs),
		slots:    make([]event.MessageSlot, slots),
		streams:  make([]event.MessageStream, p.Streams),
		tallies:  make([]event.PlaceTally, slots),
		orders:   make([]event.CompleteStream, p.Streams),
		kept:     make([]keptInfo, slots),
		coalesce: make([]event.CoalescePath, paths),
		acks:     make([]event.AckPath, paths),
		pending:  make([]bool, paths),
	}
}

// slotIndex is the row of a message in the slot tables of message, place and complete.
func (r *Receiver) slotIndex(streamRow uint16, msn uint32) int {
	return int(streamRow)*r.p.MsgSlots + int(msn&uint32(r.p.MsgSlots-1))
}

// recvIndex is the row of a posted receive.
func (r *Receiver) recvIndex(streamRow uint16, index uint32) int {
	return int(streamRow)*r.p.Recvs + int(index&uint32(r.p.Recvs-1))
}

// pathOf splits a path row into connection and path.
func (r *Receiver) pathOf(row uint16) (uint16, uint8) {
	return row / uint16(r.p.Paths), uint8(row & uint16(r.p.Paths-1))
}
