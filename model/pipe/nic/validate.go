package nic

import (
	"errors"
	"fmt"
)

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string { return fmt.Sprintf("nic: %s is %s: %s", p.Field, p.Value, p.Rule) }

// Bounds of a Config.
const (
	maxCycles = 1 << 20 // of a latency
	maxDepth  = 1 << 16
	maxAhead  = 1 << 26 // bytes
)

// carriesBytes are the stages that the bytes of a packet pass.
var carriesBytes = [stages]bool{Parse: true, Write: true, Read: true, Build: true}

// Validate returns every problem, joined.
func (c *Config) Validate() error {
	var all []error
	within := func(field string, v, lo, hi uint32, unit string) {
		if v < lo || v > hi {
			all = append(all, &Problem{field, fmt.Sprint(v), fmt.Sprintf("want %d..%d %s", lo, hi, unit)})
		}
	}
	within("CyclePs", c.CyclePs, 100, 1_000_000, "ps")
	within("Ahead", c.Ahead, 0, maxAhead, "bytes")
	for i := range c.Stages {
		t, s := &c.Stages[i], Stage(i)
		field := func(name string) string { return fmt.Sprintf("Stages[%v].%s", s, name) }
		within(field("Latency"), t.Latency, 0, maxCycles, "cycles")
		within(field("Spread"), t.Spread, 0, maxCycles, "cycles")
		within(field("Interval"), t.Interval, 0, maxCycles, "cycles")
		within(field("InFlight"), t.InFlight, 0, maxDepth, "packets, 0 for no bound")
		if s == Pick {
			within(field("Depth"), t.Depth, 0, 0, "packets: what may be chosen waits at the connections")
		} else {
			within(field("Depth"), t.Depth, 1, maxDepth, "packets")
		}
		if carriesBytes[s] {
			within(field("Width"), t.Width, 0, maxDepth, "bytes a cycle, 0 for no bound")
		} else {
			within(field("Width"), t.Width, 0, 0, "bytes a cycle: it handles no bytes")
		}
		if t.Whole && t.Width == 0 {
			all = append(all, &Problem{field("Whole"), "true", "want a Width, by which the last byte is late"})
		}
		if s == Reply || s == Complete {
			within(field("Each"), t.Each, 0, maxCycles, "cycles")
		} else {
			within(field("Each"), t.Each, 0, 0, "cycles: it handles one thing a packet")
		}
	}
	return errors.Join(all...)
}
