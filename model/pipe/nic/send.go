package nic

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

// hear takes what the NIC says of its uplinks. Where nothing is chosen ahead of the uplink, the uplink has to ask.
func (d *Device) hear() {
	k := d.nic.Kicks()
	if k == 0 {
		return
	}
	for i := range d.planes {
		if k>>i&1 != 0 {
			d.planes[i].hungry = true
		}
	}
	if d.cfg.Ahead == 0 {
		d.kicks |= k
	}
}

// wanting tells whether anything may be there to choose.
func (d *Device) wanting() bool {
	for i := range d.planes {
		if d.planes[i].hungry || d.planes[i].asked {
			return true
		}
	}
	return false
}

// choosable is the plane for which a packet may be chosen, taking turns: one that may have something, with bytes ahead of
// its uplink to spare or an uplink that waits, and with room behind whatever is chosen.
func (d *Device) choosable(s *stage) (plane int, ok bool) {
	if n := s.timing.InFlight; n > 0 && s.work.Len() >= int(n) {
		return 0, false
	}
	read := d.stage(Read).room(0)
	for i := range d.planes {
		plane = d.turn + i
		if plane >= len(d.planes) {
			plane -= len(d.planes)
		}
		p := &d.planes[plane]
		wanted := p.hungry && p.bytes < d.cfg.Ahead || p.asked && p.count == 0
		if wanted && read && d.onPlane(Build, uint8(plane)).room(fromPick) {
			return plane, true
		}
	}
	return 0, false
}

// pick has the NIC choose the next packet of a plane, if it can now. All that is decided about a packet is decided at one
// time, since what chooses also takes the room: a record, a part of both windows, its turn.
func (d *Device) pick(s *stage) bool {
	if !d.wanting() || d.from(s) > d.now {
		return false
	}
	plane, ok := d.choosable(s)
	if !ok {
		return false
	}
	p := &d.planes[plane]
	d.turn = (plane + 1) % len(d.planes)
	x := d.take()
	if !d.nic.Pull(d.now, plane, &x.Body) {
		p.hungry, p.asked = false, false
		d.give(x)
		return true
	}
	x.plane, x.bytes = uint8(plane), uint32(x.Body.UDPBytes())+d.headers
	p.bytes += x.bytes
	p.count++
	d.begin(s, x)
	return true
}

// port takes a packet that is built: it waits for its uplink.
func (d *Device) port(x *packet) {
	p := &d.planes[x.plane]
	queue := 1
	if prompt(x.Body.Opcode) {
		queue = 0
	}
	*p.ready[queue].Push() = x
	if !p.served {
		d.kicks |= 1 << x.plane
	}
}

// Pull asks for the next packet of a plane whose uplink is free, and fills p. After false the plane is kicked when there is
// something.
func (d *Device) Pull(now sim.Picos, plane int, p *endpoint.Packet) bool {
	d.run(now)
	q := &d.planes[plane]
	q.served = true
	if q.ready[0].Len()+q.ready[1].Len() == 0 {
		q.asked = true
	}
	d.settle()
	q.served = false
	for i := range q.ready {
		if head := q.ready[i].Head(); head != nil {
			x := *head
			q.ready[i].Drop()
			q.asked = false
			q.bytes -= x.bytes
			q.count--
			x.Body, *p = *p, x.Body
			d.give(x)
			d.settle()
			return true
		}
	}
	return false
}
