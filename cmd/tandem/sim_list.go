package main

import (
	"fmt"

	"metaroce/tandem/experiment"
)

// sweepShort tells what a sweep is, where experiments are listed.
const sweepShort = "any of these at many values of a parameter: --of and --over"

// listedExperiment is what is told of an experiment; without parameters, columns and cells where all are listed.
type listedExperiment struct {
	Name       string            `json:"experiment"`
	Short      string            `json:"short"`
	Claim      string            `json:"claim,omitempty"`
	Source     string            `json:"source,omitempty"`
	About      string            `json:"about,omitempty"`
	Parameters []listedParameter `json:"parameters,omitempty"`
	Columns    []listedColumn    `json:"columns,omitempty"`
	Cells      []string          `json:"cells,omitempty"`
}

type listedParameter struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Range   string `json:"range"`
	Why     string `json:"why"`
}

type listedColumn struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	What string `json:"what"`
}

// listSim prints experiments, or parameters, columns and cells of some.
func (a *app) listSim(f *simFlags, all []*experiment.Experiment, jobs []job) error {
	var list []listedExperiment
	if len(jobs) == 0 {
		for _, e := range all {
			list = append(list, listedExperiment{Name: e.Name, Short: e.Short})
		}
		list = append(list, listedExperiment{Name: sweepName, Short: sweepShort})
	}
	for _, j := range jobs {
		list = append(list, j.listed())
	}
	if f.json {
		return a.json(list)
	}
	for i := range list {
		a.printExperiment(&list[i])
	}
	return nil
}

func (j *job) listed() listedExperiment {
	e := j.e
	l := listedExperiment{Name: e.Name, Short: e.Short, Claim: e.Claim, Source: e.Source, About: e.About}
	for _, p := range e.Params {
		if !p.Knob {
			l.Parameters = append(l.Parameters, listedParameter{p.Name, p.Default, p.Range(), p.Why})
		}
	}
	for _, c := range j.plan.Columns {
		l.Columns = append(l.Columns, listedColumn{c.Name, c.Unit, c.What})
	}
	for _, c := range j.plan.Cells {
		l.Cells = append(l.Cells, c.Name)
	}
	return l
}

func (a *app) printExperiment(l *listedExperiment) {
	if l.Claim == "" {
		fmt.Fprintf(a.out, "%-13s %s\n", l.Name, l.Short)
		return
	}
	fmt.Fprintf(a.out, "%s: %s (%s)\n%s\n", l.Name, l.Claim, l.Source, l.About)
	for _, p := range l.Parameters {
		fmt.Fprintf(a.out, "  --set %s=%s\n      %s\n      %s\n", p.Name, p.Default, p.Range, p.Why)
	}
	fmt.Fprintln(a.out, "  and the constants of docs/constants.md as mr.NAME\n  columns of the table:")
	for _, c := range l.Columns {
		unit := ""
		if c.Unit != "" {
			unit = " [" + c.Unit + "]"
		}
		fmt.Fprintf(a.out, "    %s%s: %s\n", c.Name, unit, c.What)
	}
	fmt.Fprintln(a.out, "  cells:")
	for _, c := range l.Cells {
		fmt.Fprintf(a.out, "    %s\n", c)
	}
}
