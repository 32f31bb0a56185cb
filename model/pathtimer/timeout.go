package pathtimer

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// Timeout is the RTO of a path, without back-off: mean and four times the variation of its round trip, and never less than
// what a healthy path can take.
func Timeout(cfg *preset.Tuning, in *event.PathTimerIn) uint32 {
	rto := uint64(in.Srtt) + 4*uint64(in.Rttvar)
	if in.Srtt == 0 {
		rto = uint64(cfg.RtoFirst) * uint64(in.Base)
	}
	slack := max(uint64(cfg.RtoGaps)*uint64(in.Gap), uint64(in.Base)>>cfg.RtoSlackShift)
	floor := max(uint64(cfg.RtoMin), uint64(in.Base)+slack)
	return uint32(min(max(rto, floor), uint64(cfg.RtoMax)))
}

// backedOff doubles the timeout with each expiry behind the first ones.
func backedOff(cfg *preset.Tuning, row *event.PathTimerPath, rto uint32) uint32 {
	expired := uint32(row.Expired)
	return uint32(min(uint64(rto)<<(expired-min(expired, cfg.BackOffFrom)), uint64(cfg.RtoMax)))
}

// interval is the time from the n-th proposal of a failed path to the next.
func interval(cfg *preset.Tuning, n, base uint32) uint32 {
	first := max(uint64(cfg.ProbeMin), uint64(cfg.ProbeMinRtts)*uint64(base))
	most := max(first, uint64(cfg.ProbeCeilRtts)*uint64(base))
	return uint32(min(first<<(n-min(n, 1)), most, uint64(cfg.RtoMax)))
}
