package bridge

import (
	"errors"
	"fmt"
	"time"

	"metaroce/tandem/cosim/target"
)

// PresetParam is one parameter that a device was built with.
type PresetParam struct {
	Name  string
	Value uint64
}

// Terms are what both sides must agree on before cycle 0, and the limits of the run.
type Terms struct {
	Schema      uint64
	Preset      string
	Params      []PresetParam
	Seed        uint64
	ClockPs     uint64
	QuietCycles uint64
	Mode        target.Mode
	Batch       int           // transactions a write, 1..1024
	Stall       time.Duration // longest silence of the device
	// Runs tells whether the device's process waits for a processor or a disk; nil: nobody knows. If it does, the machine is too
	// busy and the device is not to blame: it is given BusyFactor times as long.
	Runs func() bool
}

// BusyFactor is how many times longer everything may take on a machine that is too busy.
const BusyFactor = 16

// busy tells whether a silence is still to be borne.
func (t *Terms) busy(silent time.Duration) bool { return t.bears(silent, t.Stall) }

// bears tells whether what should take so long at most may go on.
func (t *Terms) bears(took, most time.Duration) bool {
	return t.Runs != nil && took < BusyFactor*most && t.Runs()
}

// DefaultStall leaves time to report and reap within two seconds of the peer's last sign of life.
const DefaultStall = 1500 * time.Millisecond

func (t *Terms) fill() error {
	if t.Batch == 0 {
		t.Batch = 256
	}
	if t.Batch < 1 || t.Batch > 1024 {
		return fmt.Errorf("batch of %d transactions: 1 to 1024 are possible", t.Batch)
	}
	if t.Stall <= 0 {
		t.Stall = DefaultStall
	}
	if t.QuietCycles == 0 {
		t.QuietCycles = 20000
	}
	if t.ClockPs == 0 {
		return errors.New("clock period of 0 ps")
	}
	return nil
}

// credit is how many transactions may be on their way. With the batch being gathered they must fit the device's ring,
// else a second look could find the wrong one gone.
func (t *Terms) credit() int { return target.RingTransactions - t.Batch }

// check names every difference between what the device says and the terms.
func (t *Terms) check(h *Hello) error {
	var errs []error
	differ := func(what string, device, host any) {
		errs = append(errs, fmt.Errorf("%s is %v in the device, %v here", what, device, host))
	}
	if h.Protocol != Protocol {
		differ("bridge protocol", h.Protocol, Protocol)
	}
	if h.Schema != t.Schema {
		errs = append(errs, fmt.Errorf("schema (model/spec) is %016x in the device, %016x here (bin/tandem and the simulator are of different model/spec: make build)", h.Schema, t.Schema))
	}
	if h.Preset != t.Preset {
		differ("preset", h.Preset, t.Preset)
	}
	device := map[string]uint64{}
	for _, p := range h.Params {
		device[p.GetName()] = p.GetValue()
	}
	for _, p := range t.Params {
		v, ok := device[p.Name]
		if !ok {
			differ("parameter "+p.Name, "missing", p.Value)
		} else if v != p.Value {
			differ("parameter "+p.Name, v, p.Value)
		}
		delete(device, p.Name)
	}
	for _, p := range h.Params {
		if _, left := device[p.GetName()]; left {
			differ("parameter "+p.GetName(), p.GetValue(), "unknown")
		}
	}
	if h.Seed != t.Seed {
		differ("seed", h.Seed, t.Seed)
	}
	if h.ClockPs != t.ClockPs {
		differ("clock period in ps", h.ClockPs, t.ClockPs)
	}
	if h.Ring < target.RingTransactions {
		differ("ring of whole transactions", h.Ring, target.RingTransactions)
	}
	return errors.Join(errs...)
}
