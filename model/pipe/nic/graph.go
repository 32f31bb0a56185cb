package nic

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// station is the station of the endpoint that a stage is, for those from Admit to Reply.
var station = [stages]endpoint.Station{
	Admit: endpoint.StationAdmit, Window: endpoint.StationWindow, Key: endpoint.StationKey, Recv: endpoint.StationRecv,
	Message: endpoint.StationMessage, Write: endpoint.StationMemory, Place: endpoint.StationPlace, Complete: endpoint.StationComplete,
	Slot: endpoint.StationSlot, Answer: endpoint.StationAnswer, Reply: endpoint.StationReply,
}

// order is in which the stages are looked at: each before those that feed it, so that a place that becomes free is seen at
// the same time. Parse and Build stand for one a plane.
var order = [...]Stage{Answer, Complete, Place, Write, Message, Recv, Key, Slot, Window, Admit, Reply, Parse, Build, Read, Pick}

// make makes the stages of a device.
func (d *Device) make(e *endpoint.Config) {
	planes := e.Planes
	n := len(order) + 2*(planes-1)
	d.all = make([]stage, 0, n) // pointers into it are kept
	sender := &unit{}
	for _, id := range order {
		d.at[id] = len(d.all)
		for plane := range count(id, planes) {
			d.all = append(d.all, stage{id: id, timing: d.cfg.Stages[id], unit: &unit{}, in: make([]input, inputs(id, planes))})
			s := &d.all[len(d.all)-1]
			s.load = Load{Stage: id, Plane: plane}
			s.bit = 1 << (len(d.all) - 1) // 29 stages at most
			s.instant = s.timing.instant()
			s.random = sim.NewRandom(d.cfg.Seed, stream(e.Host, id, plane))
			if id == Pick || id == Reply {
				s.unit = sender
			}
		}
	}
}

// count is how often a stage is there.
func count(id Stage, planes int) int {
	if id == Parse || id == Build {
		return planes
	}
	return 1
}

// inputs is how many queues stand before a stage: admit and reply take the planes in turn, write the placed parts and the
// answers, build what was read and what needs no reading.
func inputs(id Stage, planes int) int {
	switch id {
	case Admit, Reply:
		return planes
	case Write, Build:
		return 2
	case Pick:
		return 0
	}
	return 1
}

// the inputs of stages with two
const (
	fromMessage, fromSlot = 0, 1 // Write
	fromRead, fromPick    = 0, 1 // Build
)

// stage is a stage that is there once, or the first of them.
func (d *Device) stage(id Stage) *stage { return &d.all[d.at[id]] }

// onPlane is a stage of a plane.
func (d *Device) onPlane(id Stage, plane uint8) *stage { return &d.all[d.at[id]+int(plane)] }

// route is the stage that a packet goes to from another, and the input there; nil: it leaves. It may have its last effect
// before; then the place there is not used.
func (d *Device) route(s *stage, x *packet) (to *stage, by uint8) {
	switch s.id {
	case Parse:
		if x.Next == endpoint.StationReply {
			return d.stage(Reply), x.plane
		}
		return d.stage(Admit), x.plane
	case Window:
		if wire.Kinds[x.Body.Opcode].CarriesMessage {
			return d.stage(Key), 0
		}
		return d.stage(Slot), 0
	case Slot:
		if isResponse(x.Body.Opcode) {
			return d.stage(Write), fromSlot
		}
		return nil, 0
	case Write:
		if isResponse(x.Body.Opcode) {
			return d.stage(Answer), 0
		}
		return d.stage(Place), 0
	case Complete, Answer, Reply, Build:
		return nil, 0
	case Pick:
		if prompt(x.Body.Opcode) {
			return d.onPlane(Build, x.plane), fromPick
		}
		return d.stage(Read), 0
	case Read:
		return d.onPlane(Build, x.plane), fromRead
	}
	return d.stage(s.id + 1), 0 // Admit, Key, Recv, Message, Place: the line
}

func isResponse(op wire.Opcode) bool {
	return op == wire.OpcodeReadResponse || op == wire.OpcodeAtomicResponse
}

// prompt tells whether packets of a kind may overtake others of their path: those without a tsn. They need nothing of the
// memory, and do not wait for those that do.
func prompt(op wire.Opcode) bool { return wire.Kinds[op].Psn == wire.NoPsn }

// bytes is what a packet brings a stage to carry.
func (d *Device) bytes(s *stage, x *packet) uint32 {
	switch s.id {
	case Parse, Build:
		return x.bytes
	case Write:
		return x.Stored()
	case Read:
		return loaded(&x.Body)
	}
	return 0
}

// loaded is the number of bytes of a packet that come from the host.
func loaded(p *endpoint.Packet) uint32 {
	switch {
	case p.Opcode == wire.OpcodeAtomicResponse:
		return 8
	case wire.Kinds[p.Opcode].Payload:
		return uint32(p.PayloadLen)
	}
	return 0
}

// effect has the station of a stage handle a packet, or lets it pass if that is not its business. It returns how many things
// beyond the packet itself that took, each of which takes the stage its time.
func (d *Device) effect(s *stage, x *packet) uint64 {
	if s.id < Admit || s.id > Reply || x.Next != station[s.id] {
		return 0
	}
	c := d.nic.Count()
	walked, released := c.Walked, c.Released
	d.nic.Handle(d.now, &x.Item)
	switch {
	case s.id == Reply:
		return c.Walked - walked
	case s.id == Complete && c.Released > released+1:
		return c.Released - released - 1
	}
	return 0
}
