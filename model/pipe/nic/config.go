package nic

import (
	"fmt"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Stage is a part of the pipeline. Parse and Build are there once a plane.
type Stage uint8

// Stages, in the order of the way of a message and then of the way out.
const (
	Parse    Stage = iota // frames are checked and taken apart
	Admit                 // stations of the endpoint from here
	Window                // with coalesce
	Key                   //
	Recv                  //
	Message               //
	Write                 // to the host's memory: effect is its answer
	Place                 //
	Complete              //
	Slot                  //
	Answer                //
	Reply                 // ack_recv, loss_walk, cc, path_timer
	Pick                  // what goes next: ack, stream_sched, path_choice, xmit, cc. Its effects are at its start
	Read                  // of the host's memory
	Build                 // headers and ICRC
	stages
)

var stageNames = [stages]string{
	"parse", "admit", "window", "key", "recv", "message", "write", "place", "complete", "slot", "answer", "reply", "pick", "read", "build",
}

// String is the name of the stage in reports and problems.
func (s Stage) String() string {
	if s < stages {
		return stageNames[s]
	}
	return fmt.Sprintf("stage(%d)", uint8(s))
}

// Timing is what a stage takes.
type Timing struct {
	Latency  uint32 // cycles from start to effect
	Spread   uint32 // cycles more at most, drawn for each packet; effects stay in order
	Interval uint32 // cycles from one start to the next
	Width    uint32 // bytes a cycle: a packet of more of them holds up the next start for as long. 0: bytes take no time
	Whole    bool   // the effect waits for the last byte as well: store and forward
	Each     uint32 // Reply: cycles for each record that is walked. Complete: for each message released behind the first
	Depth    uint32 // packets that may wait at each input; those that the stage before has started with count
	InFlight uint32 // packets between start and effect at most; 0: no bound
}

// Config is the time that everything in a device takes.
type Config struct {
	CyclePs uint32 // length of a cycle
	Stages  [stages]Timing
	// Ahead is how many bytes of a plane may be on their way to its port before the uplink asks: what hides the latency of
	// the memory. 0: a packet is chosen when the uplink is free, and no earlier.
	Ahead uint32
	Seed  uint64 // of the spreads
}

// Immediate is a device in which nothing takes any time.
func Immediate() Config {
	c := Config{CyclePs: preset.TickPs}
	for s := range c.Stages {
		if Stage(s) != Pick {
			c.Stages[s].Depth = 1
		}
	}
	return c
}

// Default is a device at 1 GHz with 64 bytes a cycle in each plane and as much for all of them at its memory, which is as far
// away as one behind a PCIe link. Its engines are those of the RTL with a RAM latency of 2.
func Default(planes int) Config {
	c := Config{CyclePs: 1000, Ahead: 48 << 10}
	for s := range c.Stages {
		c.Stages[s] = Timing{Latency: 3, Interval: 1, Depth: 8}
	}
	bus := uint32(max(1, planes)) * 64
	c.Stages[Parse] = Timing{Latency: 10, Interval: 1, Width: 64, Whole: true, Depth: 256}
	c.Stages[Write] = Timing{Latency: 300, Spread: 100, Interval: 1, Width: bus, Whole: true, Depth: 8, InFlight: 512}
	c.Stages[Place].Depth, c.Stages[Answer].Depth = 512, 512 // a place for every write under way
	c.Stages[Complete].Each = 3
	c.Stages[Reply].Each = 1
	c.Stages[Reply].Depth = 64
	c.Stages[Pick] = Timing{Latency: 12, Interval: 1}
	c.Stages[Read] = Timing{Latency: 500, Spread: 200, Interval: 1, Width: bus, Whole: true, Depth: 64, InFlight: 512}
	c.Stages[Build] = Timing{Latency: 6, Interval: 1, Width: 64, Depth: 512} // likewise for reads
	return c
}

// Stages that a part of a Write passes until its message is complete, behind those of its sender; and those of its
// acknowledgement.
var (
	dataOut = [...]Stage{Pick, Read, Build}
	dataIn  = [...]Stage{Parse, Admit, Window, Key, Recv, Message, Write, Place, Complete}
	ackOut  = [...]Stage{Pick, Build}
	ackIn   = [...]Stage{Parse, Reply}
)

// RoundTrip is what devices at both ends add to the round trip of a packet of a Write with so much payload and its
// acknowledgement, when nothing is in the way: from where it is chosen up to window, where its acknowledgement becomes due,
// and from where that is built to where it is taken. With spreads it is the longest.
func (c *Config) RoundTrip(payload int) sim.Picos {
	data, ack := frame(wire.OpcodeWrite, payload), frame(wire.OpcodeAck, 0)
	window := 3 // of dataIn
	return c.way(dataOut[:], data, payload) + c.way(dataIn[:window], data, payload) + c.way(ackOut[:], ack, 0) + c.way(ackIn[:], ack, 0)
}

// Way is the time of a packet of a Write from the choice to send it to the uplink, and from its last bit to the release of
// its message, if it is the last of it and nothing is in the way. With spreads it is the longest.
func (c *Config) Way(payload int) (out, in sim.Picos) {
	bytes := frame(wire.OpcodeWrite, payload)
	return c.way(dataOut[:], bytes, payload), c.way(dataIn[:], bytes, payload)
}

func (c *Config) way(path []Stage, bytes, payload int) sim.Picos {
	sum := uint64(0)
	for _, s := range path {
		n := bytes
		if s == Read || s == Write {
			n = payload
		}
		sum += c.Stages[s].latency(s, uint32(n)) + uint64(c.Stages[s].Spread)
	}
	return sim.Picos(sum) * sim.Picos(c.CyclePs)
}

// frame is the length of a frame as the pipeline carries it, without FCS.
func frame(op wire.Opcode, payload int) int {
	return wire.Kinds[op].HeaderLen + (payload+3)&^3 + preset.IcrcBytes + frameHeaders
}

// beats is how many cycles so many bytes take.
func (t *Timing) beats(bytes uint32) uint64 {
	if t.Width == 0 {
		return 0
	}
	return (uint64(bytes) + uint64(t.Width) - 1) / uint64(t.Width)
}

// latency is the cycles from start to effect without spread. What has nothing to do with the memory only keeps its place.
func (t *Timing) latency(s Stage, bytes uint32) uint64 {
	if bytes == 0 && (s == Read || s == Write) {
		return 0
	}
	sum := uint64(t.Latency)
	if t.Whole {
		sum += t.beats(bytes)
	}
	return sum
}

// interval is the cycles from the start with a packet to the next.
func (t *Timing) interval(bytes uint32) uint64 { return max(uint64(t.Interval), t.beats(bytes)) }

// instant tells whether a stage takes no time whatever comes.
func (t *Timing) instant() bool {
	return t.Latency == 0 && t.Spread == 0 && t.Interval == 0 && t.Width == 0 && t.Each == 0
}
