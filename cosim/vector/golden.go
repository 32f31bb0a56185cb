package vector

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
)

// Seeds and sizes of the golden set.
const (
	goldenSeed    = 1
	goldenPreset  = "tiny"
	spreadPackets = 60
	spreadIdle    = 40 // seeds without a new bin, until no more are tried
	randomFirst   = 5000
	randomCount   = 48
	randomPackets = 40
)

// onTime names what is left out. drop-room shows a packet buffer that is full for as long as memory hardly answers, which time
// decides wherever waits are put; so does random/5017, which settles on the model but not on the RTL with every seed.
// counters-raced writes counters in the very cycles in which they count. Lockstep, where the device tells the time, runs
// all of them; see docs/vectors.md.
var onTime = []string{"directed/drop-room", "directed/counters-raced", "random/5017"}

// Part is a file of the golden set.
type Part struct {
	Path string // below vectors/golden
	Make func(ctx context.Context) ([]*mrv.Vector, error)
}

// Golden lists the parts of the golden set, in the order of their paths.
func Golden() []Part {
	var parts []Part
	for i := range block.Engines {
		e := &block.Engines[i]
		parts = append(parts, Part{e.Name + "/steps.mrv", func(context.Context) ([]*mrv.Vector, error) { return e.Vectors(goldenSeed), nil }})
	}
	return append(parts,
		Part{"parse/mutations.mrv", func(ctx context.Context) ([]*mrv.Vector, error) { return Broken(ctx, goldenPreset) }},
		Part{"receive/directed.mrv", directed},
		Part{"receive/random.mrv", random},
		Part{"receive/traffic.mrv", func(ctx context.Context) ([]*mrv.Vector, error) {
			return Spread(ctx, goldenPreset, goldenSeed, spreadPackets, spreadIdle)
		}},
		Part{"receive/window.mrv", func(ctx context.Context) ([]*mrv.Vector, error) { return Reach(ctx, goldenPreset, goldenSeed) }},
	)
}

// GoldenParts picks parts by path; none: all.
func GoldenParts(paths []string) ([]Part, error) {
	all := Golden()
	if len(paths) == 0 {
		return all, nil
	}
	var parts []Part
	var names []string
	for _, p := range all {
		names = append(names, p.Path)
		if slices.Contains(paths, p.Path) {
			parts = append(parts, p)
		}
	}
	var errs []error
	for _, p := range paths {
		if !slices.Contains(names, p) {
			errs = append(errs, fmt.Errorf("part %q: there are %s", p, strings.Join(names, ", ")))
		}
	}
	return parts, errors.Join(errs...)
}

// directed makes a vector of every written scenario.
func directed(ctx context.Context) ([]*mrv.Vector, error) {
	names, err := fs.Glob(scenarios.Files, "*.scn")
	if err != nil {
		return nil, err
	}
	var list []*mrv.Vector
	var errs []error
	for _, file := range names {
		name := "directed/" + strings.TrimSuffix(file, ".scn")
		if slices.Contains(onTime, name) {
			continue
		}
		text, err := scenarios.Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := scenario.Parse(file, text)
		if err == nil {
			var v *mrv.Vector
			v, err = FromText(ctx, f, name, goldenPreset, goldenSeed, true)
			list = append(list, v)
		}
		errs = append(errs, err)
	}
	return list, errors.Join(errs...)
}

func random(ctx context.Context) ([]*mrv.Vector, error) {
	var list []*mrv.Vector
	for i := range uint64(randomCount) {
		seed := randomFirst + i
		name := fmt.Sprintf("random/%d", seed)
		if slices.Contains(onTime, name) {
			continue
		}
		v, err := FromSeed(ctx, name, goldenPreset, seed, randomPackets, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// NewFile puts vectors into a file made by this program.
func NewFile(list []*mrv.Vector) *mrv.File {
	return &mrv.File{Vectors: list, Header: mrv.Header{Schema: mrv.Schema, Spec: fmt.Sprintf("%016x", event.SchemaHash), Model: block.Fingerprint(), Generator: mrv.Generator}}
}

// MakeAll makes the parts, on some workers side by side. What comes of it does not depend on their number.
func MakeAll(ctx context.Context, parts []Part, workers int) ([]*mrv.File, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	files, errs := make([]*mrv.File, len(parts)), make([]error, len(parts))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(workers, len(parts)) {
		wg.Go(func() {
			for i := range next {
				list, err := parts[i].Make(ctx)
				if errs[i] = err; err != nil {
					continue
				}
				for _, v := range list {
					v.ID = v.Identify()
				}
				files[i] = NewFile(list)
			}
		})
	}
	for i := range parts {
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil { // what the parts say then is of no interest
		return nil, Interrupted(ctx)
	}
	for i, err := range errs {
		var mistakes scenario.Errors
		switch {
		case errors.As(err, &mistakes): // they name their file
			errs[i] = mistakes
		case err != nil && !strings.Contains(err.Error(), parts[i].Path):
			errs[i] = fmt.Errorf("%s: %w", parts[i].Path, err)
		}
	}
	return files, errors.Join(errs...)
}

// Interrupted is the error of what was ended from outside before it was done.
func Interrupted(ctx context.Context) error {
	return target.Fail("host", ctx.Err(), "interrupted")
}

// OtherRevision says in a line if a file was made by another model or definition; "" if not. It may hold all the same.
func OtherRevision(h mrv.Header) string {
	now := NewFile(nil).Header
	switch {
	case h.Model != now.Model:
		return fmt.Sprintf("note: made with model %s, this is %s: steps do other things", h.Model, now.Model)
	case h.Spec != now.Spec:
		return fmt.Sprintf("note: made with model/spec %s, this is %s", h.Spec, now.Spec)
	}
	return ""
}
