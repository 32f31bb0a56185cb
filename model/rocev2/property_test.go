package rocev2

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// anyConfig draws NICs whose timers are short, so that a run of a millisecond meets all of them.
func anyConfig(t *rapid.T, f *fabric.Config) Config {
	c := Default(f, false)
	c.Seed = rapid.Uint64().Draw(t, "seed")
	c.Mtu = rapid.SampledFrom([]uint32{256, 1024, 4096}).Draw(t, "mtu")
	c.Spread = rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "spread")
	c.AckEvery = rapid.Uint32Range(1, 20).Draw(t, "ack every")
	c.Window = rapid.SampledFrom([]uint32{0, 10, 1000}).Draw(t, "window")
	c.NakAgain = rapid.SampledFrom([]sim.Picos{0, 30 * micros}).Draw(t, "nak again")
	c.NakBack = rapid.Bool().Draw(t, "nak back")
	c.Timeout = rapid.SampledFrom([]sim.Picos{8 * micros, 40 * micros, 400 * micros}).Draw(t, "timeout")
	c.FirstPsn = rapid.SampledFrom([]uint32{0, psnMask - 100}).Draw(t, "first psn")
	switch rapid.IntRange(0, 2).Draw(t, "dcqcn") {
	case 0:
		c.Dcqcn = nil
	case 1:
		*c.Dcqcn = VendorDcqcn(uint64(f.LinkMbps))
		c.Dcqcn.LossCuts = true
	}
	return c
}

// trouble is what may happen to a packet, per million.
type trouble struct{ lost, late, marked, trimmed uint64 }

func (x trouble) fate(seed uint64) func(p *fabric.Packet, _ body) (bool, sim.Picos) {
	r := sim.NewRandom(seed, "trouble")
	in := func(ppm uint64) bool { return r.Below(1_000_000) < ppm }
	return func(p *fabric.Packet, _ body) (bool, sim.Picos) {
		if p.Flags&fabric.FlagEct != 0 && in(x.marked) {
			p.Flags |= fabric.FlagCe
		}
		if p.Flags&fabric.FlagControl == 0 && in(x.trimmed) {
			p.Flags |= fabric.FlagTrimmed
		}
		late := sim.Picos(0)
		if in(x.late) {
			late = sim.Picos(r.Below(3_000_000))
		}
		return in(x.lost), late
	}
}

func anyTrouble(t *rapid.T) trouble {
	ppm := rapid.SampledFrom([]uint64{0, 0, 1000, 30_000, 200_000})
	return trouble{ppm.Draw(t, "lost"), ppm.Draw(t, "late"), ppm.Draw(t, "marked"), ppm.Draw(t, "trimmed")}
}

// TestEverythingArrivesOnce: any traffic, any trouble. newWire.check has what must hold at the end: all messages once
// and whole, no body left over, the counters of both ends agree.
func TestEverythingArrivesOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 5).Draw(t, "hosts")
		f := net(hosts, rapid.IntRange(1, 4).Draw(t, "planes"))
		w := newWire(t, f, anyConfig(t, &f))
		w.fate = anyTrouble(t).fate(w.t.cfg.Seed)
		for i := range rapid.IntRange(1, 12).Draw(t, "messages") {
			src := rapid.IntRange(0, hosts-1).Draw(t, "src")
			dst := (src + rapid.IntRange(1, hosts-1).Draw(t, "to")) % hosts
			w.post(sim.Picos(rapid.Uint64Range(0, 100).Draw(t, "at"))*micros, workload.Message{
				Src: uint16(src), Dst: uint16(dst), Stream: uint16(rapid.IntRange(0, 2).Draw(t, "stream")),
				Bytes: rapid.Uint64Range(1, 40_000).Draw(t, "bytes"), Tag: uint32(i),
			})
		}
		w.run(t, 1e7)
		inOrderPerStream(t, w)
		onePathPerQueuePair(t, w)
	})
}

