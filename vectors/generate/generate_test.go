package generate

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

func program(t *testing.T, seed uint64, n int) *compose.Program {
	t.Helper()
	p, err := Generate(Config{Params: preset.Tiny, Seed: seed, Packets: n, Stalls: true})
	require.NoError(t, err)
	return p
}

func sum(p *compose.Program) string {
	h := sha256.New()
	for _, i := range p.Items {
		fmt.Fprintf(h, "%d %d %d %d %d %d %d %d %d %x\n", i.Kind, i.Port, i.Addr, i.Value, i.Gap, i.Lo, i.Hi, i.Permille, i.Run, i.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestSameSeedSameBytes(t *testing.T) {
	a, b, c := sum(program(t, 7, 1500)), sum(program(t, 7, 1500)), sum(program(t, 8, 1500))
	assert.Equal(t, a, b)
	assert.NotEqual(t, a, c)
}

// TestEnoughPackets: at least as many frames as asked for, in every profile and preset.
func TestEnoughPackets(t *testing.T) {
	for _, p := range []preset.Params{preset.Tiny, preset.Small, preset.Full} {
		for seed := uint64(1); seed <= 4; seed++ {
			prog, err := Generate(Config{Params: p, Seed: seed, Packets: 700, Stalls: seed%2 == 0})
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(prog.Frames), 700)
			require.Equal(t, len(prog.Frames), prog.Items.Frames())
			require.NoError(t, journal(prog.Items))
		}
	}
	for _, n := range []int{0, -1, 20_000_000} {
		_, err := Generate(Config{Params: preset.Tiny, Packets: n})
		assert.Error(t, err)
	}
}

// journal holds items to what a bench can drive; cosim/journal has the same bounds, and is out of reach here.
func journal(l stimulus.List) error {
	for i, it := range l {
		switch {
		case it.Kind == stimulus.KindFrame && (len(it.Data) == 0 || len(it.Data) > 65535):
			return fmt.Errorf("item %d: %d bytes", i, len(it.Data))
		case it.Kind == stimulus.KindStall && it.Permille > 1000, it.Kind == stimulus.KindLatency && it.Lo > it.Hi:
			return fmt.Errorf("item %d: %+v", i, it)
		}
	}
	return nil
}

// TestHorizon: no psn is a quarter of the serial space away from the ones of its path before it, path starts aside.
func TestHorizon(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		prog := program(t, seed, 2000)
		type place struct {
			conn uint16
			path uint8
		}
		base, frame := map[place]uint32{}, 0
		args := map[uint16]uint32{}
		for _, it := range prog.Items {
			switch it.Kind {
			case stimulus.KindWrite:
				args[it.Addr] = it.Value
				if it.Addr == event.RegCmdOp && event.Command(it.Value) == event.CommandPathSet {
					base[place{uint16(args[event.RegCmdConn]), uint8(args[event.RegCmdPath])}] = args[event.RegCmdPsn]
				}
			case stimulus.KindFrame:
				f := &prog.Frames[frame]
				frame++
				p := &f.Packet
				if !f.Proper || wire.Kinds[p.Op].Psn != wire.PsnAndTsn || !wire.Kinds[p.Op].Side.Receiver() {
					continue
				}
				b, open := base[place{p.ConnIndex(), p.Path}]
				if off := int32(p.Psn - b); open && (off >= 1<<30 || off < -1<<30) {
					t.Fatalf("seed %d, frame %d: psn %#x, path started at %#x", seed, frame, p.Psn, b)
				}
			}
		}
	}
}

// TestStreamsOfNumbersAreTheirOwn: a draw more from one stream moves no other.
func TestStreamsOfNumbersAreTheirOwn(t *testing.T) {
	draws := func(extra bool) []uint64 {
		g := &gen{cfg: Config{Seed: 5}, streams: map[string]*sim.Random{}}
		var list []uint64
		for range 10 {
			list = append(list, g.rnd("length").Uint64())
			if extra {
				g.rnd("delay").Uint64()
			}
		}
		return list
	}
	assert.Equal(t, draws(false), draws(true))
	g := &gen{cfg: Config{Seed: 5}, streams: map[string]*sim.Random{}}
	assert.NotEqual(t, g.rnd("a").Uint64(), g.rnd("b").Uint64())
}

// TestProfiles: every extreme is drawn by some of the first seeds.
func TestProfiles(t *testing.T) {
	seen := map[string]int{}
	for seed := uint64(1); seed <= 100; seed++ {
		p := draw(seed)
		for name, on := range map[string]bool{"spaced": p.Spaced, "hot path": p.Hot, "pressure": p.Pressure, "slow memory": p.Slow} {
			if on {
				seen[name]++
				assert.Contains(t, Describe(seed), name)
			}
		}
	}
	for _, name := range []string{"spaced", "hot path", "pressure", "slow memory"} {
		assert.Greater(t, seen[name], 3, name)
		assert.Less(t, seen[name], 60, name)
	}
}

// TestKindsOfTraffic: a few seeds have every kind of packet.
func TestKindsOfTraffic(t *testing.T) {
	ops, flags := map[wire.Opcode]int{}, map[string]int{}
	for seed := uint64(1); seed <= 6; seed++ {
		for _, f := range program(t, seed, 2000).Frames {
			p := &f.Packet
			ops[p.Op]++
			for name, on := range map[string]bool{"retransmission": p.R, "detour": p.D, "mark": p.Net.CE, "attempt": p.Attempt > 0, "wrong": !f.Proper, "query": p.Query, "vlan": p.Net.VLAN, "ipv6": p.Net.IPv6} {
				if on {
					flags[name]++
				}
			}
		}
	}
	for _, op := range []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest, wire.OpcodeAtomicRequest, wire.OpcodeFlush, wire.OpcodeProbe} {
		assert.Greater(t, ops[op], 5, op.String())
	}
	assert.Len(t, flags, 8, "%v", flags)
}
