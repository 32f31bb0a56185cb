package main

import (
	"fmt"
	"syscall"

	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/model/spec"
)

// sizes tells after --touch what tables of that size cost: bits, speed, memory.
func (a *app) sizes(r *suite.Report, name string) error {
	s, err := spec.Load(spec.Built())
	if err != nil {
		return err
	}
	for i := range s.Presets {
		if p := &s.Presets[i]; p.Name == name {
			fmt.Fprintf(a.out, "preset %s: %.2f million bits of tables and packet buffer, of %d allowed\n", name, float64(s.TableBits(p))/1e6, s.Const("table_ceiling"))
		}
	}
	for _, o := range r.Outcomes {
		if o.Name != suite.TouchName {
			continue
		}
		fmt.Fprintf(a.out, "touch: %d cycles, %.0f a second", o.Verdict.Cycles, o.Verdict.Rate())
		if n := o.Verdict.SimulatorBytes; n > 0 {
			fmt.Fprintf(a.out, "; simulator %d MiB at most", n>>20)
		}
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
			fmt.Fprintf(a.out, "; tandem %d MiB at most", u.Maxrss>>10)
		}
		fmt.Fprintln(a.out)
	}
	return nil
}
