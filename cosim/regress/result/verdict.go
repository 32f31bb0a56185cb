package result

import "metaroce/tandem/cosim/lockstep"

// Verdict is what a test came to.
type Verdict string

// Verdicts. The first five are those of lockstep, with its exit codes; the others are the runner's.
const (
	Match        Verdict = "match"
	Divergence   Verdict = "divergence"
	Bench        Verdict = "bench"        // the bench or the stimulus failed: nothing is said about the device
	Inconclusive Verdict = "inconclusive" // nothing, or not enough, was compared
	Unsupported  Verdict = "unsupported"  // the device can never do this
	Crash        Verdict = "crash"        // a process of the test ended of itself, or for want of memory
	Timeout      Verdict = "timeout"      // a limit passed: wall, stall or cycles, as the signature's kind says
	Lost         Verdict = "lost"         // it was given out and no result came back
	Skipped      Verdict = "skipped"      // it was not begun: the run was interrupted, or ended at a failure
)

// verdicts are all of them, with the exit code that a run has which knows nothing worse. Order: what a reader has to know
// first comes last.
var verdicts = []struct {
	v    Verdict
	code lockstep.Result
}{
	{Match, lockstep.Match},
	{Skipped, lockstep.BenchFailed},
	{Inconclusive, lockstep.Inconclusive},
	{Unsupported, lockstep.Unsupported},
	{Lost, lockstep.BenchFailed},
	{Bench, lockstep.BenchFailed},
	{Timeout, lockstep.BenchFailed},
	{Crash, lockstep.BenchFailed},
	{Divergence, lockstep.Diverged},
}

// Verdicts lists all, from good to bad.
func Verdicts() []Verdict {
	list := make([]Verdict, len(verdicts))
	for i := range verdicts {
		list[i] = verdicts[i].v
	}
	return list
}

// Rank orders verdicts: a greater one has to be known first. -1: no verdict.
func (v Verdict) Rank() int {
	for i := range verdicts {
		if verdicts[i].v == v {
			return i
		}
	}
	return -1
}

// Exit is the result, and so the exit code, of a run whose worst test has this verdict.
func (v Verdict) Exit() lockstep.Result {
	if i := v.Rank(); i >= 0 {
		return verdicts[i].code
	}
	return lockstep.BenchFailed
}

// Of is the verdict of a run in lockstep.
func Of(r lockstep.Result) Verdict {
	switch r {
	case lockstep.Match:
		return Match
	case lockstep.Diverged:
		return Divergence
	case lockstep.Inconclusive:
		return Inconclusive
	case lockstep.Unsupported:
		return Unsupported
	}
	return Bench
}

// Worst is the verdict of a run; of none: Inconclusive, because nothing was compared.
func Worst(list []Record) Verdict {
	if len(list) == 0 {
		return Inconclusive
	}
	worst := Match
	for i := range list {
		if v := list[i].Verdict; v.Rank() > worst.Rank() {
			worst = v
		}
	}
	return worst
}
