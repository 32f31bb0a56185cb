package rtl

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
)

// PlainResult is what a run without host comes to.
type PlainResult struct {
	Cycles uint64 `json:"cycles"`
	From   uint64 `json:"from"`   // first cycle with stimulus: the tables are initialised
	RunNs  uint64 `json:"run_ns"` // from the first cycle with stimulus to the last
	Hung   bool   `json:"hung"`

	CPU time.Duration `json:"-"` // processor time of the whole process
}

// Rate is device cycles with stimulus a second.
func (p PlainResult) Rate() float64 { return float64(p.Cycles-p.From) / (float64(p.RunNs) / 1e9) }

// Plain runs a stimulus file with no host, no socket and no records: the speed that a bridge is measured against, and
// the second run that dumps waves (Options.Trace) of cycles TraceFrom..TraceTo into RunDir/wave.fst.
func Plain(ctx context.Context, opt Options, c target.Config, stimulusFile string) (PlainResult, error) {
	var r PlainResult
	p, ok := preset.ByName(c.Preset)
	if !ok {
		return r, &target.Unsupported{What: "preset " + c.Preset}
	}
	binary, err := Build(ctx, p, &opt)
	if err != nil {
		return r, err
	}
	args := append(SeedArgs(c.Seed), "+tandem_plain="+stimulusFile)
	if opt.Trace {
		args = append(args, fmt.Sprintf("+tandem_trace_from=%d", opt.TraceFrom), fmt.Sprintf("+tandem_trace_to=%d", opt.TraceTo),
			"+tandem_trace_file="+filepath.Join(opt.RunDir, journal.WaveFile))
	}
	proc, err := startLogged(opt.RunDir, "plain.log", binary, append(args, opt.Plusargs...))
	if err != nil {
		return r, err
	}
	defer proc.kill()
	select {
	case <-proc.gone:
	case <-ctx.Done():
		return r, target.Fail("host", ctx.Err(), "interrupted")
	case <-time.After(plainWait):
		return r, target.Fail("device", nil, "the run without host did not end within %v", plainWait)
	}
	if proc.err != nil {
		return r, target.Fail("device", nil, "the run without host %s", proc.fate())
	}
	if opt.Trace {
		return r, nil
	}
	line := proc.lastLine()
	for _, l := range strings.Split(proc.tail(), "\n") {
		if strings.HasPrefix(l, "{") {
			line = l
		}
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return r, target.Fail("device", err, "the run without host reported nothing")
	}
	r.CPU = proc.cpu()
	return r, nil
}

const plainWait = 10 * time.Minute
