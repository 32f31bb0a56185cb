package rocev2

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

func TestSizes(t *testing.T) {
	// Ethernet 14, IP 20, UDP 8, BTH 12, RETH 16, AETH 4, ICRC 4, and 24 that a link adds.
	require.Equal(t, uint32(4178), dataBytes(4096, false))
	require.Equal(t, uint32(4194), dataBytes(4096, true))
	require.Equal(t, uint32(86), dataBytes(1, false), "payload is padded to 4 bytes")
	require.Equal(t, 86, ackBytes)
	require.Equal(t, 98, cnpBytes)
	require.Less(t, dataBytes(maxMtu, true), uint32(1<<16))
}

func TestDefaultIsValid(t *testing.T) {
	for _, mbps := range []uint32{1, 100, 25_000, 400_000, 3_200_000} {
		f := net(2, 1)
		f.LinkMbps = mbps
		c := Default(&f, false)
		require.NoError(t, c.Validate(&f), "%d Mb/s", mbps)
		vendor := VendorDcqcn(uint64(mbps))
		c.Dcqcn = &vendor
		require.NoError(t, c.Validate(&f), "%d Mb/s", mbps)
		f.Pfc.Xoff = 100_000
		c = Default(&f, true)
		require.NoError(t, c.Validate(&f))
	}
}

// TestDefaultTimeoutIsBeyondTheRoundTrip, and beyond what a full buffer adds to it; a power of two of 4.096 us.
func TestDefaultTimeoutIsBeyondTheRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name     string
		set      func(f *fabric.Config)
		lossless bool
		want     sim.Picos
	}{
		{"shallow", func(*fabric.Config) {}, false, 262_144_000},
		{"lossless", func(f *fabric.Config) { f.Pfc.Xoff = 250_000 }, true, 262_144_000},
		{"lossless and many", func(f *fabric.Config) { f.Hosts, f.Pfc.Xoff = 128, 150_000 }, true, 524_288_000},
		{"and the window bounds it", func(f *fabric.Config) { f.Hosts, f.Pfc.Xoff = 128, 25_000_000 }, true, 2_097_152_000},
		{"deep", func(f *fabric.Config) { f.Buffer *= 50 }, false, 524_288_000},
		{"far", func(f *fabric.Config) { f.SpineDelay = []sim.Picos{0, 300 * micros} }, false, 4_194_304_000},
		{"further", func(f *fabric.Config) { f.LinkDelay = 1000 * micros }, false, 16_777_216_000},
	} {
		f := fabric.Default(fabric.LeafSpine, 4)
		c.set(&f)
		require.Equal(t, c.want, Default(&f, c.lossless).Timeout, c.name)
	}
}

// TestValidateSaysAllAtOnce: every field out of its range is named, with its value and the rule.
func TestValidateSaysAllAtOnce(t *testing.T) {
	f := net(2, 1)
	c := Config{Mtu: 1500, Spread: 0, AckEvery: 0, Window: 1 << 30, NakAgain: 1 << 60, Timeout: 0, Lossless: true, FirstPsn: 1 << 24,
		Dcqcn: &Dcqcn{CnpGap: 1 << 60, CutGap: 1 << 60, AlphaTime: 1, RiseTime: 0, GainShift: 0, Recovery: 1 << 20, Add: 0, Hyper: 1 << 40, Floor: 0}}
	_, err := New(nil, &f, nil, c)
	var fields []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var p *Problem
		require.True(t, errors.As(e, &p))
		require.NotEmpty(t, p.Value)
		require.Contains(t, p.Rule, "want")
		require.Contains(t, p.Error(), "rocev2: "+p.Field+" is "+p.Value+": ")
		fields = append(fields, p.Field)
	}
	require.Equal(t, []string{"Mtu", "Spread", "AckEvery", "Window", "NakAgain", "Timeout", "Lossless", "FirstPsn",
		"Dcqcn.CnpGap", "Dcqcn.CutGap", "Dcqcn.AlphaTime", "Dcqcn.RiseTime", "Dcqcn.GainShift", "Dcqcn.Recovery", "Dcqcn.Add",
		"Dcqcn.Hyper", "Dcqcn.Floor"}, fields)
}

