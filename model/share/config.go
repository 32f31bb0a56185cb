package share

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/preset"
)

// Config is what the shares of a port depend on.
type Config struct {
	Tuning      preset.Tuning
	BaseRTT     uint32 // ticks: round trip without queues to a typical sender; epochs and lapses are counted in it
	PlaneMbps   uint32 // rate of one plane's link
	Planes      int    // planes of the port
	PacketBytes uint32 // full packet on the wire
}

// Ranges of a Config.
const (
	maxBaseRTT   = 1 << 24 // ticks, 67 ms: four of them are far below half the space of serial numbers
	minPlaneMbps = 10000
	maxPlaneMbps = 1600000
	maxPlanes    = 8 // bits of port.seen
	maxPacket    = preset.MaxFrame + 24
)

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("share: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem, joined; those of the tuning are *preset.Problem, all others *Problem.
func (c *Config) Validate() error {
	all := []error{c.Tuning.Validate()}
	within := func(field string, v, lo, hi int64, unit string) {
		if v < lo || v > hi {
			all = append(all, &Problem{field, fmt.Sprint(v), fmt.Sprintf("want %d..%d %s", lo, hi, unit)})
		}
	}
	within("BaseRTT", int64(c.BaseRTT), 16, maxBaseRTT, "ticks")
	within("PlaneMbps", int64(c.PlaneMbps), minPlaneMbps, maxPlaneMbps, "Mb/s")
	within("Planes", int64(c.Planes), 1, maxPlanes, "planes")
	within("PacketBytes", int64(c.PacketBytes), 64, maxPacket, "bytes")
	return errors.Join(all...)
}

// Engine is the step with the values that a Config gives its registers. It has no state of its own.
type Engine struct {
	baseRTT    uint32
	epoch      uint32 // ticks, without the part that grows with the senders
	sweep      uint32 // ticks of the epoch for each sender
	measureMin uint32 // ticks: a shorter time gives no rate
	join       uint32 // ticks from the first announcement to the answers
	lapse      uint32 // ticks without a packet after which a sender is let go
	margin     uint32 // ticks of that which the sender does not count
	watch      uint32 // ticks of silence of a plane
	evidence   uint16 // packets of other planes that make it evidence

	rateScale  uint64 // (bytes * rateScale) / (ticks * portMbps) is a demand in 1/2^20
	packetTime uint64 // packetTime / level is lapse_packets packet times in ticks
	portMbps   uint64
	planes     uint32
	headroom   uint32 // 1/1024
	moveShift  uint32
}

// byteTick is the Mb/s that carry a byte in each tick.
const byteTick = 8_000_000 / preset.TickPs

// New returns the engine of a port.
func New(c Config) (*Engine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := &c.Tuning
	e := &Engine{
		baseRTT: c.BaseRTT, epoch: max(1, c.BaseRTT>>t.EpochShift), sweep: t.SweepTicks,
		join: max(1, c.BaseRTT>>t.JoinShift), margin: t.LapseMargin * c.BaseRTT,
		watch: t.PlaneRtts * c.BaseRTT, evidence: uint16(t.PlanePackets * uint32(c.Planes)),
		rateScale: (1 << hintBits) * byteTick / 8 * uint64(t.DemandEighths),
		portMbps:  uint64(c.PlaneMbps) * uint64(c.Planes), planes: uint32(c.Planes),
		headroom: t.Headroom, moveShift: t.HintMoveShift,
	}
	e.measureMin = max(1, e.epoch/2)
	e.lapse = t.LapseRtts*c.BaseRTT + e.margin
	e.packetTime = uint64(t.LapsePackets) * uint64(c.PacketBytes) * (1 << hintBits) * byteTick / e.portMbps
	return e, nil
}
