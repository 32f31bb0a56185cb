package sim

// Cycle counts device cycles from the end of reset. It never wraps in a run.
type Cycle uint64

// Picos is a time in picoseconds, for sums of cycles of clocks that differ.
type Picos uint64

// Picos returns the time of c cycles of a clock with the given period.
func (c Cycle) Picos(period Picos) Picos { return Picos(c) * period }

// Cycles returns the whole cycles of a clock with the given period that t holds; 0 for a period of 0.
func (t Picos) Cycles(period Picos) Cycle {
	if period == 0 {
		return 0
	}
	return Cycle(t / period)
}
