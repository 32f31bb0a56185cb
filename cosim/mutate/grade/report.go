package grade

import (
	"cmp"
	"slices"

	"metaroce/tandem/cosim/mutate/yosys"
	"metaroce/tandem/vectors/mrv"
)

// State is what became of a mutant.
type State string

// States.
const (
	Killed   State = "killed"
	Equal    State = "equal"    // proven to have no effect
	Survived State = "survived" // it has an effect, or that it has none is not proven
)

// Part of a block.
type Part string

// Parts.
const (
	Step   Part = "step"   // what it decides: combinational, alone
	Around Part = "around" // tables, queues, look-ups, in the whole device
)

// Mutant is one change and what became of it.
type Mutant struct {
	Part Part `json:"part"`
	yosys.Mutant
	State   State     `json:"state"`
	Rule    string    `json:"rule,omitempty"`    // that names it; killed without one: a failure of the bench with a named cause
	Vector  string    `json:"vector,omitempty"`  // that kills it first
	At      uint64    `json:"at"`                // step of that vector, or cycle of its run
	Field   string    `json:"field,omitempty"`   // the first that differs
	Killers []string  `json:"killers,omitempty"` // all vectors that kill it; of the parts around, the first only
	Note    string    `json:"note,omitempty"`    // proof, or what tells a survivor apart
	Reason  string    `json:"reason,omitempty"`  // why a survivor may be one
	Step    *mrv.Step `json:"-"`                 // that a survivor gets wrong
}

// Gate of each block and of all, in percent.
const (
	GateKilled = 95
	GateEqual  = 10
)

// Block sums up.
type Block struct {
	Name     string `json:"name"`
	Mutants  int    `json:"mutants"`
	Equal    int    `json:"equal"`
	Killed   int    `json:"killed"`   // by a named rule
	Nameless int    `json:"nameless"` // killed by no rule
	Survived int    `json:"survived"`
}

// Effective are all but those proven to have no effect.
func (b *Block) Effective() int { return b.Mutants - b.Equal }

// Share of the effective mutants that are killed by a named rule, in percent.
func (b *Block) Share() float64 {
	if b.Effective() == 0 {
		return 0
	}
	return 100 * float64(b.Killed) / float64(b.Effective())
}

// Holds says whether enough are killed. Where no mutant has an effect, nothing was shown.
func (b *Block) Holds() bool {
	return b.Effective() > 0 && b.Killed*100 >= GateKilled*b.Effective()
}

// Vector is what one vector is good for.
type Vector struct {
	Name  string `json:"name"`
	Kills int    `json:"kills"`
	Alone int    `json:"alone"` // mutants that no other vector kills
}

// Report of a grading.
type Report struct {
	Seed    uint64    `json:"seed"`    // of Yosys' choice
	Steps   int       `json:"steps"`   // mutants of each step
	Around  int       `json:"around"`  // and of what is around each
	Planned int       `json:"planned"` // mutants of both sorts that were to be graded
	Partial bool      `json:"partial"` // not all of them are through, and nothing is known of the others
	Blocks  []Block   `json:"blocks"`
	All     Block     `json:"all"`
	Mutants []Mutant  `json:"mutants"`
	Vectors []Vector  `json:"vectors"` // of the steps: all that were given
	Unused  []*Waiver `json:"-"`       // waivers that nothing needed
}

// sum makes the blocks and the vectors of the mutants. given are the names of all vectors whose kills are all known.
func (r *Report) sum(given []string) {
	at := map[string]int{}
	r.All = Block{Name: "all"}
	for i := range r.Mutants {
		m := &r.Mutants[i]
		if _, ok := at[m.Block]; !ok {
			at[m.Block] = len(r.Blocks)
			r.Blocks = append(r.Blocks, Block{Name: m.Block})
		}
		for _, b := range []*Block{&r.Blocks[at[m.Block]], &r.All} {
			b.Mutants++
			switch {
			case m.State == Equal:
				b.Equal++
			case m.State == Survived:
				b.Survived++
			case m.Rule == "":
				b.Nameless++
			default:
				b.Killed++
			}
		}
	}
	vectors := map[string]*Vector{}
	for _, name := range given {
		vectors[name] = &Vector{Name: name}
	}
	for i := range r.Mutants {
		for _, name := range r.Mutants[i].Killers {
			if v := vectors[name]; v != nil {
				v.Kills++
				if len(r.Mutants[i].Killers) == 1 {
					v.Alone++
				}
			}
		}
	}
	for _, name := range given {
		r.Vectors = append(r.Vectors, *vectors[name])
	}
	slices.SortStableFunc(r.Vectors, func(a, b Vector) int { return cmp.Or(cmp.Compare(b.Alone, a.Alone), cmp.Compare(b.Kills, a.Kills)) })
}

// Failures says what the gate objects to; none: it holds.
func (r *Report) Failures() []string {
	var list []string
	if r.Partial { // shares of some mutants say nothing of all
		list = append(list, r.extent())
	}
	for i := range r.Blocks {
		if b := &r.Blocks[i]; !r.Partial && !b.Holds() {
			list = append(list, sprintf("%s: %d of %d effective mutants are killed by a named rule, %.1f %%; the gate is %d %%", b.Name, b.Killed, b.Effective(), b.Share(), GateKilled))
		}
	}
	if !r.Partial && r.All.Equal*100 > GateEqual*r.All.Mutants {
		list = append(list, sprintf("%d of %d mutants have no effect: more than %d %%, so too little is graded", r.All.Equal, r.All.Mutants, GateEqual))
	}
	for i := range r.Mutants {
		if m := &r.Mutants[i]; m.State == Survived && m.Reason == "" {
			list = append(list, "survived without a reason: "+m.Line())
		}
	}
	for _, w := range r.Unused {
		list = append(list, sprintf("%s: no survivor needs this any more: take it away", w))
	}
	if len(r.Mutants) == 0 {
		list = append(list, "nothing was graded")
	}
	return list
}
