package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// sent is a packet that a test wants to be sent, at a time or as soon as the uplink is free after it.
type sent struct {
	at     sim.Picos
	plane  int
	packet fabric.Packet
}

// fate is what became of a packet.
type fate struct {
	at     sim.Picos // delivered
	plane  int
	packet fabric.Packet
	lost   bool
}

// world is a network whose hosts send what they are told and note what comes.
type world struct {
	t     require.TestingT
	n     *fabric.Network
	nics  []*nic
	fates map[uint32]fate // by Ref
	order []uint32        // Refs, in the order of their fates
	free  uint32
}

// nic is one host of a world.
type nic struct {
	w      *world
	host   int
	agenda []sent            // to come, in the order of time
	queues [][]fabric.Packet // by plane
	ticks  []sim.Picos
}

func newWorld(t require.TestingT, cfg fabric.Config) *world {
	n, err := fabric.New(cfg)
	require.NoError(t, err)
	w := &world{t: t, n: n, fates: map[uint32]fate{}}
	for i := range cfg.Hosts {
		h := &nic{w: w, host: i, queues: make([][]fabric.Packet, cfg.Planes)}
		w.nics = append(w.nics, h)
		n.Attach(i, h)
	}
	return w
}

// send plans a packet and gives it a Ref. Times of one host must not go back.
func (w *world) send(at sim.Picos, plane int, p fabric.Packet) uint32 {
	w.free++
	p.Ref = w.free
	h := w.nics[p.Src]
	h.agenda = append(h.agenda, sent{at, plane, p})
	w.n.Wake(h.host, at)
	return p.Ref
}

// run lets the network go to its end.
func (w *world) run() {
	for w.n.Step() {
	}
}

func (h *nic) Tick(now sim.Picos) {
	h.ticks = append(h.ticks, now)
	for len(h.agenda) > 0 && h.agenda[0].at <= now {
		s := h.agenda[0]
		h.agenda = h.agenda[1:]
		h.queues[s.plane] = append(h.queues[s.plane], s.packet)
		h.w.n.Kick(h.host, s.plane)
	}
	if len(h.agenda) > 0 {
		h.w.n.Wake(h.host, h.agenda[0].at)
	}
}

func (h *nic) Pull(_ sim.Picos, plane int, p *fabric.Packet) bool {
	require.Equal(h.w.t, fabric.Packet{}, *p, "what Pull is given to fill is empty")
	if len(h.queues[plane]) == 0 {
		return false
	}
	*p = h.queues[plane][0]
	h.queues[plane] = h.queues[plane][1:]
	return true
}

func (h *nic) Deliver(now sim.Picos, plane int, p *fabric.Packet) {
	require.Equal(h.w.t, h.host, int(p.Dst))
	require.Equal(h.w.t, plane, int(p.Plane))
	require.Equal(h.w.t, h.w.n.Now(), now)
	h.w.settle(fate{at: now, plane: plane, packet: *p})
}

func (h *nic) Lost(p *fabric.Packet) {
	require.Equal(h.w.t, h.host, int(p.Src))
	h.w.settle(fate{at: h.w.n.Now(), packet: *p, lost: true})
}

func (w *world) settle(f fate) {
	_, twice := w.fates[f.packet.Ref]
	require.False(w.t, twice, "packet %d has two fates", f.packet.Ref)
	w.fates[f.packet.Ref] = f
	w.order = append(w.order, f.packet.Ref)
}

// delivered is when a packet came, which it must have.
func (w *world) delivered(ref uint32) sim.Picos {
	f, ok := w.fates[ref]
	require.True(w.t, ok, "packet %d has no fate", ref)
	require.False(w.t, f.lost, "packet %d is lost", ref)
	return f.at
}

// plain is a network in which nothing happens by itself.
func plain(kind fabric.Kind, hosts int) fabric.Config {
	c := fabric.Default(kind, hosts)
	c.EcnLo, c.EcnHi, c.Buffer = 0, 0, 1<<31
	return c
}

func data(src, dst int, sport uint16) fabric.Packet {
	return fabric.Packet{Size: 4196, Src: uint16(src), Dst: uint16(dst), Sport: sport}
}

func TestWakeHasOneTimeAndKeepsTheEarliest(t *testing.T) {
	w := newWorld(t, plain(fabric.SingleSwitch, 2))
	h := w.nics[0]
	w.n.Wake(0, 500)
	w.n.Wake(0, 700) // later: forgotten
	w.n.Wake(0, 300) // earlier: instead
	w.run()
	require.Equal(t, []sim.Picos{300}, h.ticks)
	w.n.Wake(0, 100) // past: now
	w.run()
	require.Equal(t, []sim.Picos{300, 300}, h.ticks)
	w.n.Run(1000)
	w.n.Wake(0, 100)
	at, ok := w.n.Next()
	require.True(t, ok)
	require.Equal(t, sim.Picos(1000), at)
	require.False(t, w.n.StepUntil(999))
	w.n.Run(2000)
	require.Equal(t, []sim.Picos{300, 300, 1000}, h.ticks)
	require.Equal(t, sim.Picos(2000), w.n.Now())
	require.False(t, w.n.Step())
}

// TestKick: a kick of a busy uplink costs nothing and loses nothing, and one from outside is seen by the next step.
func TestKick(t *testing.T) {
	w := newWorld(t, plain(fabric.SingleSwitch, 2))
	w.nics[0].queues[0] = []fabric.Packet{{Ref: 1, Size: 4196, Dst: 1}, {Ref: 2, Size: 4196, Dst: 1}}
	for range 3 {
		w.n.Kick(0, 0)
	}
	at, ok := w.n.Next()
	require.True(t, ok)
	require.Zero(t, at)
	w.n.Run(83_920 - 1)
	require.Len(t, w.nics[0].queues[0], 1, "one is being sent")
	w.n.Kick(0, 0)
	w.n.Run(83_920)
	require.Empty(t, w.nics[0].queues[0])
	require.Equal(t, 2, w.n.InFlight())
	w.run()
	require.Zero(t, w.n.InFlight())
	require.Equal(t, uint64(4), w.n.Stats().Hops)
	require.Equal(t, []fabric.Counts{{Data: 2 * 4196}}, w.n.Stats().SentBytes)
	require.Equal(t, w.n.Stats().SentBytes, w.n.Stats().DeliveredBytes)
}

// TestWrongPacketsAreBugs of the caller, and say so.
func TestWrongPacketsAreBugs(t *testing.T) {
	for _, p := range []fabric.Packet{{Src: 0, Dst: 1}, {Size: 1, Src: 1, Dst: 0}, {Size: 1, Src: 0, Dst: 2}} {
		w := newWorld(t, plain(fabric.SingleSwitch, 2))
		w.nics[0].queues[0] = []fabric.Packet{p}
		w.n.Kick(0, 0)
		require.PanicsWithValue(t, "fabric BUG: a host sent a packet without size, under another host's number, or to none", func() { w.n.Step() })
	}
}
