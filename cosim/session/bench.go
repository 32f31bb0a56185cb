package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/vectors/stimulus"
)

// BenchOptions describe a measurement of what lockstep costs.
type BenchOptions struct {
	Config   target.Config // Preset, Seed
	Stimulus stimulus.List
	RTL      rtl.Options
	Cases    []BenchCase
	Rounds   int // of all cases; 0: 5
	// Progress, if not nil, is told of every single run.
	Progress func(round, run int, name string, rate float64)
}

// BenchCase is one way of running in lockstep.
type BenchCase struct {
	Mode  target.Mode
	Batch int // transactions a write
}

// Name is how a table calls it.
func (c BenchCase) Name() string { return fmt.Sprintf("%v, %d a write", c.Mode, c.Batch) }

// DefaultCases are both modes at 1, 16, 64, 256 and 1,024 transactions a write.
func DefaultCases() []BenchCase {
	var l []BenchCase
	for _, m := range []target.Mode{target.ModeDigest, target.ModeFull} {
		for _, n := range []int{1, 16, 64, 256, 1024} {
			l = append(l, BenchCase{m, n})
		}
	}
	return l
}

// BenchReport is what was measured. Ratios are to the plain run: the same binary, the same stimulus, the same seed, no
// host, no socket, no records.
type BenchReport struct {
	Preset       string     `json:"preset"`
	Cycles       uint64     `json:"cycles"` // with stimulus, of each run
	Transactions uint64     `json:"transactions"`
	PlainBest    float64    `json:"plain_best"` // device cycles a second
	PlainMedian  float64    `json:"plain_median"`
	Rows         []BenchRow `json:"rows"`
}

// BenchRow is one case. Best is best over best; Median is the median over rounds of the ratio to the mean of the two
// plain runs before and behind, which cancels what else the machine does. Both are wall time and need two idle cores;
// CPU does not: processor time of the plain simulator over that of the slower side in lockstep, best over best.
type BenchRow struct {
	Case   BenchCase `json:"case"`
	Best   float64   `json:"best"`
	Median float64   `json:"median"`
	CPU    float64   `json:"cpu"`
	Rate   float64   `json:"rate"`        // best, device cycles a second
	HostNs float64   `json:"host_ns"`     // processor time of this side an event, decoding, executing and comparing
	SimNs  float64   `json:"sim_more_ns"` // processor time of the simulator an event beyond the plain run
}

// EventsPerCycle is the density of the stimulus.
func (r *BenchReport) EventsPerCycle() float64 { return float64(r.Transactions) / float64(r.Cycles) }

// Bench measures. Every lockstep run must match; one that does not ends the measurement.
func Bench(ctx context.Context, o BenchOptions) (*BenchReport, error) {
	dir, err := os.MkdirTemp("", "tandem-bench-")
	if err != nil {
		return nil, target.Fail("run folder", err, "cannot make one")
	}
	defer os.RemoveAll(dir)
	b := &bench{o: &o, dir: dir, file: filepath.Join(dir, journal.StimulusFile), rep: &BenchReport{Preset: o.Config.Preset}}
	b.o.RTL.RunDir = dir
	if err := journal.WriteStimulus(b.file, o.Stimulus); err != nil {
		return nil, err
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	for _, x := range []*[][]float64{&b.rates, &b.ratios, &b.simCPU, &b.hostCPU} {
		*x = make([][]float64, len(o.Cases))
	}
	for round := range o.Rounds {
		if err := b.round(ctx, round); err != nil {
			return nil, err
		}
	}
	return b.report(), nil
}

type bench struct {
	o      *BenchOptions
	dir    string
	file   string
	rep    *BenchReport
	plain  []float64
	rates  [][]float64
	ratios [][]float64

	plainCPU        []float64 // seconds
	simCPU, hostCPU [][]float64
}

func (b *bench) round(ctx context.Context, round int) error {
	before, err := b.runPlain(ctx, round, 0)
	if err != nil {
		return err
	}
	for i, c := range b.o.Cases {
		rate, err := b.runCase(ctx, i, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		b.progress(round, 2*i+1, c.Name(), rate)
		after, err := b.runPlain(ctx, round, 2*i+2)
		if err != nil {
			return err
		}
		b.rates[i] = append(b.rates[i], rate)
		b.ratios[i] = append(b.ratios[i], rate/((before+after)/2))
		before = after
	}
	return nil
}

func (b *bench) progress(round, run int, name string, rate float64) {
	if b.o.Progress != nil {
		b.o.Progress(round, run, name, rate)
	}
}

func (b *bench) runPlain(ctx context.Context, round, run int) (float64, error) {
	r, err := rtl.Plain(ctx, b.o.RTL, b.o.Config, b.file)
	if err != nil {
		return 0, err
	}
	b.rep.Cycles = r.Cycles - r.From
	b.plain = append(b.plain, r.Rate())
	b.plainCPU = append(b.plainCPU, r.CPU.Seconds())
	b.progress(round, run, "plain", r.Rate())
	return r.Rate(), nil
}

// runCase is one lockstep run, from the first record that arrives to the last that was compared.
func (b *bench) runCase(ctx context.Context, i int, c BenchCase) (float64, error) {
	cfg := b.o.Config
	cfg.Mode, cfg.Batch = c.Mode, c.Batch
	p, err := lockstep.Params(cfg.Preset)
	if err != nil {
		return 0, err
	}
	m, err := conn.New(p)
	if err != nil {
		return 0, err
	}
	m.SetBounds(lockstep.Bounds(b.o.Stimulus))
	d := &stopwatch{Device: rtl.New(b.o.RTL)}
	defer d.Close()
	r := lockstep.Run{Name: "bench", Device: d, Config: cfg, Stimulus: b.o.Stimulus, Model: m}
	before := hostCPU()
	v := r.Do(ctx)
	b.hostCPU[i] = append(b.hostCPU[i], (hostCPU() - before).Seconds())
	_ = d.Close()
	b.simCPU[i] = append(b.simCPU[i], d.CPU().Seconds())
	if v.Result != lockstep.Match {
		return 0, errors.New(v.Line)
	}
	b.rep.Transactions = v.Transactions
	return float64(b.rep.Cycles) / d.took.Seconds(), nil
}

func (b *bench) report() *BenchReport {
	b.rep.PlainBest, b.rep.PlainMedian = slices.Max(b.plain), median(b.plain)
	for i, c := range b.o.Cases {
		best, plain := slices.Max(b.rates[i]), slices.Min(b.plainCPU)
		sim, host := slices.Min(b.simCPU[i]), slices.Min(b.hostCPU[i])
		b.rep.Rows = append(b.rep.Rows, BenchRow{
			Case: c, Best: best / b.rep.PlainBest, Median: median(b.ratios[i]), CPU: plain / max(sim, host), Rate: best,
			HostNs: host * 1e9 / float64(b.rep.Transactions), SimNs: (sim - plain) * 1e9 / float64(b.rep.Transactions),
		})
	}
	return b.rep
}

// hostCPU is the processor time of this process so far.
func hostCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// stopwatch times a device from its first batch to its end.
type stopwatch struct {
	*rtl.Device
	begin time.Time
	took  time.Duration
}

// Drain starts and stops the watch.
func (s *stopwatch) Drain(ctx context.Context) ([]byte, error) {
	b, err := s.Device.Drain(ctx)
	if s.begin.IsZero() {
		s.begin = time.Now()
	}
	if errors.Is(err, io.EOF) {
		s.took = time.Since(s.begin)
	}
	return b, err
}
