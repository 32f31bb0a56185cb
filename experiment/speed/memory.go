package speed

import (
	"fmt"

	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Memory is what a connection holds with one long Write under way and its window full, over a round trip of 10 us at
// 400 Gb/s: at 8 paths both ends and a stream are bounded, beyond them the sender without its streams, which are as many as
// are used.
type Memory struct {
	Paths    int    `json:"paths"`
	InFlight int    `json:"in_flight"` // packets
	Sender   int    `json:"sender"`    // bytes
	Receiver int    `json:"receiver"`
	Streams  int    `json:"streams"` // one stream, both ends
	Most     int    `json:"most"`    // of both at 8 paths, of the sender beyond
	Missing  string `json:"missing,omitempty"`
}

// Bounds of a connection, in bytes.
const (
	mostOfBoth   = 8 << 10 // at fewPaths
	fewPaths     = 8
	mostAnyway   = 1 << 10 // beyond, at the sender, below this and
	mostOfPath   = 112
	mostOfPacket = 16 // in flight
)

// MeasureMemory looks at connections of 8, 16, 32 and 64 paths.
func MeasureMemory() ([]Memory, error) {
	var list []Memory
	for _, paths := range []int{fewPaths, 16, 32, 64} {
		m, err := memoryOf(paths)
		if err != nil {
			return list, fmt.Errorf("memory of %d paths: %w", paths, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// memoryOf fills the window: at one time nothing comes back any more.
func memoryOf(paths int) (Memory, error) {
	const quiet = 200 * sim.Microsecond
	f := fabric.Default(fabric.SingleSwitch, 2)
	f.LinkDelay += (fabric.DefaultRTT - f.Diameter(4196, 128)) / 4
	f.Script = []fabric.Change{{At: quiet, Kind: fabric.LinkDown, Low: 1, Way: fabric.Upwards}}
	net, err := fabric.New(f)
	if err != nil {
		return Memory{}, err
	}
	c := metaroce.Default()
	c.Paths, c.Streams, c.Tuning.SpreadPackets = paths, 0, 0 // all paths are used
	t, err := metaroce.New(net, &f, nil, c)
	if err != nil {
		return Memory{}, err
	}
	for i, h := range t.Hosts() {
		net.Attach(i, h)
	}
	t.Post(0, workload.Message{Src: 0, Dst: 1, Bytes: 1 << 30})
	net.Run(quiet + fabric.DefaultRTT + fabric.DefaultRTT/4) // before a timeout
	m := Memory{Paths: paths}
	var sends, receives int
	m.Sender, sends, m.InFlight = t.NIC(0).Memory(0)
	m.Receiver, receives, _ = t.NIC(1).Memory(0)
	m.Streams = sends + receives
	m.judge()
	return m, nil
}

func (m *Memory) judge() {
	held, what := m.Sender+m.Receiver+m.Streams, "both ends"
	m.Most = mostOfBoth
	if m.Paths > fewPaths {
		held, what = m.Sender, "the sender"
		m.Most = mostAnyway + mostOfPath*m.Paths + mostOfPacket*m.InFlight
	}
	if bdp := fabric.DefaultBdp / 4196; m.InFlight < bdp {
		m.Missing = fmt.Sprintf("%d packets in flight, at least %d: the window is not full", m.InFlight, bdp)
	} else if held >= m.Most {
		m.Missing = fmt.Sprintf("%d B at %s, less than %d", held, what, m.Most)
	}
}