// inOrderPerStream: one queue pair a stream completes messages in the order in which they were posted.
func inOrderPerStream(t require.TestingT, w *wire) {
	if w.t.cfg.Spread > 1 {
		return
	}
	last := map[flowKey]sim.Picos{}
	order := map[flowKey][]uint32{}
	for i, m := range w.completed {
		k := flowKey{m.Src, m.Dst, m.Stream}
		require.GreaterOrEqual(t, w.at[i], last[k])
		last[k] = w.at[i]
		order[k] = append(order[k], m.Tag)
	}
	for k, tags := range order {
		var want []uint32
		for _, m := range w.order {
			if k == (flowKey{m.Src, m.Dst, m.Stream}) {
				want = append(want, m.Tag)
			}
		}
		require.Equal(t, want, tags)
	}
}

func onePathPerQueuePair(t require.TestingT, w *wire) {
	way := map[uint32]fabric.Packet{}
	for i, b := range w.sent {
		p := w.packets[i]
		if b.kind != kindData {
			p.Src, p.Dst = p.Dst, p.Src
		}
		p = fabric.Packet{Src: p.Src, Dst: p.Dst, Sport: p.Sport, Plane: p.Plane}
		if was, ok := way[b.qp]; ok {
			require.Equal(t, was, p)
		}
		way[b.qp] = p
		require.GreaterOrEqual(t, p.Sport, uint16(49152))
	}
}

// FuzzFate: each byte is what happens to a packet. Traffic and NICs stay the same.
func FuzzFate(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 2, 3, 4, 5, 1, 1, 1})
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0x1c, 0x1c, 2})
	f.Fuzz(func(t *testing.T, fates []byte) {
		n := net(3, 2)
		c := Default(&n, false)
		c.Timeout, c.FirstPsn, c.Mtu = 50*micros, psnMask-3, 1024
		w := newWire(t, n, c)
		w.fate = func(p *fabric.Packet, _ body) (bool, sim.Picos) {
			if len(fates) == 0 {
				return false, 0
			}
			b := fates[0]
			fates = fates[1:]
			if b&2 != 0 && p.Flags&fabric.FlagEct != 0 {
				p.Flags |= fabric.FlagCe
			}
			return b&1 != 0, sim.Picos(b>>2) * 100_000
		}
		for i := range 6 {
			w.post(sim.Picos(i)*micros, workload.Message{Src: uint16(i % 3), Dst: uint16((i + 1) % 3), Bytes: uint64(1 + 3000*i), Tag: uint32(i)})
		}
		w.run(t, 1e6+1000*len(fates))
		inOrderPerStream(t, w)
	})
}

// TestSameSeedSameRun: equal configurations give equal packets, to the last field, at equal times.
func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64) *wire {
		f := net(4, 2)
		c := Default(&f, false)
		c.Seed, c.Spread, c.Timeout = seed, 2, 60*micros
		w := newWire(t, f, c)
		w.fate = trouble{lost: 20_000, late: 10_000, marked: 50_000}.fate(7)
		for i := range 12 {
			w.post(0, workload.Message{Src: uint16(i % 4), Dst: uint16((i + 1 + i/4) % 4), Bytes: 200_000, Tag: uint32(i)})
		}
		w.run(t, 1e6)
		return w
	}
	a, b, c := run(1), run(1), run(2)
	require.Equal(t, a.packets, b.packets)
	require.Equal(t, a.at, b.at)
	require.Equal(t, a.completed, b.completed)
	require.NotEqual(t, a.packets, c.packets, "another seed, other ports")
}

func TestTimersTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h timers
		var slow []entry
		require.Equal(t, never, h.next())
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(slow) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				best := 0
				for j := range slow {
					if slow[j].at < slow[best].at {
						best = j
					}
				}
				require.Equal(t, slow[best].at, h.next())
				got := h.pop()
				require.Equal(t, slow[best].at, got.at)
				require.Contains(t, slow, got)
				for j := range slow {
					if slow[j] == got {
						slow = append(slow[:j], slow[j+1:]...)
						break
					}
				}
			} else {
				e := entry{at: sim.Picos(rapid.Uint64Range(0, 30).Draw(t, "at")), qp: uint32(i)}
				h.push(e)
				slow = append(slow, e)
			}
			require.Len(t, h, len(slow))
		}
	})
}

// TestWiden: a number off the wire is the nearest one with those bits.
func TestWiden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Int64Range(0, 1<<40).Draw(t, "near")
		d := rapid.Int64Range(-1<<23, 1<<23-1).Draw(t, "distance")
		require.Equal(t, near+d, widen(near, uint32(near+d)&psnMask))
	})
}
