package wave

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/internal/atomicfile"
)

// Files beside the dump.
const (
	GTKWaveFile = "wave.gtkw"
	SurferFile  = "wave.sucl"
)

// cyclePs is a cycle in the dump. In the first edge that it has, the counter stands at 0 for resetCycles more (cosim/dpi).
const (
	cyclePs     = 4000
	resetCycles = 8
)

// Time is when the counter reaches a cycle, in picoseconds of the dump: what is committed in that cycle is seen from there
// to the next edge.
func Time(cycle uint64) uint64 { return (cycle + resetCycles) * cyclePs }

// Save writes both files into the folder of a dump.
func Save(dir string, d *lockstep.Divergence) error {
	list := signals(d)
	return errors.Join(
		atomicfile.Write(filepath.Join(dir, GTKWaveFile), gtkwave(d, list)),
		atomicfile.Write(filepath.Join(dir, SurferFile), surfer(d, list)),
	)
}

// Flags of GTKWave's traces (analyzer.h): right-justified, with hexadecimal, decimal or binary values, and comments.
const (
	flagHex     = "@22"
	flagDecimal = "@24"
	flagBinary  = "@28"
	flagComment = "@200"
)

// zoom is GTKWave's, as a power of two: some 40 cycles beside each other. A view that would go beyond the end of the dump
// begins at its beginning instead.
const zoom = -15

func gtkwave(d *lockstep.Divergence, list []signal) []byte {
	var b strings.Builder
	at := Time(d.Cycle)
	begin := Time(max(d.WaveFrom, d.Cycle-min(d.Cycle, shownBefore)))
	// The dump is found where it was beside the save file: only how the two places lie to each other counts.
	fmt.Fprintf(&b, "[dumpfile] \"/%s\"\n[savefile] \"/%s\"\n[timestart] %d\n[size] 1600 1000\n[pos] -1 -1\n", journal.WaveFile, GTKWaveFile, begin)
	fmt.Fprintf(&b, "*%d.000000 %d%s\n[sst_expanded] 0\n[signals_width] 420\n", zoom, at, strings.Repeat(" -1", 26))
	for i := range list {
		s := &list[i]
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "%s\n-%s\n", flagComment, s.text)
		case s.part != nil:
			fmt.Fprintf(&b, "%s\n%s\n", flagOf(s.part.width), s.vector())
		case s.name == cycle:
			fmt.Fprintf(&b, "%s\n%s\n", flagDecimal, s.ranged())
		default:
			fmt.Fprintf(&b, "%s\n%s\n", flagOf(s.width), s.ranged())
		}
	}
	return []byte(b.String())
}

// shownBefore is how many cycles before the divergence a viewer begins.
const shownBefore = 25

func flagOf(width int) string {
	if width == 1 {
		return flagBinary
	}
	return flagHex
}

// ranged is a signal as a dump calls it.
func (s *signal) ranged() string {
	if s.width == 1 {
		return s.name
	}
	return fmt.Sprintf("%s[%d:0]", s.name, s.width-1)
}

// vector is a slice as GTKWave has it: a name, and the bits that it is made of, the highest first. Bits of a vector are
// counted from its left end.
func (s *signal) vector() string {
	var b strings.Builder
	name := signal{name: strings.ReplaceAll(s.part.name, ".", "_"), width: s.part.width} // behind a dot GTKWave takes it for a scope
	fmt.Fprintf(&b, "#{%s}", name.ranged())
	for i := s.part.width - 1; i >= 0; i-- {
		fmt.Fprintf(&b, " (%d)%s", s.width-1-(s.part.low+i), s.ranged())
	}
	return b.String()
}

// surfer are commands; a vector that is shown in parts is shown whole there, once. Headings are one word each: whether a
// command takes more than one was not tried.
func surfer(d *lockstep.Divergence, list []signal) []byte {
	var b strings.Builder
	last := ""
	for i := range list {
		s := &list[i]
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "divider_add %s\n", strings.ReplaceAll(s.text, " ", "_"))
		case s.name != last:
			fmt.Fprintf(&b, "variable_add %s\n", s.name)
		}
		last = s.name
	}
	fmt.Fprintf(&b, "cursor_set %d\ngoto_cursor\n", Time(d.Cycle))
	return []byte(b.String())
}
