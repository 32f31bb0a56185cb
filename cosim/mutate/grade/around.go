package grade

import (
	"context"

	"metaroce/tandem/cosim/mutate"
	"metaroce/tandem/vectors/block"
)

// around gives the mutants around the steps the vectors of the receive side in lockstep, and behind them the rest, until
// one kills them. With an error there are the mutants that are through.
func (o *Options) around(ctx context.Context) ([]Mutant, error) {
	var stimuli []mutate.Stimulus
	for _, v := range o.Vectors {
		if block.ByName(v.Kind) == nil {
			stimuli = append(stimuli, mutate.Stimulus{Name: v.Name, Seed: v.Seed, Items: v.Program().Items})
		}
	}
	asked := o.Around * len(o.Blocks)
	report, err := mutate.Run(ctx, mutate.Options{
		Root: o.Root, Stimuli: append(stimuli, o.Lockstep...), Blocks: o.Blocks, Count: o.Around, Seed: o.Seed, Workers: o.Workers, Log: o.Log,
		Begin: func(mutants int) { o.expect(1, mutants-asked) },
		Done:  func(r mutate.Result) { o.done(ofAround(r)) },
	})
	if report == nil {
		return nil, err
	}
	list := make([]Mutant, len(report.Results))
	for i, r := range report.Results {
		list[i] = ofAround(r)
	}
	return list, err
}

func ofAround(r mutate.Result) Mutant {
	m := Mutant{Part: Around, Mutant: r.Mutant, State: Survived, Note: r.Proof}
	switch r.State {
	case mutate.Caught:
		m.State, m.Rule, m.Vector, m.At, m.Field, m.Note = Killed, r.Rule, r.Stimulus, r.Cycle, r.Field, ""
		m.Killers = []string{r.Stimulus}
		if r.Rule == "" {
			m.Note = r.Line
		}
	case mutate.Proven:
		m.State = Equal
	case mutate.Unseen, mutate.Ignored:
		m.Note = string(r.State) + "; " + r.Proof
	}
	return m
}
