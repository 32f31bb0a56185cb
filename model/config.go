package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
)

// Config is all that a run of the model depends on besides its stimulus. The zero value of a field is its default.
type Config struct {
	Preset string // tiny, small or full; "": tiny
	Seed   uint64 // of stalls and latencies

	// Latency of the stages; nil: pipe.DefaultLatency of the preset. &pipe.Latency{} is the ideal device.
	Latency *pipe.Latency
	// MemoryLo..MemoryHi is the answer latency of the memory port in cycles; both 0: 8.
	MemoryLo, MemoryHi uint64
	// Stalls by the name of the port: frame, memory, completion, ack, register.
	Stalls map[string]pipe.Stall
	// Bounds of what the receiver grants a device.
	Bounds conn.Bounds
}

// Rules of a Config.
const (
	maxLatency = 1 << 20 // cycles: what is longer would look like a device that hangs
	maxStall   = 1 << 15 // cycles of one stall
)

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("config: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem, joined; each is a *Problem.
func (c *Config) Validate() error {
	var all []error
	bad := func(field string, value any, rule string) {
		all = append(all, &Problem{field, fmt.Sprintf("%v", value), rule})
	}
	if _, ok := c.params(); !ok {
		bad("Preset", fmt.Sprintf("%q", c.Preset), "want one of "+strings.Join(presetNames(), ", "))
	}
	if c.MemoryHi < c.MemoryLo {
		bad("MemoryHi", c.MemoryHi, fmt.Sprintf("want at least MemoryLo, %d", c.MemoryLo))
	}
	if c.MemoryHi > maxLatency {
		bad("MemoryHi", c.MemoryHi, fmt.Sprintf("want at most %d cycles", maxLatency))
	}
	for p := range portCount {
		name := p.String()
		s, ok := c.Stalls[name]
		if !ok {
			continue
		}
		if s.Permille > 1000 {
			bad("Stalls."+name+".Permille", s.Permille, "want 0..1000")
		}
		if s.Permille > 0 && (s.Run == 0 || s.Run > maxStall) {
			bad("Stalls."+name+".Run", s.Run, fmt.Sprintf("want 1..%d cycles where Permille is not 0", maxStall))
		}
	}
	for _, name := range unknownPorts(c.Stalls) {
		bad("Stalls."+name, "given", "want a port: frame, memory, completion, ack, register")
	}
	if c.Bounds.Told > 0 && c.Bounds.Told < preset.AckTimer {
		bad("Bounds.Told", c.Bounds.Told, fmt.Sprintf("want at least the acknowledgement timer, %d", preset.AckTimer))
	}
	return errors.Join(all...)
}

// New returns the model as a device in cycles.
func New(c Config) (*pipe.Device, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	p, _ := c.params()
	cfg := pipe.Config{Params: p, Latency: pipe.DefaultLatency(p), Seed: c.Seed, MemoryLo: c.MemoryLo, MemoryHi: c.MemoryHi}
	if c.Latency != nil {
		cfg.Latency = *c.Latency
	}
	if c.MemoryHi == 0 {
		cfg.MemoryLo, cfg.MemoryHi = 8, 8
	}
	for port := range portCount {
		cfg.Stalls[port] = c.Stalls[port.String()]
	}
	return pipe.New(cfg)
}

// NewReceiver returns the model without cycles, to be told a device's order and time.
func NewReceiver(c Config) (*conn.Receiver, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	p, _ := c.params()
	r, err := conn.New(p)
	if err != nil {
		return nil, err
	}
	r.SetBounds(c.Bounds)
	return r, nil
}

const portCount = pipe.PortRegister + 1

func (c *Config) params() (preset.Params, bool) {
	if c.Preset == "" {
		return preset.Tiny, true
	}
	return preset.ByName(c.Preset)
}

func presetNames() []string {
	var names []string
	for _, p := range preset.All() {
		names = append(names, p.Name)
	}
	return names
}

// unknownPorts are the names that no port has, in order.
func unknownPorts(stalls map[string]pipe.Stall) []string {
	var names []string
	for name := range stalls {
		known := false
		for p := range portCount {
			known = known || p.String() == name
		}
		if !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
