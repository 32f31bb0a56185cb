package vector

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/mrv"
)

// Bounds of Measure, for 100,000 packets: processor time, so that a busy machine says the same.
const (
	LeastRate = 100_000         // packets a second of one core, made with what must be seen and written
	MostBytes = 6 << 20         // of the file
	MostCheck = 1 * time.Second // to read it back and check it
)

// Figures are what vectors cost.
type Figures struct {
	Packets int           `json:"packets"`
	Bytes   int           `json:"bytes"`
	Make    time.Duration `json:"make_ns"`  // traffic, what must be seen, file
	Check   time.Duration `json:"check_ns"` // file read, frames made, model run, compared
}

// Rate is how many packets a second a core makes.
func (f *Figures) Rate() float64 { return float64(f.Packets) / f.Make.Seconds() }

// Missing lists the bounds that are not met.
func (f *Figures) Missing() []string {
	var list []string
	if f.Rate() < LeastRate {
		list = append(list, fmt.Sprintf("%.0f packets a second are made, at least %d", f.Rate(), LeastRate))
	}
	if f.Bytes > MostBytes {
		list = append(list, fmt.Sprintf("the file has %d bytes, at most %d", f.Bytes, MostBytes))
	}
	if f.Check > MostCheck {
		list = append(list, fmt.Sprintf("reading back and checking takes %v, at most %v", f.Check, MostCheck))
	}
	return list
}

// Measure makes a vector of mixed traffic, writes it, reads it back and checks it, some times; the best of each counts.
// That it does not hang on time is not looked at here: that is proof, not generation.
func Measure(ctx context.Context, packets, rounds int) (*Figures, error) {
	f := &Figures{Make: 1<<63 - 1, Check: 1<<63 - 1}
	for range rounds {
		begin := processorTime()
		b, n, err := makeOnce(ctx, packets)
		if err != nil {
			return nil, err
		}
		f.Make, f.Packets, f.Bytes = min(f.Make, processorTime()-begin), n, len(b)
		begin = processorTime()
		file, err := mrv.Decode(b)
		if err != nil {
			return nil, err
		}
		if out := Check(ctx, file.Vectors[0], Options{Target: Blocks}); out.Result != lockstep.Match {
			return nil, fmt.Errorf("what was written does not hold: %s", out.Line)
		}
		f.Check = min(f.Check, processorTime()-begin)
	}
	return f, nil
}

func makeOnce(ctx context.Context, packets int) ([]byte, int, error) {
	p, err := params("tiny")
	if err != nil {
		return nil, 0, err
	}
	prog, err := generate.Generate(generate.Config{Params: p, Seed: 1, Packets: packets, Stop: ctx.Err})
	if err != nil {
		return nil, 0, err
	}
	v := fresh("measure", p.Name, mrv.Source{Kind: "random", Seed: 1})
	v.FromProgram(prog)
	seen, _, err := Run(ctx, v, Options{Target: Blocks})
	if err != nil {
		return nil, 0, err
	}
	v.Want = seen.Set
	v.Want.Hints = expect.Hints(prog.Items)
	b, err := mrv.Encode(NewFile([]*mrv.Vector{v}), 1)
	return b, len(prog.Frames), err
}

// processorTime is that of this process so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
