package fabric_test

import (
	"syscall"
	"testing"
	"time"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// talker keeps a window of packets under way to one other host over eight entropies, and answers each packet that
// comes with a small one: as little as traffic can be.
type talker struct {
	n          *fabric.Network
	self, peer uint16
	room, seq  int
	answers    []uint16
}

func (h *talker) Pull(_ sim.Picos, _ int, p *fabric.Packet) bool {
	if k := len(h.answers); k > 0 {
		*p = fabric.Packet{Size: 128, Src: h.self, Dst: h.answers[k-1], Sport: uint16(k), Flags: fabric.FlagControl}
		h.answers = h.answers[:k-1]
		return true
	}
	if h.room == 0 {
		return false
	}
	h.room--
	h.seq++
	*p = fabric.Packet{Size: 4196, Src: h.self, Dst: h.peer, Sport: uint16(h.seq & 7), Flags: fabric.FlagEct}
	return true
}

func (h *talker) Deliver(_ sim.Picos, plane int, p *fabric.Packet) {
	if p.Flags&fabric.FlagControl != 0 {
		h.room++
	} else {
		h.answers = append(h.answers, p.Src)
	}
	h.n.Kick(int(h.self), plane)
}

func (h *talker) Lost(p *fabric.Packet) {
	if p.Flags&fabric.FlagControl == 0 {
		h.room++
	}
}

func (h *talker) Tick(sim.Picos) {}

// talk makes a network of talkers, each to the one half of all hosts further, or all to the last.
func talk(b testing.TB, cfg fabric.Config, incast bool) *fabric.Network {
	n, err := fabric.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	for i := range cfg.Hosts {
		h := &talker{n: n, self: uint16(i), peer: uint16((i + cfg.Hosts/2 + 1) % cfg.Hosts), room: 119}
		if incast {
			h.peer, h.room = uint16(cfg.Hosts-1), 1
			if i == cfg.Hosts-1 {
				h.room = 0
			}
		}
		n.Attach(i, h)
		n.Kick(i, 0)
	}
	return n
}

// BenchmarkHops is the time of one link traversal, after warm-up.
func BenchmarkHops(b *testing.B) {
	for _, c := range []struct {
		name   string
		kind   fabric.Kind
		hosts  int
		incast bool
	}{
		{"incast-128", fabric.SingleSwitch, 128, true},
		{"permutation-128", fabric.LeafSpine, 128, false},
		{"permutation-1024", fabric.LeafSpine, 1024, false},
		{"permutation-1024-fat-tree", fabric.FatTree, 1024, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := talk(b, fabric.Default(c.kind, c.hosts), c.incast)
			n.Run(100_000_000)
			before := n.Stats()
			b.ReportAllocs()
			b.ResetTimer()
			start := cpu(b)
			for n.Stats().Hops-before.Hops < uint64(b.N) {
				for range 1000 {
					n.Step()
				}
			}
			spent := cpu(b) - start
			b.StopTimer()
			after := n.Stats()
			b.ReportMetric(float64(after.Hops-before.Hops)/spent.Seconds()/1e6, "Mhops/cpu-s")
			b.ReportMetric(float64(after.Events-before.Events)/float64(after.Hops-before.Hops), "events/hop")
			b.ReportMetric(float64(after.Pending), "pending")
		})
	}
}

// cpu is the processor time of the process so far: other work on the machine does not count.
func cpu(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
