package nic

import (
	"errors"
	"fmt"
	"math/bits"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

// Device is a NIC in cycles.
type Device struct {
	nic     *endpoint.NIC
	cfg     Config
	cycle   sim.Picos
	now     sim.Picos
	edge    sim.Picos // first edge of the clock from now on
	headers uint32    // bytes of a frame around its UDP payload

	all    []stage
	waits  uint64      // stages with something before them, a bit each
	works  uint64      // stages with something between start and effect
	at     [stages]int // first of each in all
	planes []plane
	turn   int // plane that Pick looks at first
	kicks  uint32
	spare  []*packet
	out    int // packets that are not spare

	overruns uint64
}

// plane is the way to one uplink.
type plane struct {
	ready  [2]sim.Ring[*packet] // built, by how soon they go: those that may overtake, all others
	bytes  uint32               // chosen and not sent
	count  int
	hungry bool // there may be something to choose
	asked  bool // the uplink is free and nothing was there
	served bool // it is being asked for: no kick is needed
}

// frameHeaders are the Ethernet, IPv4 and UDP header of a frame.
const (
	frameHeaders   = 14 + 20 + 8
	frameHeadersV6 = 14 + 40 + 8
)

// New makes a device without connections. The error has all that is wrong with both configurations.
func New(e endpoint.Config, c Config) (*Device, error) {
	if err := errors.Join(e.Validate(), c.Validate()); err != nil {
		return nil, err
	}
	nic, err := endpoint.New(e)
	if err != nil {
		return nil, err
	}
	d := &Device{nic: nic, cfg: c, cycle: sim.Picos(c.CyclePs), headers: frameHeaders, planes: make([]plane, e.Planes)}
	if e.IPv6 {
		d.headers = frameHeadersV6
	}
	d.make(&e)
	return d, nil
}

// stream is the name of the random numbers of a stage.
func stream(host uint16, id Stage, plane int) string {
	return fmt.Sprintf("nic %d %v %d", host, id, plane)
}

// NIC is the endpoint inside: work is posted there, and completions are taken there.
func (d *Device) NIC() *endpoint.NIC { return d.nic }

// take is an empty packet. Its body has the buffer that it had.
func (d *Device) take() *packet {
	d.out++
	if n := len(d.spare); n > 0 {
		x := d.spare[n-1]
		d.spare = d.spare[:n-1]
		return x
	}
	return &packet{}
}

func (d *Device) give(x *packet) {
	d.out--
	d.spare = append(d.spare, x)
}

// Inside is the number of packets in the device.
func (d *Device) Inside() int { return d.out }

// OnPacket takes a packet whose last bit came by a plane. The packet is the caller's again afterwards.
func (d *Device) OnPacket(now sim.Picos, plane int, p *endpoint.Packet) {
	d.run(now)
	s := d.onPlane(Parse, uint8(plane))
	if !s.room(0) {
		d.overruns++
		return
	}
	x := d.take()
	buffer := x.Body.Data[:0]
	x.Body = *p
	x.Body.Data = append(buffer, p.Data...)
	x.plane, x.bytes = uint8(plane), uint32(p.UDPBytes())+d.headers
	d.nic.Begin(now, plane, &x.Item)
	if !x.More {
		d.give(x)
		return
	}
	d.push(s, x, 0)
	d.settle()
}

// OnTime does what is due. Call it at Deadline, or whenever time has passed.
func (d *Device) OnTime(now sim.Picos) {
	d.run(now)
	d.nic.OnTime(now)
	d.settle()
}

// Deadline is when OnTime has something to do.
func (d *Device) Deadline() (at sim.Picos, armed bool) {
	at, armed = d.nic.Deadline()
	if t, ok := d.next(); ok && (!armed || t < at) {
		at, armed = t, true
	}
	return at, armed
}

// Kicks are the planes, a bit each, whose uplink has something to send since the last call. It sees to what was posted at
// the NIC.
func (d *Device) Kicks() uint32 {
	d.run(max(d.now, d.nic.Now()))
	d.settle()
	k := d.kicks
	d.kicks = 0
	return k
}

// run does everything that is due up to a time, in the order of time, and makes that time now.
func (d *Device) run(now sim.Picos) {
	for {
		at, ok := d.next()
		if !ok || at > now {
			break
		}
		d.move(max(at, d.nic.Now()))
		d.settle()
	}
	d.move(max(d.now, now))
}

// settle does everything that can be done at this time.
func (d *Device) settle() {
	for {
		d.hear()
		done := false
		for left := d.waits | d.works; left != 0; left &= left - 1 {
			s := &d.all[bits.TrailingZeros64(left)]
			for d.finish(s) {
				done = true
			}
			for d.start(s) {
				done = true
			}
		}
		if !d.pick(d.stage(Pick)) && !done {
			return
		}
	}
}

// next is the earliest time at which a stage finishes or can start.
func (d *Device) next() (at sim.Picos, found bool) {
	sooner := func(t sim.Picos) {
		if t = max(t, d.now); !found || t < at {
			at, found = t, true
		}
	}
	for left := d.waits | d.works; left != 0; left &= left - 1 {
		s := &d.all[bits.TrailingZeros64(left)]
		if w := s.work.Head(); w != nil {
			sooner(w.at)
		}
		if s.queued > 0 {
			if _, ok := d.startable(s); ok {
				sooner(d.from(s))
			}
		}
	}
	if s := d.stage(Pick); d.wanting() {
		if _, ok := d.choosable(s); ok {
			sooner(d.from(s))
		}
	}
	return at, found
}
