package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/internal/atomicfile"
)

// Run is what is collected.
type Run struct {
	Dir     string          // run folder
	Records []result.Record // sorted
	// Counted are the executions whose simulators count, by ID, each with the simulator's name.
	Counted map[string]string
	// Sources are folders with the sources of simulators, by name.
	Sources map[string]string
	Waivers *Waivers
}

// collector adds up what executions left.
type collector struct {
	run     *Run
	bins    *cover.All
	sum     *Sum
	layouts map[string]Added // of the first file of each simulator
	all     []Execution
	report  *Report
}

// Collect adds up what the matching executions of a run left and writes the report, and the sum where simulators counted.
// nil: nothing was left. What cannot be read is in the report's Missing.
func Collect(run *Run) (*Report, error) {
	c := &collector{run: run, bins: cover.NewAll(), sum: NewSum(), layouts: map[string]Added{}, report: &Report{Version: Version}}
	for i := range run.Records {
		if r := &run.Records[i]; r.Verdict == result.Match && r.Coverage != "" {
			c.execution(r)
		}
	}
	if len(c.all) == 0 && c.report.Missing == nil {
		return nil, c.none()
	}
	r := c.report
	r.Executions, r.Rank = len(c.all), Rank(c.all)
	var sources []string
	for _, simulator := range slices.Sorted(maps.Keys(run.Sources)) {
		sources = append(sources, run.Sources[simulator])
	}
	c.sum.Code(r, Lines(sources...))
	r.Waive(c.bins, run.Waivers)
	return r, errors.Join(c.writeSums(), r.Write(run.Dir))
}

// none takes away what an earlier session of the run wrote.
func (c *collector) none() error {
	var errs []error
	for _, name := range []string{ReportFile, SumFile, BinsSumFile} {
		if err := os.Remove(filepath.Join(c.run.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// execution adds one: all that it left, or nothing.
func (c *collector) execution(r *result.Record) {
	missing := func(err error) { c.report.Missing = append(c.report.Missing, fmt.Sprintf("%s: %v", r.ID(), err)) }
	bins, err := c.readBins(r)
	if err != nil {
		missing(err)
		return
	}
	hit := SetOf(bins.Hits())
	if simulator := c.run.Counted[r.ID()]; simulator != "" {
		points, err := c.points(r, simulator)
		if err != nil {
			missing(err)
			return
		}
		for i := range points {
			points[i] += bins.Bins()
		}
		hit = hit.with(SetOf(points))
	}
	c.bins.Merge(bins)
	c.all = append(c.all, Execution{r.ID(), hit})
}

func (c *collector) readBins(r *result.Record) (*cover.All, error) {
	f, err := os.Open(filepath.Join(c.run.Dir, r.Coverage))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	bins := cover.NewAll()
	return bins, bins.Add(f)
}

// points adds what a simulator counted. All files of one simulator have the same points: one with others is not whole.
func (c *collector) points(r *result.Record, simulator string) ([]int, error) {
	name := PointsFile(r.ID())
	f, err := os.Open(filepath.Join(c.run.Dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	first, ok := c.layouts[simulator]
	a, err := c.sum.add(name, f, func(a Added) error {
		if ok && a.Layout != first.Layout {
			return fmt.Errorf("%s has %d points, and other ones than the first file of the simulator %s, which has %d", name, a.Points, simulator, first.Points)
		}
		return nil
	})
	if err == nil && !ok {
		c.layouts[simulator] = a
	}
	return a.Hit, err
}

func (c *collector) writeSums() error {
	err := atomicfile.Write(filepath.Join(c.run.Dir, BinsSumFile), c.bins.Encode())
	if c.sum.Len() > 0 {
		err = errors.Join(err, WriteSum(filepath.Join(c.run.Dir, SumFile), c.sum))
	}
	return err
}

// WriteSum writes a sum into a file in one step.
func WriteSum(path string, s *Sum) error {
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		return err
	}
	return atomicfile.Write(path, b.Bytes())
}
