package rocev2

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// twin is go-back-N between two hosts as one would write it first: a list of what is on its way, searched for the
// earliest; a packet is a number, and messages do not exist but for the packets that end them.
type twin struct {
	c      Config
	window int
	delay  sim.Picos
	size   func(n int) int // of data packet n on the wire
	ends   map[int]bool
	total  int
	lost   func(i int) bool // the i-th data packet that leaves
	noAck  func(i int) bool // the i-th control packet that leaves

	way            []flying
	una, nxt, sent int
	busy           bool
	due            sim.Picos
	data, control  int
	timeouts       int

	expect, unasked int
	open            bool
	nakBy           int
	nakAt           sim.Picos
	done            map[int]sim.Picos // when the packet that ends a message came in order
}

type flying struct {
	at   sim.Picos
	what string // data, ack, nak, free
	n    int
}

// before has the order of class in wire.
func (f flying) before(g flying) bool {
	order := map[string]class{"free": free, "data": atReceiver, "ack": atSender, "nak": atSender}
	return f.at < g.at || f.at == g.at && order[f.what] < order[g.what]
}

func bitTime(bytes int) sim.Picos { return sim.Picos(bytes) * 8_000_000 / fabric.DefaultMbps }

func (w *twin) send(now sim.Picos) {
	if w.busy || w.nxt == w.total || w.nxt-w.una >= w.window {
		return
	}
	w.busy = true
	end := now + bitTime(w.size(w.nxt))
	w.way = append(w.way, flying{end, "free", 0})
	if !w.lost(w.data) {
		w.way = append(w.way, flying{end + w.delay, "data", w.nxt})
	}
	w.data++
	if w.nxt == w.una {
		w.due = now + w.c.Timeout
	}
	w.nxt++
	w.sent = max(w.sent, w.nxt)
}

func (w *twin) answer(now sim.Picos, what string) {
	if !w.noAck(w.control) {
		w.way = append(w.way, flying{now + bitTime(86) + w.delay, what, w.expect})
	}
	w.control++
}

func (w *twin) arrive(now sim.Picos, n int) {
	if n > w.expect {
		if !w.open || w.c.NakAgain > 0 && now-w.nakAt >= w.c.NakAgain || w.c.NakBack && n <= w.nakBy {
			w.open, w.nakBy, w.nakAt, w.unasked = true, n, now, 0
			w.answer(now, "nak")
		}
		return
	}
	if n == w.expect {
		w.expect++
		w.open = false
		if w.ends[n] {
			w.done[n] = now
		}
	}
	w.unasked++
	if w.ends[n] || w.unasked == int(w.c.AckEvery) {
		w.unasked = 0
		w.answer(now, "ack")
	}
}

func (w *twin) run() {
	now := sim.Picos(0)
	w.send(now)
	for w.una < w.total || len(w.way) > 0 {
		best := -1
		for i := range w.way {
			if best < 0 || w.way[i].before(w.way[best]) {
				best = i
			}
		}
		if w.una < w.total && (best < 0 || w.due <= w.way[best].at) {
			now = w.due
			w.nxt, w.due = w.una, now+w.c.Timeout
			w.timeouts++
			w.send(now)
			continue
		}
		e := w.way[best]
		w.way = append(w.way[:best], w.way[best+1:]...)
		now = e.at
		switch e.what {
		case "free":
			w.busy = false
		case "data":
			w.arrive(now, e.n)
			continue
		default:
			if e.n > w.una {
				w.una, w.nxt, w.due = e.n, max(w.nxt, e.n), now+w.c.Timeout
			}
			if e.what == "nak" && e.n == w.una {
				w.nxt = e.n
			}
		}
		w.send(now)
	}
}

// TestGoBackNTwin: for any losses, either way, both take equally many packets and timeouts, and every message arrives at the
// same picosecond.
func TestGoBackNTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := net(2, 1)
		c := plain(&f)
		c.AckEvery = rapid.Uint32Range(1, 6).Draw(t, "ack every")
		c.Window = rapid.SampledFrom([]uint32{0, 50, 300, 1000}).Draw(t, "window")
		c.NakAgain = rapid.SampledFrom([]sim.Picos{0, 20 * micros, 300 * micros}).Draw(t, "nak again")
		c.NakBack = rapid.Bool().Draw(t, "nak back")
		c.Timeout = rapid.SampledFrom([]sim.Picos{7 * micros, 50 * micros, 300 * micros}).Draw(t, "timeout") // the first is below a round trip
		c.FirstPsn = rapid.SampledFrom([]uint32{0, psnMask - 20, psnMask}).Draw(t, "first psn")
		seed := rapid.Uint64().Draw(t, "seed")
		ppm := rapid.SampledFrom([]uint64{0, 1000, 10_000, 100_000, 300_000}).Draw(t, "loss in a million")
		messages := rapid.SliceOfN(rapid.Uint64Range(64, 40*maxMtu), 1, 12).Draw(t, "messages")

		w := newWire(t, f, c)
		slow := &twin{c: c, window: int(w.t.window), delay: w.delay, ends: map[int]bool{}, done: map[int]sim.Picos{}}
		slow.lost, slow.noAck = losses(seed, "data", ppm), losses(seed, "control", ppm)
		lost, noAck, data, control := losses(seed, "data", ppm), losses(seed, "control", ppm), 0, 0
		w.fate = func(p *fabric.Packet, _ body) (bool, sim.Picos) {
			if p.Flags&fabric.FlagControl != 0 {
				control++
				return noAck(control - 1), 0
			}
			data++
			return lost(data - 1), 0
		}
		sizes := map[int]int{}
		for i, bytes := range messages {
			bytes = (bytes+63)/64*64 - bytes/maxMtu%2*3 // some end with padding
			w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: bytes, Tag: uint32(i)})
			header := 82 + 16
			for ; bytes > 0; slow.total++ {
				payload := min(bytes, maxMtu)
				bytes -= payload
				sizes[slow.total] = header + int((payload+3)/4*4)
				header = 82
			}
			slow.ends[slow.total-1] = true
		}
		slow.size = func(n int) int { return sizes[n] }
		w.run(t, 1e6)
		slow.run()

		require.Equal(t, slow.data, data)
		require.Equal(t, slow.control, control)
		require.Equal(t, uint64(slow.timeouts), w.t.Counters().Timeouts)
		n := -1
		for i, m := range w.completed {
			require.Equal(t, uint32(i), m.Tag, "order of one queue pair")
			n += int((m.Bytes + maxMtu - 1) / maxMtu)
			require.Equal(t, slow.done[n], w.at[i], "message %d", i)
		}
	})
}

// losses is a stream of draws by index, asked in order.
func losses(seed uint64, name string, ppm uint64) func(int) bool {
	r := sim.NewRandom(seed, name)
	var drawn []bool
	return func(i int) bool {
		for len(drawn) <= i {
			drawn = append(drawn, r.Below(1_000_000) < ppm)
		}
		return drawn[i]
	}
}
