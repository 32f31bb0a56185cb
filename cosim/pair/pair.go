package pair

import (
	"fmt"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/verbs/lab"
	"metaroce/tandem/model/wire"
)

// Shape of a pair.
const (
	streams    = 4
	streamLog2 = 2
	paths      = 4
	planes     = 2
	rkey       = 0x100
)

// microsecond in time of the simulation.
const microsecond sim.Picos = 1_000_000

// pair is two NICs with a connection.
type pair struct {
	rng  sim.Random
	lab  *lab.Lab
	nics [2]*endpoint.NIC
	conn [2]uint16
	bins *cover.Cover
	turn sim.Picos // how long a plane is away in its turn; 0: there are no turns
	// open has what was taken and has not ended, by host and number of the request.
	open   [2]map[uint64]bool
	posted uint64
	ended  uint64
	faults []string
}

func newPair(seed uint64) (*pair, error) {
	p := &pair{rng: sim.NewRandom(seed, "pair"), bins: cover.NewSender(), open: [2]map[uint64]bool{{}, {}}}
	of := seed
	if p.turn = turnOf[seed%4] * microsecond; p.turn > 0 {
		of = beforeWrap(seed)
	}
	for i := range p.nics {
		c := endpoint.Default()
		c.Host, c.Seed, c.Planes, c.BaseRtt, c.Mtu, c.RnrPause, c.Paths = uint16(i), of, planes, 1100, 512, 50_000, paths
		c.Tuning.PathPolicy = uint32(seed % 3)
		if i == 0 { // the records of one NIC are one run
			c.Trace = p.see
		}
		nic, err := endpoint.New(c)
		if err != nil {
			return nil, err
		}
		p.nics[i] = nic
	}
	cfg := lab.Default()
	cfg.Seed, cfg.Planes = seed, planes
	var err error
	if p.lab, err = lab.New(cfg, p.nics[0], p.nics[1]); err != nil {
		return nil, err
	}
	if p.conn[0], p.conn[1], err = endpoint.ConnectNow(0, p.nics[0], p.nics[1], paths, streamLog2); err != nil {
		return nil, err
	}
	for i, n := range p.nics {
		if err := n.Register(rkey, p.conn[i], 7, 0, 1<<30); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// turnOf is how long a plane is away in its turn, in microseconds, by seed modulo 4; 0: there are no turns. In short turns paths move
// while serial numbers wrap; in long ones they move so often that their epochs wrap too.
var turnOf = [4]sim.Picos{0, 50, 50, 400}

// beforeWrap is a seed of a NIC whose first connection begins less than some hundred packets before the serial numbers wrap: a NIC
// draws the first psn of a connection, and nothing before it, from the stream of its address. If it draws otherwise, the
// bins of wraps stay empty.
func beforeWrap(seed uint64) uint64 {
	for s := seed << 32; ; s++ {
		r := sim.NewRandom(s, "nic 0")
		if first := uint32(r.Uint64()); -first < 400 && first != 0 {
			return s
		}
	}
}

func (p *pair) see(r endpoint.Record) {
	var b [event.MaxRecord]byte
	p.bins.Observe(b[:r.Encode(&b)])
}

var works = []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest, wire.OpcodeAtomicRequest}

// post gives a request to a host. What is refused has no room, or its stream is over.
func (p *pair) post(host int, stream uint16, op wire.Opcode, length uint32) {
	id := p.posted + 1
	if _, err := p.nics[host].Post(p.lab.Now(), p.conn[host], stream, endpoint.Work{ID: id, Op: op, Length: length, Rkey: rkey}); err == nil {
		p.posted = id
		p.open[host][id] = true
	}
}

// work posts a request at a random end, and receives now and then.
func (p *pair) work() {
	host := int(p.rng.Below(2))
	stream := uint16(p.rng.Below(streams))
	op, length := works[p.rng.Below(uint64(len(works)))], uint32(p.rng.Below(20_000))
	if op == wire.OpcodeAtomicRequest {
		length = 8
	}
	p.post(host, stream, op, length)
	if p.rng.Permille(600) {
		_, _ = p.nics[1-host].PostRecv(p.conn[1-host], stream, 1, 0, 20_000) // an error: no room, or over
	}
}

// weather changes what befalls packets.
func (p *pair) weather() {
	t := &p.lab.Trouble
	*t = lab.Trouble{}
	if p.rng.Permille(200) {
		t.Late, t.LateBy = 500, 60*microsecond
	} else if p.rng.Permille(600) {
		t.Lose, t.LoseControl, t.Double, t.Late, t.LateBy = uint16(p.rng.Below(250)), uint16(p.rng.Below(250)), uint16(p.rng.Below(50)), uint16(p.rng.Below(100)), 30*microsecond
	}
	if p.rng.Permille(300) {
		t.Mark = uint16(p.rng.Below(900))
	}
	if p.rng.Permille(150) {
		t.Dead = 1 << p.rng.Below(planes)
	}
	if p.rng.Permille(30) {
		t.Dead = 1<<planes - 1
	}
}

// drain takes what has ended.
func (p *pair) drain() {
	for host, n := range p.nics {
		for c, ok := n.Completion(); ok; c, ok = n.Completion() {
			if !c.Responder {
				p.end(host, &c)
			}
		}
		for _, ok := n.Event(); ok; _, ok = n.Event() {
		}
	}
}

func (p *pair) end(host int, c *endpoint.Completion) {
	if !p.open[host][c.ID] {
		p.faults = append(p.faults, fmt.Sprintf("host %d at %d us: request %d ended (%s), and is not one that was open", host, p.lab.Now()/microsecond, c.ID, c.Status))
		return
	}
	delete(p.open[host], c.ID)
	p.ended++
}

// flood posts more than a stream takes.
func (p *pair) flood(stream uint16) {
	for range 80 {
		p.post(0, stream, wire.OpcodeWrite, 4000)
	}
}

// turns is how many changes of the weather take a plane away each, where there are turns, one after the other: psn, tsn and cum wrap meanwhile.
const turns = 40

// change is one weather with the work in it.
func (p *pair) change(i int) {
	p.weather()
	long := sim.Picos(p.rng.Below(400)) * microsecond
	if p.turn > 0 && i < turns {
		p.lab.Trouble, long = lab.Trouble{Lose: 100, Dead: 1 << (i % planes)}, p.turn
	}
	if i%20 == 10 {
		p.flood(uint16(i / 20 % streams))
	}
	for range p.rng.Below(30) {
		p.work()
	}
	p.lab.Run(long)
	p.drain()
}

// early is after how many changes the last stream fails: later it may be over by itself.
const early = 3

// fail ends a stream while requests on it are not answered.
func (p *pair) fail(stream uint16) {
	p.lab.Trouble = lab.Trouble{}
	for range 4 {
		for host := range p.nics {
			for _, op := range works {
				p.post(host, stream, op, 8)
			}
		}
	}
	p.lab.Run(sim.Picos(p.rng.Below(8_000_000)))
	host := p.rng.Below(2)
	_ = p.nics[host].Fail(p.lab.Now(), p.conn[host], stream) // an error: over already
	p.lab.Run(20 * microsecond)
	p.drain()
}