// TestLossCollapsesGoBackN holds the goodput at 1 % against the cycle of go-back-N: a loss costs the round trip until
// its NAK is back. A loss of what is sent again costs another, or the timeout where a NAK is not repeated.
func TestLossCollapsesGoBackN(t *testing.T) {
	const p, packets = 0.01, 20_000
	for _, again := range []struct {
		name   string
		back   bool
		lo, hi float64 // share of what it is without loss
	}{{"NAK repeated", true, 0.42, 0.48}, {"timeout", false, 0.25, 0.4}} {
		t.Run(again.name, func(t *testing.T) {
			f := net(2, 1)
			c := plain(&f)
			c.NakBack, c.Timeout = again.back, timeoutUnit<<8
			w := newWire(t, f, c)
			r := sim.NewRandom(5, "loss")
			w.fate = func(p *fabric.Packet, _ body) (bool, sim.Picos) {
				return p.Flags&fabric.FlagControl == 0 && r.Below(100) == 0, 0
			}
			w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: packets * maxMtu})
			w.run(t, 1e7)

			slot, rtt := 4178*8/0.4, float64(w.Diameter(4178, 86)) // ps
			timeouts := float64(w.t.Counters().Timeouts)
			require.InEpsilon(t, packets*(slot+p*(rtt+slot))+timeouts*float64(c.Timeout), float64(w.at[0]), 0.1)
			require.Equal(t, again.back, timeouts == 0, "%v timeouts: one for 10,000 packets", timeouts)
			share := packets * slot / float64(w.at[0])
			require.Greater(t, share, again.lo)
			require.Less(t, share, again.hi)
		})
	}
}

// TestUplinkIsSharedByPacket: queue pairs of one host take turns, whatever the sizes of their messages.
func TestUplinkIsSharedByPacket(t *testing.T) {
	f := net(4, 1)
	w := newWire(t, f, plain(&f))
	for i := range uint16(3) {
		w.post(0, workload.Message{Src: 0, Dst: i + 1, Bytes: uint64(i+1) * 20 * maxMtu, Tag: uint32(i)})
	}
	w.run(t, 1e5)
	var data []uint32
	for _, b := range w.sent {
		if b.kind == kindData {
			data = append(data, b.qp)
		}
	}
	for i := range 20 {
		require.ElementsMatch(t, []uint32{0, 1, 2}, data[3*i:3*i+3], "round %d", i)
	}
}

// TestControlGoesFirst: what a queue pair owes leaves most urgent first, one packet each, and before any data.
func TestControlGoesFirst(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, plain(&f))
	w.t.Post(0, workload.Message{Src: 0, Dst: 1, Bytes: 10})
	w.t.Post(0, workload.Message{Src: 1, Dst: 0, Bytes: 10})
	h := &w.t.hosts[1]
	w.t.qps[0].owed = owedAck | owedNak | owedCnp
	*h.uplink[0].control.Push() = 0
	var kinds []kind
	var p fabric.Packet
	for h.Pull(0, 0, &p) {
		require.Equal(t, p.Flags&fabric.FlagControl != 0, w.t.pool.bodies[p.Ref].kind != kindData)
		require.Equal(t, []uint16{1, 0}, []uint16{p.Src, p.Dst})
		kinds = append(kinds, w.t.pool.bodies[p.Ref].kind)
	}
	require.Equal(t, []kind{kindCnp, kindNak, kindAck, kindData}, kinds)
}

