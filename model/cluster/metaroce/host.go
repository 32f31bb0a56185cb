package metaroce

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/pipe/nic"
	"metaroce/tandem/model/sim"
)

// host is one NIC on the network.
type host struct {
	t      *Transport
	nic    *endpoint.NIC
	dev    device // the NIC, or the NIC in cycles around it
	wake   sim.Picos
	number int32
	planes uint8
	turn   uint8 // plane that is kicked first: where all are idle the first one kicked gets the packet
	_      [64 - 46]byte
}

// device is what the network sees of a NIC.
type device interface {
	OnPacket(now sim.Picos, plane int, p *endpoint.Packet)
	Pull(now sim.Picos, plane int, p *endpoint.Packet) bool
	OnTime(now sim.Picos)
	Deadline() (at sim.Picos, armed bool)
	Kicks() uint32
}

// make makes the NIC of a host. Those without cycles share what never changes with the first one.
func (h *host) make(e endpoint.Config, cycles *nic.Config) error {
	if first := h.t.hosts[0].nic; cycles == nil && first != nil {
		h.nic = first.Sibling(e.Host)
		h.dev = h.nic
		return nil
	}
	if cycles == nil {
		n, err := endpoint.New(e)
		h.nic, h.dev = n, n
		return err
	}
	d, err := nic.New(e, *cycles)
	if err != nil {
		return err
	}
	h.nic, h.dev = d.NIC(), d
	return nil
}

const never = ^sim.Picos(0)

// regionKey names the region of a connection at the NIC that it is in.
func regionKey(conn uint16) uint32 { return uint32(conn) << 8 }

// region lets the peer of a connection write anywhere.
func (h *host) region(conn uint16) {
	if err := h.nic.Register(regionKey(conn), conn, key.PermWrite, 0, 1<<63); err != nil {
		panic("metaroce BUG: " + err.Error())
	}
}

// Pull asks the NIC for the next packet of a plane.
func (h *host) Pull(now sim.Picos, plane int, fp *fabric.Packet) bool {
	p := &h.t.packet
	sent := h.dev.Pull(now, plane, p)
	if sent {
		*fp = fabric.Packet{Ref: h.t.bodies.put(p), Size: uint16(p.UDPBytes() + h.t.framing), Src: p.Src, Dst: p.Dst, Sport: p.Sport}
		if p.IsData() {
			fp.Flags = fabric.FlagEct
		} else {
			fp.Flags = fabric.FlagControl
		}
	}
	h.after(now)
	return sent
}

// Deliver hands a packet to the NIC. One that was trimmed has lost its ICRC with its payload: a NIC that does not ask for
// trimming drops it as any other broken frame.
func (h *host) Deliver(now sim.Picos, plane int, fp *fabric.Packet) {
	p := &h.t.packet
	h.t.bodies.look(fp.Ref, p)
	h.t.bodies.give(fp.Ref)
	if fp.Flags&fabric.FlagTrimmed == 0 {
		p.Ce = fp.Flags&fabric.FlagCe != 0
		h.dev.OnPacket(now, plane, p)
	}
	h.completions(now)
	h.after(now)
}

// Lost gives the body back, and tells nobody.
func (h *host) Lost(fp *fabric.Packet) { h.t.bodies.give(fp.Ref) }

// Tick is the wake that after asked for.
func (h *host) Tick(now sim.Picos) {
	h.wake = never
	h.dev.OnTime(now)
	h.completions(now)
	h.after(now)
}

// completions passes on what is complete at this host as a receiver. What a sender is told of later is not waited for.
func (h *host) completions(now sim.Picos) {
	for h.nic.Untold() {
		c, _ := h.nic.Completion()
		if c.Responder {
			h.t.released(now, h, &c)
		} else if c.Status != endpoint.StatusOK {
			panic("metaroce BUG: a Write ended with " + c.Status.String())
		}
	}
}

// after does what every call of the NIC leaves to its surroundings: uplinks are kicked, the next deadline is asked for.
func (h *host) after(now sim.Picos) {
	if kicks := h.dev.Kicks(); kicks != 0 {
		h.kick(kicks)
	}
	if at, armed := h.dev.Deadline(); armed && at < h.wake {
		h.wake = at
		h.t.net.Wake(int(h.number), at)
	}
	if h.t.cfg.Cycles != nil {
		h.completions(now) // whatever a NIC in cycles is called for, it does what is due at that time
	}
}

// kick kicks planes, another one first each time.
func (h *host) kick(kicks uint32) {
	if h.turn++; h.turn >= h.planes {
		h.turn = 0
	}
	for i := range h.planes {
		plane := h.turn + i
		if plane >= h.planes {
			plane -= h.planes
		}
		if kicks>>plane&1 != 0 {
			h.t.net.Kick(int(h.number), int(plane))
		}
	}
}
