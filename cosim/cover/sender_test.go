package cover_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/verbs/lab"
	"metaroce/tandem/model/wire"
	waived "metaroce/tandem/vectors/cover"
)

// pair is two NICs with a connection, work of all kinds between them, and a network that does what a network may do.
type pair struct {
	t     *testing.T
	rng   sim.Random
	lab   *lab.Lab
	nics  [2]*endpoint.NIC
	conn  [2]uint16
	ended int
}

func newPair(t *testing.T, seed uint64, bins *cover.Cover) *pair {
	p := &pair{t: t, rng: sim.NewRandom(seed, "pair")}
	bins.Start()
	for i := range p.nics {
		c := endpoint.Default()
		c.Host, c.Seed, c.Planes, c.BaseRtt, c.Mtu, c.RnrPause, c.Paths = uint16(i), seed, 2, 1100, 512, 50_000, 4
		c.Tuning.PathPolicy = uint32(seed % 3)
		if i == 0 { // the records of one NIC are one run
			c.Trace = func(r endpoint.Record) {
				var b [event.MaxRecord]byte
				bins.Observe(b[:r.Encode(&b)])
			}
		}
		nic, err := endpoint.New(c)
		require.NoError(t, err)
		p.nics[i] = nic
	}
	var err error
	cfg := lab.Default()
	cfg.Seed, cfg.Planes = seed, 2
	p.lab, err = lab.New(cfg, p.nics[0], p.nics[1])
	require.NoError(t, err)
	p.conn[0], p.conn[1], err = endpoint.ConnectNow(0, p.nics[0], p.nics[1], 4, 2)
	require.NoError(t, err)
	for i, n := range p.nics {
		require.NoError(t, n.Register(0x100, p.conn[i], 7, 0, 1<<30))
	}
	return p
}

var works = []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest, wire.OpcodeAtomicRequest}

// work posts a request at a random end, and receives now and then.
func (p *pair) work() {
	host := int(p.rng.Below(2))
	stream := uint16(p.rng.Below(4))
	w := endpoint.Work{Op: works[p.rng.Below(uint64(len(works)))], Length: uint32(p.rng.Below(20_000)), Rkey: 0x100}
	if w.Op == wire.OpcodeAtomicRequest {
		w.Length = 8
	}
	_, _ = p.nics[host].Post(p.lab.Now(), p.conn[host], stream, w) // an error: no room, or over
	if p.rng.Permille(600) {
		_, _ = p.nics[1-host].PostRecv(p.conn[1-host], stream, 1, 0, 20_000)
	}
}

// weather changes what befalls packets.
func (p *pair) weather() {
	t := &p.lab.Trouble
	*t = lab.Trouble{}
	if p.rng.Permille(200) {
		t.Late, t.LateBy = 500, 60_000_000
	} else if p.rng.Permille(600) {
		t.Lose, t.LoseControl, t.Double, t.Late, t.LateBy = uint16(p.rng.Below(250)), uint16(p.rng.Below(250)), uint16(p.rng.Below(50)), uint16(p.rng.Below(100)), 30_000_000
	}
	if p.rng.Permille(300) {
		t.Mark = uint16(p.rng.Below(900))
	}
	if p.rng.Permille(150) {
		t.Dead = 1 << p.rng.Below(2)
	}
	if p.rng.Permille(30) {
		t.Dead = 3
	}
}

func (p *pair) drain() {
	for _, n := range p.nics {
		for {
			if _, ok := n.Completion(); !ok {
				break
			}
			p.ended++
		}
		for {
			if _, ok := n.Event(); !ok {
				break
			}
		}
	}
}

// flood posts more than a stream takes.
func (p *pair) flood(stream uint16) {
	for range 80 {
		_, _ = p.nics[0].Post(p.lab.Now(), p.conn[0], stream, endpoint.Work{Op: wire.OpcodeWrite, Length: 4000, Rkey: 0x100})
	}
}

// fail ends streams while requests on them are not answered.
func (p *pair) fail() {
	p.lab.Trouble = lab.Trouble{}
	for stream := range uint16(4) {
		for host, n := range p.nics {
			for _, op := range works {
				_, _ = n.Post(p.lab.Now(), p.conn[host], stream, endpoint.Work{Op: op, Length: 8, Rkey: 0x100})
			}
		}
		p.lab.Run(sim.Picos(p.rng.Below(8_000_000)))
		_ = p.nics[p.rng.Below(2)].Fail(p.lab.Now(), p.conn[0], stream) // an error: over already
		p.lab.Run(20_000_000)
	}
}

// run is so many changes of the weather.
func (p *pair) run(changes int) {
	for i := range changes {
		p.weather()
		if i%20 == 10 {
			p.flood(uint16(i / 20))
		}
		for range p.rng.Below(30) {
			p.work()
		}
		p.lab.Run(sim.Picos(p.rng.Below(400_000_000)))
		p.drain()
	}
}

// TestSenderBins: traffic of all kinds through all weathers fills every bin of the sender that is not waived.
func TestSenderBins(t *testing.T) {
	bins := cover.NewSender()
	list, err := cover.ParseWaivers("waivers.txt", waived.Waivers)
	require.NoError(t, err)
	ended := 0
	for seed := uint64(0); seed < 4 || seed < 40 && len(bins.Report(list, "").Empty) > 0; seed++ {
		p := newPair(t, seed, bins)
		p.run(60)
		p.fail()
		ended += p.ended
	}
	require.Greater(t, ended, 1000)
	r := bins.Report(list, "")
	assert.True(t, r.OK(), r.Text())
}