// TestSpreadUsesEveryQueuePair: parts are whole packets of nearly equal number, on queue pairs with ways of their own,
// and on planes that follow each other.
func TestSpreadUsesEveryQueuePair(t *testing.T) {
	f := net(2, 4)
	c := plain(&f)
	c.Spread = 4
	w := newWire(t, f, c)
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 10*maxMtu + 1, Tag: 0})
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 1, Tag: 1})
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 2 * maxMtu, Tag: 2})
	w.run(t, 1e4)
	var packets []int64
	planes, ports := map[uint8]bool{}, map[uint16]bool{}
	for _, q := range w.t.qps {
		packets = append(packets, q.end)
		planes[q.plane], ports[q.sport] = true, true
	}
	require.Equal(t, []int64{3 + 1, 3 + 1, 3 + 1, 2}, packets)
	require.Len(t, planes, 4)
	require.Len(t, ports, 4)
}

// TestMarksSlowDown: a flow whose every packet is marked gets a CNP each CnpGap, and its rate falls to the floor.
func TestMarksSlowDown(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, Default(&f, false))
	w.fate = trouble{marked: 1_000_000}.fate(1)
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 4000 * maxMtu})
	lowest := uint64(1 << 40)
	for w.step() {
		w.t.Rates(w.now, func(src, dst, stream uint16, kbps uint64) {
			require.Equal(t, []uint16{0, 1, 0}, []uint16{src, dst, stream})
			lowest = min(lowest, kbps)
		})
	}
	w.check(t)
	require.Equal(t, w.t.cfg.Dcqcn.Floor, lowest)
	cnps := 0
	for _, b := range w.sent {
		if b.kind == kindCnp {
			cnps++
		}
	}
	require.Greater(t, cnps, 10)
	require.LessOrEqual(t, cnps, int(w.now/w.t.cfg.Dcqcn.CnpGap)+1)
	require.Equal(t, uint64(4000), w.t.Counters().Marked)
}

// TestPacingHoldsItsRate: what leaves in a millisecond is what the rate allows.
func TestPacingHoldsItsRate(t *testing.T) {
	for _, kbps := range []uint64{1_000_000, 33_000_000, 399_000_000} {
		f := net(2, 1)
		w := newWire(t, f, Default(&f, false))
		w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 20_000 * maxMtu})
		require.True(t, w.step())
		w.t.cfg.Dcqcn.RiseTime, w.t.cfg.Dcqcn.RiseBytes = maxTime, 0
		w.t.qps[0].pace = pacer{limited: true, marked: true, kbps: kbps, target: kbps}
		for w.now < millis && w.step() {
		}
		bytes := w.t.Counters().Data * 4178
		require.InDelta(t, kbps/8, bytes, float64(kbps)/800+2*4178, "kb/s for a millisecond are bits")
	}
}

// TestTimeoutIsTheLastResort: the last packet of a message has nothing behind it that would show its loss.
func TestTimeoutIsTheLastResort(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, plain(&f))
	lose := true
	w.fate = func(_ *fabric.Packet, b body) (bool, sim.Picos) {
		lost := lose && b.last
		lose = lose && !lost
		return lost, 0
	}
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 8 * maxMtu})
	w.run(t, 1e4)
	require.Equal(t, uint64(1), w.t.Counters().Timeouts)
	require.Equal(t, uint64(4), w.t.Counters().Retransmitted, "the first four are acknowledged by then")
	require.Greater(t, w.at[0], w.t.cfg.Timeout)
}

// TestPacingGivesNoCreditForIdleTime beyond one packet: what was not sent when it could have been is not sent at once.
func TestPacingGivesNoCreditForIdleTime(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, Default(&f, false))
	w.t.cfg.Dcqcn.RiseTime, w.t.cfg.Dcqcn.RiseBytes = maxTime, 0
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 10, Tag: 0})
	w.post(1*millis, workload.Message{Src: 0, Dst: 1, Bytes: 100 * maxMtu, Tag: 1})
	require.True(t, w.step())
	w.t.qps[0].pace = pacer{limited: true, marked: true, kbps: 1_000_000, target: 1_000_000} // 33 us a packet
	for w.now < 1*millis+10*micros && w.step() {
	}
	require.Equal(t, uint64(1+2), w.t.Counters().Data)
}

