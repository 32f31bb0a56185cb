package rocev2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// still is a network and a driver that do nothing: the caller moves the packets.
type still struct{}

func (still) Kick(int, int)                         {}
func (still) Wake(int, sim.Picos)                   {}
func (still) Diameter(int, int) sim.Picos           { return fabric.DefaultRTT }
func (still) Completed(sim.Picos, workload.Message) {}

// pump moves packets between hosts 0 and 1 at once, one a slot of time.
type pump struct {
	t     *Transport
	hosts []fabric.Host
	now   sim.Picos
	tag   uint32
	held  fabric.Packet // here, so that it is not allocated each time
}

func newPump(t require.TestingT, flows uint16) *pump {
	f := net(2, 1)
	made, err := New(still{}, &f, still{}, Default(&f, false))
	require.NoError(t, err)
	p := &pump{t: made, hosts: made.Hosts()}
	for i := range flows {
		p.post(i)
	}
	return p
}

func (p *pump) post(stream uint16) {
	p.t.Post(p.now, workload.Message{Src: 0, Dst: 1, Stream: stream, Bytes: 64 * maxMtu, Tag: p.tag})
	p.tag++
}

func (p *pump) packet() {
	x := &p.held
	for from := range 2 {
		for p.hosts[from].Pull(p.now, 0, x) {
			if from == 0 && p.tag%3 == 0 {
				x.Flags |= fabric.FlagCe
			}
			p.hosts[1-from].Deliver(p.now, 0, x)
			if from == 0 {
				break
			}
		}
	}
	p.now += 100_000
	p.hosts[0].Tick(p.now)
	for p.t.Outstanding() < 4 {
		p.post(uint16(p.tag % 4))
	}
}

// TestNothingIsAllocatedAPacket once the lists have grown: data, acknowledgements, CNPs, pacing, posts, completions.
func TestNothingIsAllocatedAPacket(t *testing.T) {
	p := newPump(t, 4)
	for range 100_000 {
		p.packet()
	}
	bodies, messages := len(p.t.pool.bodies), len(p.t.messages.all)
	require.Zero(t, testing.AllocsPerRun(10_000, p.packet))
	require.Len(t, p.t.pool.bodies, bodies, "places are used again")
	require.Len(t, p.t.messages.all, messages)
	c := p.t.Counters()
	require.NotZero(t, c.Marked)
	require.NotZero(t, c.Control)
}

// BenchmarkPacket is a data packet with its share of acknowledgements through both NICs, and no network.
func BenchmarkPacket(b *testing.B) {
	p := newPump(b, 4)
	b.ReportAllocs()
	for b.Loop() {
		p.packet()
	}
}

// BenchmarkIncast is link hops through fabric and NICs.
func BenchmarkIncast(b *testing.B) {
	for _, pfc := range []bool{false, true} {
		name := "lossy"
		if pfc {
			name = "lossless"
		}
		b.Run(name, func(b *testing.B) {
			hops := uint64(0)
			for b.Loop() {
				f := fabric.Default(fabric.SingleSwitch, 128)
				if pfc {
					f = withPfc(f)
				}
				r, _ := play(b, f, Default(&f, pfc), graph(b, workload.Incast{Senders: 127, Bytes: 500_000}))
				hops += r.Fabric.Hops
			}
			b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
		})
	}
}
