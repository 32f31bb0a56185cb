package suite

import (
	"context"
	"fmt"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenario"
)

// Group says where a job comes from.
type Group string

// Groups, in the order of a report.
const (
	Scenario Group = "scenario"
	Random   Group = "random"
	Capture  Group = "capture"
)

// Job is one run to be done.
type Job struct {
	Name   string
	Group  Group
	Preset string
	Seed   uint64
	Rerun  string // one line that repeats it
	Note   string // for people
	// Trouble says that the stimulus is not what it should be; nil: it is.
	Trouble *Trouble
	// Make makes stimulus and expectations when the job's turn comes: all of them at once would not fit. It ends early
	// with the context.
	Make func(context.Context) (*compose.Program, []observe.Expectation, error)

	frames int // of a capture
}

// Trouble is a capture that could not be read to its end.
type Trouble struct {
	What    string
	Foreign bool // nothing of it can be fed: link type
}

// Result is what a job with this trouble comes to at best.
func (t *Trouble) Result() lockstep.Result {
	if t.Foreign {
		return lockstep.Unsupported
	}
	return lockstep.BenchFailed
}

// Skip says whether the job has trouble and nothing that can be run all the same.
func (j *Job) Skip() bool { return j.Trouble != nil && j.frames == 0 }

// TouchName is how the job of FromTouch is called.
const TouchName = "touch"

// FromTouch is a job that uses every path of a preset once, and both ends of every table.
func FromTouch(presetName string, seed uint64) (Job, error) {
	params, err := tables(presetName)
	if err != nil {
		return Job{}, err
	}
	return Job{Name: TouchName, Group: Scenario, Preset: presetName, Seed: seed, Make: func(context.Context) (*compose.Program, []observe.Expectation, error) {
		p, messages, err := generate.Touch(params)
		want := uint64(messages)
		return p, []observe.Expectation{
			{Where: "touch", Text: fmt.Sprintf("completions=%d", want), What: observe.Count, Name: "completions", Lo: want, Hi: want},
			{Where: "touch", Text: "drops=0", What: observe.Count, Name: "drops"},
			{Where: "touch", Text: "mem=ok", What: observe.MemoryOK},
		}, err
	}}, nil
}

// FromScenario is the job of a parsed scenario. The preset is the one it needs, else the one given.
func FromScenario(f *scenario.File, name, presetName string, seed uint64) (Job, error) {
	if p := f.Preset(); p != "" {
		if _, ok := preset.ByName(p); ok { // else Compile says where it stands
			presetName = p
		}
	}
	params, err := tables(presetName)
	if err != nil {
		return Job{}, err
	}
	return Job{Name: name, Group: Scenario, Preset: presetName, Seed: seed, Make: func(ctx context.Context) (*compose.Program, []observe.Expectation, error) {
		c, err := scenario.Compile(f, scenario.Options{Params: params, Seed: seed, Name: name, Stop: ctx.Err})
		if err != nil {
			return nil, nil, err
		}
		return c.Program, c.Expect, nil
	}}, nil
}

// FromSeed is a job of random traffic.
func FromSeed(presetName string, seed uint64, packets int, stalls bool) (Job, error) {
	params, err := tables(presetName)
	if err != nil {
		return Job{}, err
	}
	name := "random"
	return Job{Name: name, Group: Random, Preset: presetName, Seed: seed, Note: generate.Describe(seed), Make: func(ctx context.Context) (*compose.Program, []observe.Expectation, error) {
		p, err := generate.Generate(generate.Config{Params: params, Seed: seed, Packets: packets, Stalls: stalls, Stop: ctx.Err})
		return p, nil, err
	}}, nil
}

// FromFrames is a job that feeds frames of which nothing is known. Nothing of them may reach memory.
func FromFrames(name, presetName string, seed uint64, frames [][]byte) (Job, error) {
	params, err := tables(presetName)
	if err != nil {
		return Job{}, err
	}
	return Job{Name: name, Group: Capture, Preset: presetName, Seed: seed, frames: len(frames), Make: func(context.Context) (*compose.Program, []observe.Expectation, error) {
		b := compose.NewBuilder(name, params)
		for _, f := range frames {
			b.Raw(0, f)
		}
		return b.Program, nil, nil
	}}, nil
}

// tables finds the sizes of a preset.
func tables(name string) (preset.Params, error) {
	p, ok := preset.ByName(name)
	if !ok {
		return p, fmt.Errorf("preset %q: there are tiny, small and full", name)
	}
	return p, nil
}