// TestTrimmedIsLost: what is left of a cut packet has no ICRC that is right.
func TestTrimmedIsLost(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, plain(&f))
	cut := true
	w.fate = func(p *fabric.Packet, _ body) (bool, sim.Picos) {
		if cut {
			p.Flags |= fabric.FlagTrimmed
		}
		cut = false
		return false, 0
	}
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 4 * maxMtu})
	w.run(t, 1e4)
	require.Equal(t, uint64(4), w.t.Counters().Retransmitted)
}

// TestStaleAnswersChangeNothing: acknowledgements and NAKs that a later one has overtaken, and such as cannot be.
func TestStaleAnswersChangeNothing(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, plain(&f))
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: 40 * maxMtu})
	q := func() *qp { return w.t.qps[0] }
	for w.step() && (len(w.t.qps) == 0 || q().una < 12) {
	}
	una, nxt := q().una, q().nxt
	require.Greater(t, nxt, una)
	for _, b := range []body{
		{kind: kindAck, psn: uint32(una - 5)}, {kind: kindNak, psn: uint32(una - 4)}, {kind: kindAck, psn: psnMask},
		{kind: kindAck, psn: uint32(q().sent)}, {kind: kindNak, psn: uint32(q().sent + 1)},
	} {
		w.t.hosts[0].acknowledged(w.now, q(), b)
		require.Equal(t, []int64{una, nxt}, []int64{q().una, q().nxt}, "%+v", b)
	}
	w.run(t, 1e4)
	require.Zero(t, w.t.Counters().Retransmitted)
}

// TestOwed: what the receiver owes for each packet of a sequence.
func TestOwed(t *testing.T) {
	c := &Config{AckEvery: 3, NakAgain: 100, NakBack: true}
	q := &qp{}
	q.post(0, 20, 20*maxMtu)
	for i, s := range []struct {
		psn  uint32
		at   sim.Picos
		want verdict
		owed uint8
	}{
		{0, 0, inOrder, 0},
		{1, 1, inOrder, 0},
		{2, 2, inOrder, owedAck}, // every third
		{3, 3, inOrder, 0},
		{6, 4, early, owedNak},
		{7, 5, early, 0},
		{8, 103, early, 0},
		{9, 104, early, owedNak}, // again after 100
		{5, 110, early, owedNak}, // the sender has gone back, and 4 was lost again
		{6, 111, early, 0},       // beyond what showed it
		{4, 120, inOrder, 0},     // the count began anew with the NAK
		{3, 121, again, 0},       // counts as well
		{2, 122, again, owedAck},
		{7, 123, early, owedNak}, // another gap
	} {
		q.owed = 0
		v, done := q.arrive(c, body{psn: s.psn, payload: maxMtu}, s.at)
		require.Nil(t, done)
		require.Equal(t, s.want, v, "step %d", i)
		require.Equal(t, s.owed, q.owed, "step %d", i)
	}
	q.owed = owedAck
	q.arrive(&Config{AckEvery: 3}, body{psn: 9}, 200)
	q.nakOpen = false
	q.arrive(&Config{AckEvery: 3}, body{psn: 9}, 200)
	require.Equal(t, uint8(owedNak), q.owed, "a NAK acknowledges, so nothing else does")
}

// TestDescribeIsBounded: as many lines as asked for.
func TestDescribeIsBounded(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, plain(&f))
	for i := range uint16(5) {
		w.t.Post(0, workload.Message{Src: 0, Dst: 1, Stream: i, Bytes: 10, Tag: uint32(i)})
	}
	require.Equal(t, 5, w.t.Outstanding())
	require.Contains(t, w.t.Describe(9), "queue pair 4: host 0 to 1")
	require.Regexp(t, `^queue pair 0: .*\nqueue pair 1: .*\n\.\.\.\n$`, w.t.Describe(2))
}
