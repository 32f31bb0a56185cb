package vector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/nic/capture"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/stimulus"
)

// Revision of the generators here: it changes when equal arguments give other vectors.
const Revision = "receive 1"

func params(name string) (preset.Params, error) {
	p, ok := preset.ByName(name)
	if !ok {
		return p, fmt.Errorf("preset %q: there are tiny, small and full", name)
	}
	return p, nil
}

func fresh(name, presetName string, s mrv.Source) *mrv.Vector {
	s.Revision = Revision
	return &mrv.Vector{Name: name, Kind: mrv.Receive, Preset: presetName, Seed: s.Seed, Requires: []string{"receive"}, Source: s}
}

// FromText makes a vector of a scenario: directed. What the text expects of counts and rows stays with the text; what it
// asks to see goes along. A text whose outcome hangs on time is refused, unless settle puts waits into it.
func FromText(ctx context.Context, f *scenario.File, name, presetName string, seed uint64, settle bool) (*mrv.Vector, error) {
	if n := f.Preset(); n != "" {
		presetName = n
	}
	p, err := params(presetName)
	if err != nil {
		return nil, err
	}
	c, err := scenario.Compile(f, scenario.Options{Params: p, Seed: seed, Name: name, Stop: ctx.Err})
	if err != nil {
		return nil, err
	}
	v := fresh(name, presetName, mrv.Source{Kind: "directed", Name: filepath.Base(f.Name), Seed: c.Seed})
	v.Title, v.Rules, v.Sees = c.Title, c.Covers, c.Sees
	for _, r := range c.Requires {
		if r != "receive" {
			v.Requires = append(v.Requires, r)
		}
	}
	for i := range v.Sees {
		v.Sees[i].Where = filepath.Base(v.Sees[i].Where)
	}
	v.FromProgram(c.Program)
	if settle {
		return v, settled(ctx, v)
	}
	return v, Bless(ctx, v)
}

// settled blesses a vector and says in its source how many waits that took.
func settled(ctx context.Context, v *mrv.Vector) error {
	waits, err := Settle(ctx, v)
	if waits > 0 {
		v.Source.Args = strings.TrimSpace(fmt.Sprintf("%s settled %d", v.Source.Args, waits))
	}
	return err
}

// FromSeed makes a vector of random traffic, held to some limits.
func FromSeed(ctx context.Context, name, presetName string, seed uint64, packets int, limits []generate.Limit) (*mrv.Vector, error) {
	p, err := params(presetName)
	if err != nil {
		return nil, err
	}
	prog, err := generate.Generate(generate.Config{Params: p, Seed: seed, Packets: packets, Limits: limits, Stop: ctx.Err})
	if err != nil {
		return nil, err
	}
	args := fmt.Sprintf("packets %d", packets)
	for _, l := range limits {
		args += fmt.Sprintf(" %s=%d", l.Name, l.Value)
	}
	v := fresh(name, presetName, mrv.Source{Kind: "random", Args: args, Seed: seed})
	v.Title = fmt.Sprintf("random traffic: %s", generate.Describe(seed))
	v.Rules = []string{"R-ADMIT", "R-WINDOW", "R-MESSAGE", "R-ORDER", "R-ACK"}
	v.FromProgram(prog)
	return v, settled(ctx, v)
}

// Recorded makes a program of stimulus of which only the bytes are known; frames that compose would make are lifted.
func Recorded(name string, items stimulus.List) *compose.Program {
	p := &compose.Program{Name: name, Items: items}
	for i := range items {
		if items[i].Kind != stimulus.KindFrame {
			continue
		}
		f := compose.Frame{}
		if pkt, ok := compose.Lift(items[i].Data); ok {
			f.Packet, f.Proper = *pkt, true
			_, f.Payload = pkt.Frame()
		}
		p.Frames = append(p.Frames, f)
	}
	return p
}

// FromCapture makes a vector that feeds the frames of a capture.
func FromCapture(ctx context.Context, file, presetName string) (*mrv.Vector, error) {
	if _, err := params(presetName); err != nil {
		return nil, err
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c, err := capture.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(c.Frames) == 0 {
		return nil, fmt.Errorf("%s: no frame in it", file)
	}
	var items stimulus.List
	for _, f := range c.Frames {
		items = append(items, stimulus.Item{Kind: stimulus.KindFrame, Data: f})
	}
	base := filepath.Base(file)
	v := fresh("capture/"+base, presetName, mrv.Source{Kind: "capture", Name: base})
	v.Title, v.Rules = "frames of "+base, []string{"R-ADMIT", "R-FRAME"}
	v.FromProgram(Recorded(v.Name, items))
	return v, settled(ctx, v)
}

// FromRun makes a vector of the stimulus of a recorded run, for instance of one that failed: what must be seen is what
// the model says, so the vector fails where the run did. Waits are put in only where settle says so: they may move what
// went wrong.
func FromRun(ctx context.Context, folder string, settle bool) (*mrv.Vector, error) {
	j, err := journal.Open(folder)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(folder)
	v := fresh("run/"+base, j.Meta.Config.Preset, mrv.Source{Kind: "run", Name: base, Args: j.Meta.Rerun, Seed: j.Meta.Config.Seed})
	v.Title, v.Rules = j.Meta.Name+" on "+j.Meta.Device, failedRule(folder)
	v.FromProgram(Recorded(v.Name, j.Stimulus))
	if settle {
		return v, settled(ctx, v)
	}
	err = Bless(ctx, v)
	var u *Unstable
	if errors.As(err, &u) {
		return nil, fmt.Errorf("%w. --settle puts waits in; `tandem replay %s` repeats the run as it was", err, folder)
	}
	return v, err
}

// failedRule is the rule of a recorded divergence.
func failedRule(folder string) []string {
	var verdict struct {
		Divergence *struct {
			Rule string `json:"rule"`
		} `json:"divergence"`
	}
	b, err := os.ReadFile(filepath.Join(folder, journal.VerdictFile))
	if err != nil || json.Unmarshal(b, &verdict) != nil || verdict.Divergence == nil || verdict.Divergence.Rule == "" {
		return nil
	}
	return []string{verdict.Divergence.Rule}
}
