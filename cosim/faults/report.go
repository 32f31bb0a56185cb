package faults

import (
	"fmt"
	"io"
	"strings"

	"metaroce/tandem/cosim/lockstep"
)

// Head writes the column names of the table.
func Head(w io.Writer) {
	fmt.Fprintf(w, "%-18s %-30s %-17s %4s %6s  %-12s %-11s %s\n", "fault", "place", "scenario", "seed", "cycle", "engine", "rule", "what the report says first")
}

// Row writes the line of one outcome, and what is missing below it.
func (o *Outcome) Row(w io.Writer, paint func(good bool, text string) string) {
	cycle, engine, rule, first := "-", "-", "-", ""
	if v := o.Full; v != nil {
		cycle, first = fmt.Sprint(v.Cycles), v.Line
		if d := v.Divergence; d != nil {
			cycle, engine, rule, first = fmt.Sprint(d.Cycle), d.Kind, d.Rule, said(d)
		} else if v.Failure != "" {
			engine, rule, first = "bridge", "protocol", v.Failure
		}
	}
	fmt.Fprintf(w, "%s %-30s %-17s %4d %6s  %-12s %-11s %s\n", paint(o.Caught(), fmt.Sprintf("%-18s", o.Fault.Name)),
		short(o.Fault.Place()), o.Try.Scenario, o.Try.Seed, cycle, engine, rule, cut(first, 90))
	for _, m := range o.Missing {
		fmt.Fprintf(w, "  %s\n", paint(false, m))
	}
}

// said is the difference without what other columns hold.
func said(d *lockstep.Divergence) string {
	if d.What == "differs" {
		return fmt.Sprintf("%s is %s, in the model %s", d.Field, d.Device, d.Model)
	}
	return d.What + ": " + d.Why
}

func short(place string) string {
	return strings.TrimPrefix(strings.TrimPrefix(place, "rtl/"), "cosim/")
}

func cut(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// Closing sums up: so many of so many caught.
func Closing(all []Outcome, asked int) (string, bool) {
	n := 0
	for i := range all {
		if all[i].Caught() {
			n++
		}
	}
	return fmt.Sprintf("%d of %d caught", n, asked), n == asked && asked > 0
}
