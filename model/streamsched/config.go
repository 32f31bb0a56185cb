package streamsched

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/preset"
)

// Config is what the scheduler depends on.
type Config struct {
	Tuning      preset.Tuning
	PacketBytes uint32 // full packet on the wire: no packet cut is longer
	MsgSlots    int    // message slots of a stream
}

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("streamsched: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// maxPacket is a longest frame with FCS, preamble and gap.
const maxPacket = preset.MaxFrame + 24

// Validate returns every problem, joined; those of the tuning are *preset.Problem, all others *Problem.
func (c *Config) Validate() error {
	all := []error{c.Tuning.Validate()}
	if c.PacketBytes < 64 || c.PacketBytes > maxPacket {
		all = append(all, &Problem{"PacketBytes", fmt.Sprint(c.PacketBytes), fmt.Sprintf("want 64..%d bytes", maxPacket)})
	}
	if c.MsgSlots < 1 || c.MsgSlots > preset.MsgWindow || c.MsgSlots&(c.MsgSlots-1) != 0 {
		all = append(all, &Problem{"MsgSlots", fmt.Sprint(c.MsgSlots), fmt.Sprintf("want a power of two in 1..%d", preset.MsgWindow)})
	}
	return errors.Join(all...)
}

// Engine is the step with the values that a Config gives its registers. It has no state of its own.
type Engine struct {
	packet  uint32 // a turn ends when less is left
	quantum uint32
	slots   uint32
	last    uint8 // attempt behind which there is none
}

// New returns the engine of a device.
func New(c Config) (*Engine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Engine{packet: c.PacketBytes, quantum: c.Tuning.Quantum * c.PacketBytes, slots: uint32(c.MsgSlots),
		last: uint8(c.Tuning.AttemptLimit)}, nil
}

// Slot is the message row of a msn within its stream's.
func (e *Engine) Slot(msn uint32) uint32 { return msn & (e.slots - 1) }
