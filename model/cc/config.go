package cc

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/preset"
)

// Config is what windows and pace depend on beside what is exchanged at open.
type Config struct {
	Tuning      preset.Tuning
	PortMbps    uint32 // own port, all planes: no window is larger than it can fill
	PacketBytes uint32 // full packet on the wire
}

// Ranges of a Config and of what a connection is opened with.
const (
	minMbps     = 10000 // below, the gap at the least hint would not fit 31 bits
	maxPortMbps = 8 * 1600000
	maxBaseRTT  = 1 << 24 // ticks, 67 ms
	maxWindow   = 1 << 30 // bytes
	maxPacket   = preset.MaxFrame + 24
)

// Problem is one thing that is wrong with a Config, or with what a connection is opened with.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string { return fmt.Sprintf("cc: %s is %s: %s", p.Field, p.Value, p.Rule) }

type problems []error

func (all *problems) within(field string, v, lo, hi uint64, unit string) {
	if v < lo || v > hi {
		*all = append(*all, &Problem{field, fmt.Sprint(v), fmt.Sprintf("want %d..%d %s", lo, hi, unit)})
	}
}

// Validate returns every problem, joined; those of the tuning are *preset.Problem, all others *Problem.
func (c *Config) Validate() error {
	all := problems{c.Tuning.Validate()}
	all.within("PortMbps", uint64(c.PortMbps), minMbps, maxPortMbps, "Mb/s")
	all.within("PacketBytes", uint64(c.PacketBytes), 64, maxPacket, "bytes")
	return errors.Join(all...)
}

// Engine is the step with the values that a Config gives its registers. It has no state of its own.
type Engine struct {
	tuning    preset.Tuning
	port      uint64 // Mb/s
	packet    uint32 // bytes
	floor     uint32 // bytes: least window
	allowance uint32 // bytes in flight without a hint
	announced uint32 // and behind an announcement
	pathMax   uint32 // largest part of its share that a path's window takes, 1/2^15
}

// byteTick is the Mb/s that carry a byte in each tick.
const byteTick = 8_000_000 / preset.TickPs

// New returns the engine of a device.
func New(c Config) (*Engine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Engine{tuning: c.Tuning, port: uint64(c.PortMbps), packet: c.PacketBytes,
		floor: c.Tuning.WindowFloor * c.PacketBytes, allowance: c.Tuning.Allowance * c.PacketBytes, announced: c.Tuning.Announced * c.PacketBytes,
		pathMax: min(c.Tuning.PathEighths<<(pathBits-3), 1<<16-1)}, nil
}

// CheckOpen returns every problem of what a connection is to be opened with: in.Rate, in.BaseRtt, in.Active. A step
// of op open relies on it.
func (e *Engine) CheckOpen(rateMbps, baseRTT uint32, active uint8) error {
	var all problems
	all.within("rate", uint64(rateMbps), minMbps, maxPortMbps, "Mb/s")
	all.within("base_rtt", uint64(baseRTT), 16, maxBaseRTT, "ticks")
	all.within("active", uint64(active), 1, 64, "paths")
	window := min(uint64(rateMbps), e.port) * uint64(baseRTT) / byteTick * uint64(e.tuning.WindowEighths) / 8
	all.within("window", window, 0, maxWindow, "bytes: rate x base_rtt x window_eighths / 8 must fit")
	return errors.Join(all...)
}
