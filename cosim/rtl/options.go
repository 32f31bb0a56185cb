package rtl

import (
	"fmt"
	"io"
)

// Options choose a simulator build and how it is started.
type Options struct {
	// Root is the checkout with rtl/ and cosim/dpi/; empty: found from the working directory upwards (FindRoot).
	Root string
	// Binary is a simulator built elsewhere, or with another tool; empty: built from Root with Verilator.
	Binary string
	// CacheDir keeps builds; empty: Root/build/sim.
	CacheDir string
	// RunDir holds the socket, sim.log and waves of the run; it exists. Empty: a temporary directory.
	RunDir string
	// Plusargs go to the simulator as they are, e.g. "+bug=window_edge".
	Plusargs []string
	// Defines and Parameters change the build (and so its cache key): planted faults, odd latencies.
	Defines    []string
	Parameters map[string]int
	// Sources replaces files of the build by name relative to Root, for mutants: netlist instead of source.
	Sources map[string]string
	// Trace builds with FST and dumps the cycles TraceFrom..TraceTo into RunDir/wave.fst.
	Trace              bool
	TraceFrom, TraceTo uint64
	// Coverage builds a simulator that counts, and CoverageFile, absolute, is what it writes when it ends in good order.
	Coverage     Coverage
	CoverageFile string
	// Log gets one line when a build begins; nil: none. What the tools print is in the cache beside the binary.
	Log io.Writer
}

// Coverage is what a simulator counts.
type Coverage string

// Kinds of coverage, each with all that is cheaper. How much they cost is in docs/howto/coverage.md.
const (
	NoCoverage Coverage = ""
	Lines      Coverage = "line"   // lines of source, arms of if and case
	Toggles    Coverage = "toggle" // bits of signals that rose and fell
)

func (c Coverage) flags() []string {
	switch c {
	case Lines:
		return []string{"--coverage-line"}
	case Toggles:
		return []string{"--coverage-line", "--coverage-toggle"}
	}
	return nil
}

// extra says what makes a build take longer than usual; empty: nothing.
func (o *Options) extra() string {
	switch {
	case o.Trace:
		return " with waves, which takes a minute or two"
	case o.Coverage != NoCoverage:
		return fmt.Sprintf(" with coverage (%s), which takes longer", o.Coverage)
	}
	return ""
}
