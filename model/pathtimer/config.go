package pathtimer

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// Config has the constants of the engine. Those in ticks are of 4 ns.
type Config struct {
	MinRto        uint32 // ticks: least timeout
	MaxRto        uint32 // ticks: longest timeout, backed off or not
	FirstRtoRtts  uint8  // timeout before a first sample, in round trips of the empty network
	RtoGaps       uint8  // pacing gaps by which the timeout stands above the round trip of the empty network at least
	SuspectAfter  uint8  // timeouts in a row that make a path suspect
	BackOffFrom   uint8  // timeouts in a row from which on the timeout doubles with each
	SuspectProbes uint8  // probes, one a timeout, before a suspect path is failed
	MoveProbes    uint8  // proposals, one a timeout, before a move is given up
	ProbeMin      uint32 // ticks: first interval between proposals of a failed path
	ProbeMinRtts  uint8  // the same in round trips of the empty network; the longer of the two holds
	ProbeCeilRtts uint8  // longest interval in round trips, where that is more than the first one
}

// Default has the values of model/spec/constant.tbl.
func Default() Config {
	return Config{
		MinRto: preset.RtoMin, MaxRto: preset.RtoMax, FirstRtoRtts: preset.RtoFirst, RtoGaps: preset.RtoGaps,
		SuspectAfter: preset.SuspectAfter, BackOffFrom: preset.BackOffFrom, SuspectProbes: preset.SuspectProbes,
		MoveProbes: preset.MoveProbes, ProbeMin: preset.ProbeMin, ProbeMinRtts: preset.ProbeMinRtts, ProbeCeilRtts: preset.ProbeCeilRtts,
	}
}

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value uint32
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("path timer: %s is %d: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem, joined; each is a *Problem.
func (c *Config) Validate() error {
	var all []error
	for _, f := range []struct {
		name  string
		value uint32
		may   preset.Range
	}{
		{"MinRto", c.MinRto, preset.RtoMinRange},
		{"MaxRto", c.MaxRto, preset.RtoMaxRange},
		{"FirstRtoRtts", uint32(c.FirstRtoRtts), preset.RtoFirstRange},
		{"RtoGaps", uint32(c.RtoGaps), preset.RtoGapsRange},
		{"SuspectAfter", uint32(c.SuspectAfter), preset.SuspectAfterRange},
		{"BackOffFrom", uint32(c.BackOffFrom), preset.BackOffFromRange},
		{"SuspectProbes", uint32(c.SuspectProbes), preset.SuspectProbesRange},
		{"MoveProbes", uint32(c.MoveProbes), preset.MoveProbesRange},
		{"ProbeMin", c.ProbeMin, preset.ProbeMinRange},
		{"ProbeMinRtts", uint32(c.ProbeMinRtts), preset.ProbeMinRttsRange},
		{"ProbeCeilRtts", uint32(c.ProbeCeilRtts), preset.ProbeCeilRttsRange},
	} {
		if !f.may.Has(f.value) {
			all = append(all, &Problem{f.name, f.value, fmt.Sprintf("want %d..%d", f.may.Lo, f.may.Hi)})
		}
	}
	if c.MaxRto < c.MinRto {
		all = append(all, &Problem{"MaxRto", c.MaxRto, fmt.Sprintf("want at least MinRto, %d", c.MinRto)})
	}
	return errors.Join(all...)
}

// Timeout is the RTO of a path, without back-off: mean and four times the variation of its round trip, and never less than
// what a healthy path can take.
func Timeout(cfg *Config, in *event.PathTimerIn) uint32 {
	rto := uint64(in.Srtt) + 4*uint64(in.Rttvar)
	if in.Srtt == 0 {
		rto = uint64(cfg.FirstRtoRtts) * uint64(in.Base)
	}
	floor := max(uint64(cfg.MinRto), uint64(in.Base)+uint64(cfg.RtoGaps)*uint64(in.Gap))
	return uint32(min(max(rto, floor), uint64(cfg.MaxRto)))
}

// backedOff doubles the timeout with each expiry behind the first ones.
func backedOff(cfg *Config, row *event.PathTimerPath, rto uint32) uint32 {
	doublings := row.Expired - min(row.Expired, cfg.BackOffFrom)
	return uint32(min(uint64(rto)<<doublings, uint64(cfg.MaxRto)))
}

// interval is the time from the n-th proposal of a failed path to the next.
func interval(cfg *Config, n uint8, base uint32) uint32 {
	first := max(uint64(cfg.ProbeMin), uint64(cfg.ProbeMinRtts)*uint64(base))
	most := max(first, uint64(cfg.ProbeCeilRtts)*uint64(base))
	return uint32(min(first<<(n-min(n, 1)), most, uint64(cfg.MaxRto)))
}
