package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// TestIdealNetworkReachesTheLimit: the formulas are those of a network that wastes nothing.
func TestIdealNetworkReachesTheLimit(t *testing.T) {
	ring := func(slices int, bytes uint64, pause sim.Picos) workload.Ring {
		return workload.Ring{Hosts: 8, Slices: slices, Bytes: bytes, Pause: pause}
	}
	cases := map[string]struct {
		of    builder
		limit sim.Picos // 0: whatever the formula says
	}{
		"one flow, one message":              {workload.Incast{Senders: 1, Bytes: 50_000}, 6 * sim.Microsecond},
		"one flow, one at a time":            {workload.Incast{Senders: 1, Bytes: 50_000, Count: 4}, 24 * sim.Microsecond},
		"one flow, two at a time":            {workload.Incast{Senders: 1, Bytes: 50_000, Count: 5, Depth: 2}, 18 * sim.Microsecond},
		"one flow, link always busy":         {workload.Incast{Senders: 1, Bytes: 500_000, Count: 5, Depth: 3}, 55 * sim.Microsecond},
		"incast":                             {workload.Incast{Senders: 127, Bytes: 2_000_000}, 5085 * sim.Microsecond},
		"permutation":                        {workload.Permutation{Hosts: 16, Bytes: 100_000, Seed: 3}, 7 * sim.Microsecond},
		"permutation by a shift":             {workload.Permutation{Hosts: 16, Bytes: 100_000, Shift: 5, Count: 3, Depth: 3}, 11 * sim.Microsecond},
		"all-to-all":                         {workload.AllToAll{Hosts: 9, Bytes: 50_000}, 13 * sim.Microsecond},
		"all-to-all, depth 1":                {workload.AllToAll{Hosts: 9, Bytes: 50_000, Depth: 1}, 48 * sim.Microsecond},
		"all-to-all, depth 3":                {workload.AllToAll{Hosts: 9, Bytes: 50_000, Depth: 3}, 0},
		"ring, whole chunks":                 {workload.RingAllReduce{Ring: ring(1, 50_000, 0)}, 14 * 6 * sim.Microsecond},
		"ring, slices that hide the latency": {workload.RingAllReduce{Ring: ring(8, 50_000, 0)}, (14*8 + 5) * sim.Microsecond},
		"ring, slices that do not":           {workload.RingAllReduce{Ring: ring(3, 50_000, 0)}, (14*6 + 2) * sim.Microsecond},
		"ring with reductions":               {workload.RingAllReduce{Ring: ring(2, 50_000, sim.Microsecond)}, 0},
		"all-gather":                         {workload.AllGather{Ring: ring(2, 50_000, 0)}, (7*6 + 1) * sim.Microsecond},
		"shuffled ring":                      {workload.AllGather{Ring: workload.Ring{Hosts: 8, Bytes: 50_000, Shuffle: true, Seed: 9}}, 42 * sim.Microsecond},
		"tree of two":                        {workload.TreeAllReduce{Hosts: 2, Slices: 3, Bytes: 50_000}, 14 * sim.Microsecond},
		"tree, one slice":                    {workload.TreeAllReduce{Hosts: 2, Bytes: 50_000}, 12 * sim.Microsecond},
		"storage, one client":                {workload.Storage{Clients: 1, Servers: 10, Request: 50, Bytes: 50_000, Think: sim.Microsecond}, 21_001_000},
		"storage, rounds":                    {workload.Storage{Clients: 1, Servers: 10, Request: 50, Bytes: 50_000, Rounds: 3}, 3 * 20_001_000},
		"storage, large requests":            {workload.Storage{Clients: 1, Servers: 10, Request: 50_000, Bytes: 50}, 20_001_000},
		"connections, all pairs":             {workload.Connections{Hosts: 8, Connections: 56, Bytes: 50_000}, 12 * sim.Microsecond},
		"connections, some":                  {workload.Connections{Hosts: 8, Connections: 20, Bytes: 50_000, Count: 4, Depth: 2}, 0},
		"across":                             {workload.Across{Sites: 2, Hosts: 4, Far: workload.Run{Bytes: 50_000, Count: 8, Depth: 8}}, 13 * sim.Microsecond},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := build(t, c.of)
			if c.limit > 0 {
				require.Equal(t, c.limit, g.Limit(at400))
			}
			require.Equal(t, g.Limit(at400), play(t, g, newIdeal(at400), watcher{}).end())
		})
	}
}

