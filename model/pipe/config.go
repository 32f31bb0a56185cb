package pipe

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// Latency is the time of each hop in cycles, from the commit of the engine before to the commit of this one with
// nothing in the way. Notice and timer count from the cycle in which they may fire.
type Latency struct {
	Parse    uint64 // last beat of a frame to admit
	Command  uint64 // write of CMD_OP to admit
	Window   uint64 // admit to window
	Key      uint64 // window to key
	Recv     uint64 // key to recv
	Message  uint64 // recv to message
	Issue    uint64 // message to the first read of the packet buffer and through to the memory port
	Single   uint64 // that much more when one beat of the buffer holds all of the write
	Answer   uint64 // answer of the port to place
	Empty    uint64 // message to place, or to the end of the pipeline, of what makes no write
	Fault    uint64 // place to message
	Complete uint64 // place to complete
	Run      uint64 // complete to the next of its run
	Coalesce uint64 // window to coalesce
	Timer    uint64 // due to fired
	Ack      uint64 // request to build
	Packet   uint64 // build to its first beat out
	Out      uint64 // complete to the completion
	Done     uint64 // place to command_done
}

// DefaultLatency is how long the stages of the RTL take in a preset: the look-up of the table plus the registers and
// queues on both sides of it.
func DefaultLatency(p preset.Params) Latency {
	ram := uint64(p.RamLatency)
	engine := ram + 1
	return Latency{
		Parse: 2*ram + 6, Command: 2*ram + 1,
		Window: engine, Key: engine, Recv: engine, Message: engine, Issue: 3, Single: 1, Answer: ram + 2, Empty: ram + 2, Fault: engine,
		Complete: engine, Run: engine, Coalesce: engine, Timer: engine, Ack: engine, Packet: 3, Out: 1, Done: 1,
	}
}

// Port is a stream of the device whose other side is the bench.
type Port uint8

// Ports that the bench can stall. The frame port cannot stall the bench: PortFrame puts idle cycles into a frame.
const (
	PortFrame Port = iota
	PortMemory
	PortCompletion
	PortAck
	PortRegister
	ports
)

var portNames = [ports]string{"frame", "memory", "completion", "ack", "register"}

// String is the port's name, which is also the name of its random stream.
func (p Port) String() string {
	if p < ports {
		return portNames[p]
	}
	return fmt.Sprintf("port(%d)", uint8(p))
}

// Stall is how a port is held up: in a cycle without a stall one begins with Permille/1000 and lasts 1..Run cycles.
type Stall struct {
	Permille uint16
	Run      uint16
}

// Config is what a device is made of.
type Config struct {
	Params  preset.Params
	Latency Latency
	Seed    uint64
	// MemoryLo..MemoryHi is the latency of the memory port's answer in cycles, drawn per write.
	MemoryLo, MemoryHi uint64
	Stalls             [ports]Stall
	// InFlight is the number of writes that wait for their answer at most; 0: 64.
	InFlight int
}

// hops are the latencies by engine, and the order in which the pipeline's add up when an engine has no work.
type hops struct {
	at    [256]uint64 // latency of the hop into a kind
	place [256]int    // place of a kind in the pipeline, from 1; 0: not of it
}

var pipeline = [...]event.Kind{
	event.KindAdmit, event.KindWindow, event.KindKey, event.KindRecv, event.KindMessage, event.KindMemWrite, event.KindPlace,
}

func newHops(l *Latency) hops {
	var h hops
	h.at[event.KindWindow], h.at[event.KindKey], h.at[event.KindRecv] = l.Window, l.Key, l.Recv
	h.at[event.KindMessage], h.at[event.KindMemWrite], h.at[event.KindPlace] = l.Message, l.Issue, l.Empty
	for i, k := range pipeline {
		h.place[k] = i + 1
	}
	return h
}

// between is the latency from the commit of one engine of the pipeline to that of another behind it: engines without
// work for the descriptor still pass it on; the memory port does not see it. 0 from what is not of the pipeline.
func (h *hops) between(from, to event.Kind) uint64 {
	if h.place[from] == 0 {
		return 0
	}
	sum := uint64(0)
	for i := h.place[from]; i < h.place[to]; i++ {
		if k := pipeline[i]; k != event.KindMemWrite || k == to {
			sum += h.at[k]
		}
	}
	return sum
}
