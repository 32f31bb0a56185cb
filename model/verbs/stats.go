package verbs

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// PathState is what the sender thinks of a path.
type PathState uint8

// States of a path.
const (
	PathActive  = PathState(pathtimer.Active)
	PathSuspect = PathState(pathtimer.Suspect) // takes no new data, is asked
	PathFailed  = PathState(pathtimer.Failed)  // did not answer: other ports are tried
)

// String is the name of the state.
func (s PathState) String() string { return [...]string{"active", "suspect", "failed"}[s] }

// PathStats is a path of a connection as its sender sees it. Window, InFlight: bytes on the wire. Counts since the
// connection was opened, modulo 2^32.
type PathStats struct {
	Path          int
	Plane         int // by which it leaves now
	Home          int // plane to which it belongs
	State         PathState
	InUse         bool      // new data goes by it; a small window feeds fewer paths than are active
	Sport         uint16    // UDP source port: its entropy; 0 before the first packet
	RTT, RTTVar   sim.Picos // smoothed; 0 before the first sample
	RTO           sim.Picos // timeout without back-off
	Window        uint32
	InFlight      uint32
	Lost          int // packets that wait to be sent again
	Sent          uint32
	Retransmitted uint32
	Timeouts      uint32
}

// PlaneStats sums up the paths of a connection that leave by a plane now, as they are and with what they counted before.
type PlaneStats struct {
	Plane         int
	Paths         int
	Active        int
	RTT           sim.Picos // least of its active paths, 0 before the first sample
	Window        uint64
	InFlight      uint64
	Sent          uint64
	Retransmitted uint64
	Timeouts      uint64
}

// Paths tells about every path of an established connection; ErrNotConnected where there is none.
func (c *Conn) Paths() ([]PathStats, error) {
	nic := c.dev.nic
	shape, err := nic.Shape(c.index)
	if err != nil || c.state == connGone || c.state == connOpening {
		return nil, ErrNotConnected
	}
	all := make([]PathStats, shape.Paths)
	for i := range all {
		v, err := nic.Path(c.index, uint8(i))
		if err != nil {
			panic("verbs BUG: a path of an open connection: " + err.Error())
		}
		all[i] = pathStats(i, &v)
	}
	return all, nil
}

func pathStats(i int, v *endpoint.PathView) PathStats {
	return PathStats{
		Path: i, Plane: int(v.Plane), Home: int(v.Home), State: PathState(v.State), InUse: v.Feeds, Sport: v.Sport,
		RTT: ticks(v.Srtt), RTTVar: ticks(v.Rttvar), RTO: ticks(v.Rto), Window: v.Window, InFlight: v.Inflight, Lost: int(v.Lost),
		Sent: v.Sent, Retransmitted: v.Repeated, Timeouts: v.Timeouts,
	}
}

func ticks(n uint32) sim.Picos { return sim.Picos(n) * preset.TickPs }

// Planes tells about every plane of the device as the connection uses it.
func (c *Conn) Planes() ([]PlaneStats, error) {
	paths, err := c.Paths()
	if err != nil {
		return nil, err
	}
	all := make([]PlaneStats, c.dev.planes)
	for i := range all {
		all[i].Plane = i
	}
	for i := range paths {
		all[paths[i].Plane].add(&paths[i])
	}
	return all, nil
}

func (s *PlaneStats) add(p *PathStats) {
	s.Paths++
	if p.State == PathActive {
		s.Active++
		if p.RTT > 0 && (s.RTT == 0 || p.RTT < s.RTT) {
			s.RTT = p.RTT
		}
	}
	s.Window += uint64(p.Window)
	s.InFlight += uint64(p.InFlight)
	s.Sent += uint64(p.Sent)
	s.Retransmitted += uint64(p.Retransmitted)
	s.Timeouts += uint64(p.Timeouts)
}
