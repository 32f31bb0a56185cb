package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"metaroce/tandem/cosim/divergence"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
	"metaroce/tandem/cosim/session"
)

// ErrNoResults says that a run has none, or none that say anything.
var ErrNoResults = errors.New("no results")

// views is how many buckets get a view of their smallest case: each takes some tenths of a second and some 50 KB.
const views = 16

// Options of a report.
type Options struct {
	// History is the path of the index beside the runs; empty: history.db there.
	History string
	// Against is the folder of an older run to compare with; empty: none.
	Against string
}

// open reads header and results of a run folder, and holds them against each other.
func open(dir string) (*run.Folder, []result.Record, error) {
	f, err := run.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Whole(); err != nil {
		return nil, nil, err
	}
	list, err := f.Results()
	switch {
	case errors.Is(err, os.ErrNotExist) && f.Header.State == run.Done:
		return nil, nil, fmt.Errorf("%s is damaged: the run has ended, and %s is not there: was the folder copied in part?", f.Dir, run.ResultsFile)
	case errors.Is(err, os.ErrNotExist):
		return nil, nil, fmt.Errorf("%w in %s: the run is %s; `tandem regress --resume %s` goes on with it", ErrNoResults, f.Dir, f.Header.State, session.ShellWord(f.Dir))
	case err != nil:
		return nil, nil, err
	case len(list) == 0:
		return nil, nil, fmt.Errorf("%w in %s: %s is empty", ErrNoResults, f.Dir, run.ResultsFile)
	}
	if err := f.Check(list); err != nil {
		return nil, nil, err
	}
	return f, result.Sorted(list), nil
}

// Read makes the report of a run folder.
func Read(ctx context.Context, dir string, o Options) (*Report, error) {
	f, list, err := open(dir)
	if err != nil {
		return nil, err
	}
	r := &Report{Form: Form, Run: f.Header, records: list, dir: f.Dir}
	t, err := triage.Read(f.Dir)
	if err != nil {
		return nil, err
	}
	r.Known = t.Entries
	r.buckets(ctx, t)
	r.tests()
	r.Suites, r.Rates, r.Slowest = suites(list), rates(list), slowest(r.Tests)
	if err := errors.Join(r.testplan(), r.coverage()); err != nil {
		return nil, err
	}
	r.conclude(t)
	if err := r.past(o.History); err != nil {
		r.absent("history: %v", err)
	}
	if o.Against != "" {
		if r.Against, err = Compare(o.Against, f.Dir); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Report) absent(format string, args ...any) {
	r.Absent = append(r.Absent, fmt.Sprintf(format, args...))
}

// buckets takes the causes from the triage and looks into the folders of their smallest cases.
func (r *Report) buckets(ctx context.Context, t *triage.Triage) {
	r.Buckets = []Bucket{}
	looked := 0
	for i := range t.Buckets {
		b := Bucket{Bucket: t.Buckets[i], Number: i + 1}
		switch {
		case b.Folder == "":
			b.Unseen = "no folder of it was kept"
		case looked == views:
			b.Unseen = fmt.Sprintf("only the first %d causes are looked into", views)
		default:
			looked++
			var err error
			if b.View, err = divergence.Read(ctx, filepath.Join(r.dir, b.Folder)); err != nil {
				b.Unseen = err.Error()
			}
		}
		b.Why = reasons(&b)
		r.Buckets = append(r.Buckets, b)
	}
}

// reasons are the sentences of a bucket: those of its view, or of its verdict.
func reasons(b *Bucket) []string {
	if b.View != nil && len(b.View.Why) > 0 {
		return b.View.Why
	}
	list := []string{b.Smallest.Line}
	switch b.Verdict {
	case result.Crash:
		list = append(list, "A process of the execution ended by itself; its last words are above. Nothing is said about the device.")
	case result.Timeout:
		list = append(list, "The execution passed its limit and was ended with everything that it had started: "+b.Signature.Kind+".")
	case result.Bench:
		list = append(list, "The bench or the stimulus failed: nothing is said about the device.")
	case result.Lost:
		list = append(list, "It was given out and no result came back, several times: look into shards/ of the run folder.")
	case result.Skipped:
		list = append(list, "It was not begun, so it is no pass.")
	case result.Inconclusive:
		list = append(list, "Nothing, or not enough, was compared.")
	case result.Unsupported:
		list = append(list, "The device cannot do this.")
	case result.Divergence:
		list = append(list, "Device and model agree; what they do is not what the stimulus expects.")
	}
	return list
}

// tests lists the executions with the numbers of their buckets.
func (r *Report) tests() {
	number := map[string]int{}
	for i := range r.Buckets {
		number[r.Buckets[i].Key] = r.Buckets[i].Number
	}
	for i := range r.records {
		x := &r.records[i]
		r.Tests = append(r.Tests, testOf(x, r.Run.ID, number[triage.Key(x)]))
	}
}

// testplan reads the points and adds what their tests came to.
func (r *Report) testplan() error {
	path := filepath.Join(r.dir, run.TestplanFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		r.absent("testplan: the run has none (a rerun of another run's executions has no plan)")
		return nil
	}
	if err != nil {
		return err
	}
	var tp plan.Testplan
	if err := json.Unmarshal(b, &tp); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(tp.Points) == 0 {
		r.absent("testplan: the plan names none")
	}
	r.Stages, r.Unmapped = stages(&tp, r.records), tp.Unmapped
	return nil
}

func (r *Report) coverage() error {
	c, err := coverage.Read(r.dir)
	if errors.Is(err, os.ErrNotExist) {
		r.absent("coverage: there is no %s in the run folder", coverage.ReportFile)
		return nil
	}
	r.Coverage = c
	return err
}
