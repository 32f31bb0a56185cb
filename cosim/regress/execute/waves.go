package execute

import (
	"context"
	"fmt"
	"io"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/model/preset"
)

// Waves runs the case of a folder that was kept again, with waves of the cycles around its divergence, which stay in that
// folder. The sources have to be those that the run's simulator (binary) was built of: another device would be shown.
func Waves(ctx context.Context, c *plan.Case, root, binary, folder string, log io.Writer) (*lockstep.Divergence, error) {
	o, err := options(c, root)
	if err != nil {
		return nil, err
	}
	p, ok := preset.ByName(c.Preset)
	if !ok {
		return nil, fmt.Errorf("no preset %q", c.Preset)
	}
	now, err := rtl.Path(p, &o)
	if err != nil {
		return nil, err
	}
	if now != binary {
		return nil, fmt.Errorf("the sources of the RTL have changed since the run: its simulator is %s, theirs would be %s", binary, now)
	}
	o.Log = log
	return session.Waves(ctx, folder, o)
}
