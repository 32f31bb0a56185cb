package execute

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"metaroce/tandem/cosim/faults"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/model/preset"
)

// withFaults marks the simulator that has every planted fault in it.
const withFaults = "+faults"

// BinaryKey names the simulator that a case needs; empty: none.
func BinaryKey(c *plan.Case) string {
	switch {
	case c.Dut != "rtl" || !c.Lockstep():
		return ""
	case c.Fault != "":
		return c.Preset + withFaults
	case c.Coverage != "":
		return c.Preset + "+" + c.Coverage
	}
	return c.Preset
}

// Build makes all simulators that cases need, one after the other, or finds them in the cache. All cases of a run use
// these, whatever becomes of the sources meanwhile.
func Build(ctx context.Context, cases []plan.Case, root string, say func(key string), log io.Writer) (map[string]string, error) {
	var keys []string
	need := map[string]*plan.Case{}
	for i := range cases {
		if k := BinaryKey(&cases[i]); k != "" && need[k] == nil {
			need[k] = &cases[i]
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	binaries := map[string]string{}
	for _, k := range keys {
		if say != nil {
			say(k)
		}
		o, err := options(need[k], root)
		if err != nil {
			return nil, err
		}
		o.Log = log
		p, ok := preset.ByName(need[k].Preset)
		if !ok {
			return nil, fmt.Errorf("%s: no preset %q", need[k].ID(), need[k].Preset)
		}
		if binaries[k], err = rtl.Build(ctx, p, &o); err != nil {
			return nil, err
		}
	}
	return binaries, nil
}

// options are those of the simulator of a case, from sources.
func options(c *plan.Case, root string) (rtl.Options, error) {
	o := rtl.Options{Root: root, Coverage: rtl.Coverage(c.Coverage)}
	if c.Fault == "" {
		return o, nil
	}
	err := Plant(&o, c.Fault)
	return o, err
}

// Plant makes options those of the simulator with every planted fault in it, of which one is chosen.
func Plant(o *rtl.Options, fault string) error {
	f, err := faults.ByName([]string{fault})
	if err != nil {
		return err
	}
	if o.Root == "" {
		if o.Root, err = rtl.FindRoot(); err != nil {
			return err
		}
	}
	o.Plusargs = []string{faults.Plusarg(f[0].Number)}
	o.Sources, err = faults.Plant(o.Root, filepath.Join(o.Root, "build", "faults"), faults.All())
	return err
}

// simulator are the options of the run itself. With waves it is another simulator, which is built from the sources.
func (e *Env) simulator(c *plan.Case) (rtl.Options, error) {
	key := BinaryKey(c)
	if key == "" {
		return rtl.Options{}, nil
	}
	binary, ok := e.Binaries[key]
	if ok && !e.Waves {
		o := rtl.Options{Root: e.Root, Binary: binary}
		if c.Fault == "" {
			if e.Cover && c.Coverage != "" {
				o.CoverageFile = e.pointsFile()
			}
			return o, nil
		}
		f, err := faults.ByName([]string{c.Fault})
		if err != nil {
			return o, err
		}
		o.Plusargs = []string{faults.Plusarg(f[0].Number)}
		return o, nil
	}
	plain := *c
	plain.Coverage = "" // what is looked at is not counted
	o, err := options(&plain, e.Root)
	o.Log = e.Log
	return o, err
}
