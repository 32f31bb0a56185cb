package session

import (
	"context"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
)

// skew fills the verdict's comparison of times.
func skew(ctx context.Context, o *Options, m *modeltarget.SkewMeter, v *lockstep.Verdict) {
	rows, err := m.Rows(ctx, o.Config, o.Stimulus)
	if err != nil {
		v.NotCompared = append(v.NotCompared, "times: "+err.Error())
		return
	}
	for _, r := range rows {
		v.Skew = append(v.Skew, lockstep.SkewRow{
			Kind: r.Kind.String(), Events: r.Events, Unmatched: r.Unmatched, P50: r.P50, P99: r.P99, Max: r.Max,
			DeviceMean: r.DeviceMean, PredictMean: r.PredictMean,
		})
	}
}