// TestBound: 50,000 B take 1 us, and 5 us more to arrive.
func TestBound(t *testing.T) {
	cases := []struct {
		name, text string
		bound      sim.Picos
	}{
		{"chain with a delay", "message a from=0 to=1 bytes=50000\nmessage from=1 to=2 bytes=50000 after=a delay=2us", 14 * sim.Microsecond},
		{"the longer of two", "message a from=0 to=1 bytes=50000\nmessage b from=2 to=3 bytes=100000\nmessage from=1 to=2 bytes=50000 after=a,b", 13 * sim.Microsecond},
		{"start", "message from=0 to=1 bytes=50000 at=4us", 10 * sim.Microsecond},
		{"start before what it waits for is done", "message a from=0 to=1 bytes=50000\nmessage from=1 to=2 bytes=50000 after=a at=4us", 12 * sim.Microsecond},
		{"into a host", "message from=0 to=2 bytes=100000\nmessage from=1 to=2 bytes=100000", 9 * sim.Microsecond},
		{"out of a host", "message from=2 to=0 bytes=100000\nmessage from=2 to=1 bytes=100000", 9 * sim.Microsecond},
	}
	for _, c := range cases {
		g, err := workload.Parse(c.name, c.text)
		require.NoError(t, err)
		require.Equal(t, c.bound, g.Bound(at400), c.name)
		require.Equal(t, c.bound, play(t, g, newIdeal(at400), watcher{}).end(), c.name)
	}
}

// anyBuilder draws one of all workloads, small.
func anyBuilder(t *rapid.T) builder {
	small := func(name string) int { return rapid.IntRange(1, 5).Draw(t, name) }
	hosts := rapid.IntRange(2, 9).Draw(t, "hosts")
	bytes := rapid.Uint64Range(1, 1_000_000).Draw(t, "bytes")
	pause := rapid.SampledFrom([]sim.Picos{0, 1, sim.Microsecond}).Draw(t, "pause")
	spread := rapid.SampledFrom([]sim.Picos{0, 0, 10 * sim.Microsecond}).Draw(t, "spread")
	seed := rapid.Uint64().Draw(t, "seed")
	ring := workload.Ring{Hosts: hosts, Slices: small("slices"), Bytes: bytes, Pause: pause, Spread: spread, Shuffle: rapid.Bool().Draw(t, "shuffle"), Seed: seed}
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		return workload.Incast{Senders: hosts, Bytes: bytes, Count: small("count"), Depth: small("depth"), Spread: spread, Seed: seed}
	case 1:
		return workload.Permutation{Hosts: hosts, Bytes: bytes, Count: small("count"), Depth: small("depth"), Spread: spread, Seed: seed}
	case 2:
		return workload.AllToAll{Hosts: hosts, Bytes: bytes, Depth: small("depth") - 1, Spread: spread, Seed: seed}
	case 3:
		return workload.RingAllReduce{Ring: ring}
	case 4:
		return workload.AllGather{Ring: ring}
	case 5:
		return workload.TreeAllReduce{Hosts: hosts, Slices: small("slices"), Bytes: bytes, Trees: 1 + small("trees")%2, Pause: pause, Spread: spread,
			Shuffle: ring.Shuffle, Seed: seed}
	case 6:
		servers := small("servers")
		return workload.Storage{Clients: small("clients"), Servers: servers, Fan: rapid.IntRange(0, servers).Draw(t, "fan"), Request: rapid.Uint64Range(0, 100_000).Draw(t, "request"),
			Bytes: bytes, Rounds: small("rounds"), Think: pause, Spread: spread, Seed: seed}
	case 7:
		return workload.Connections{Hosts: hosts, Connections: rapid.IntRange(1, hosts*(hosts-1)).Draw(t, "connections"), Bytes: bytes, Count: small("count"),
			Depth: small("depth"), Spread: spread, Seed: seed}
	default:
		return workload.Across{Sites: 2 + small("sites")%2, Hosts: hosts, Far: workload.Run{Bytes: bytes, Count: small("count"), Depth: small("depth")},
			Near: workload.Run{Bytes: bytes % 7, Count: small("near"), Depth: small("depth near")}, Spread: spread, Seed: seed}
	}
}

// TestNothingIsFasterThanItsLimit: no run of any workload ends before its limit, and no formula is below the bound that
// holds for every graph.
func TestNothingIsFasterThanItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(t, anyBuilder(t))
		l := workload.Link{Mbps: rapid.Uint64Range(1000, 1_000_000).Draw(t, "Mb/s"), Latency: sim.Picos(rapid.Uint64Range(0, 20_000_000).Draw(t, "latency"))}
		end := play(t, g, newIdeal(l), watcher{}).end()
		slack := sim.Picos(g.Messages()) // each message's time is rounded up by itself, their sum once
		require.LessOrEqual(t, g.Limit(l), end+slack)
		require.LessOrEqual(t, g.Bound(l), end+slack)
	})
}
