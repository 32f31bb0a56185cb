package nic

import (
	"fmt"
	"strings"
)

// Load is what a stage did since the device was made. Times are in cycles.
type Load struct {
	Stage   Stage
	Plane   int // of Parse and Build
	Packets uint64
	Bytes   uint64
	Busy    uint64 // it could not start, because of the packet before
	Blocked uint64 // it could have started, if there had been room behind it
	Waited  uint64 // all packets together, before they were started
	Queued  int    // most packets that waited at one of its inputs
}

// Occupancy is the part of a time, in permille, in which the stage was busy.
func (l *Load) Occupancy(cycles uint64) uint64 {
	if cycles == 0 {
		return 0
	}
	return l.Busy * 1000 / cycles
}

// Loads are those of all stages, in the order of Stage.
func (d *Device) Loads() []Load {
	var all []Load
	for id := range stages {
		for plane := range count(id, len(d.planes)) {
			all = append(all, d.onPlane(id, uint8(plane)).load)
		}
	}
	return all
}

// Cycles is how long the device has run.
func (d *Device) Cycles() uint64 { return uint64(d.now / d.cycle) }

// Overruns are the frames that found the queue before parse full.
func (d *Device) Overruns() uint64 { return d.overruns }

// Report is a table of the loads for a person: which stage is the narrow one, and who waits for it.
func (d *Device) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s %5s %8s %10s %8s %9s %8s %7s\n", "stage", "plane", "packets", "bytes", "busy", "blocked", "waited", "queued")
	for _, l := range d.Loads() {
		if l.Packets == 0 {
			continue
		}
		busy := l.Occupancy(d.Cycles())
		fmt.Fprintf(&b, "%-9v %5d %8d %10d %5d.%d %% %9d %8d %7d\n",
			l.Stage, l.Plane, l.Packets, l.Bytes, busy/10, busy%10, l.Blocked, l.Waited/l.Packets, l.Queued)
	}
	fmt.Fprintf(&b, "%d cycles, %d overruns\n", d.Cycles(), d.overruns)
	return b.String()
}
