package suite

import (
	"context"
	"fmt"
	"sync"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/stimulus"
)

// Options of a run of jobs.
type Options struct {
	Device  string // "rtl" or "model"
	Mode    target.Mode
	Batch   int
	RTL     rtl.Options
	RunsDir string
	Journal string // as session.Options
	Wave    bool
	Skew    bool // how far the times that model/pipe predicts lie beside the device's
	Stalls  bool // stalls on every stream in jobs that set none themselves
	Workers int  // jobs side by side; 0: 1
	Cover   bool
	// Seen, if not nil, gets every transaction that was found equal, whole; from several jobs at a time where there are
	// workers.
	Seen func(record []byte)
	// Done is told of each job when it is through, one at a time; nil: nobody.
	Done func(Outcome)
}

// Outcome is what became of a job.
type Outcome struct {
	Name     string            `json:"name"`
	Group    Group             `json:"group"`
	Seed     uint64            `json:"seed"`
	Note     string            `json:"note,omitempty"`
	Trouble  string            `json:"trouble,omitempty"` // why the stimulus is not whole
	Verdict  *lockstep.Verdict `json:"verdict"`
	Breaches []string          `json:"breaches,omitempty"` // of what the traffic meant
	Unmet    []string          `json:"unmet,omitempty"`    // expectations of the scenario
	Result   lockstep.Result   `json:"result"`
	Rerun    string            `json:"rerun,omitempty"`
	Counts   map[string]uint64 `json:"counts,omitempty"` // what was seen, by name
}

// Run does all jobs. An interrupted run returns what was done until then.
func Run(ctx context.Context, jobs []Job, o Options) *Report {
	s := &state{o: o, ctx: ctx, out: make([]*Outcome, len(jobs))}
	if o.Cover {
		s.bins = cover.New()
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, min(o.Workers, len(jobs))) {
		wg.Go(func() {
			for i := range next {
				s.finish(i, s.job(&jobs[i]))
			}
		})
	}
	for i := range jobs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return s.report(len(jobs))
}

type state struct {
	o    Options
	ctx  context.Context
	mu   sync.Mutex // guards out, bins and calls of Done
	out  []*Outcome
	bins *cover.Cover

	folders journal.Folders
}

func (s *state) job(j *Job) *jobDone {
	d := &jobDone{Outcome: Outcome{Name: j.Name, Group: j.Group, Seed: j.Seed, Note: j.Note, Rerun: j.Rerun}}
	if t := j.Trouble; t != nil {
		d.Trouble = t.What
	}
	if j.Skip() {
		d.Verdict = &lockstep.Verdict{Name: j.Name, Device: s.o.Device, Preset: j.Preset, Seed: j.Seed, Result: j.Trouble.Result(), Line: j.Trouble.What}
		d.Result = d.Verdict.Result
		return d
	}
	prog, expect, err := j.Make(s.ctx)
	if err == nil {
		err = s.ctx.Err()
	}
	if err != nil && s.ctx.Err() != nil {
		d.Verdict = (&lockstep.Verdict{Name: j.Name, Device: s.o.Device, Preset: j.Preset, Seed: j.Seed}).Failed(target.Fail("host", nil, "interrupted while the stimulus was made"))
		d.Result = d.Verdict.Result
		return d
	}
	if err != nil {
		d.Verdict = (&lockstep.Verdict{Name: j.Name, Device: s.o.Device, Preset: j.Preset, Seed: j.Seed}).Failed(target.Fail("host", err, "cannot make the stimulus"))
		d.Result = d.Verdict.Result
		return d
	}
	if s.bins != nil {
		d.bins = cover.New()
	}
	seen := observe.New(prog)
	d.Verdict = session.Run(s.ctx, session.Options{
		Name: j.Name, Device: s.o.Device, Config: target.Config{Preset: j.Preset, Seed: j.Seed, Mode: s.o.Mode, Batch: s.o.Batch},
		Stimulus: s.stimulus(prog.Items), RTL: s.o.RTL, RunsDir: s.o.RunsDir, Folders: &s.folders, Journal: s.o.Journal, Wave: s.o.Wave, Skew: s.o.Skew, Rerun: j.Rerun,
		Fails: func(v *lockstep.Verdict) bool { return d.judge(v, seen, expect) },
		Observe: func(record []byte) {
			seen.Observe(record)
			if d.bins != nil {
				d.bins.Observe(record)
			}
			if s.o.Seen != nil {
				s.o.Seen(record)
			}
		},
	})
	d.Counts = seen.Counts()
	d.Result = d.Verdict.Result
	if d.Result != lockstep.Match {
		return d // what follows a divergence or an early end says nothing
	}
	if d.judge(d.Verdict, seen, expect) {
		d.Result = lockstep.Diverged
	}
	if j.Trouble != nil {
		d.Result = worse(d.Result, j.Trouble.Result())
	}
	return d
}

// judge holds a run that matched against what its traffic meant and what was expected, once. True: it failed by that.
func (d *jobDone) judge(v *lockstep.Verdict, seen *observe.Observer, expect []observe.Expectation) bool {
	if d.judged {
		return len(d.Breaches)+len(d.Unmet) > 0
	}
	d.judged = true
	d.Breaches, d.Unmet = seen.Breaches(), seen.Check(expect)
	if n := v.Counters["beyond_horizon"]; n > 0 {
		d.Breaches = append(d.Breaches, fmt.Sprintf("%d packets with a psn more than a quarter of the serial space from their window: the proof of the window step does not cover them", n))
	}
	return len(d.Breaches)+len(d.Unmet) > 0
}

// stimulus puts stalls in front where they are asked for.
func (s *state) stimulus(items stimulus.List) stimulus.List {
	if !s.o.Stalls {
		return items
	}
	return WithStalls(items)
}

// WithStalls puts stalls of every port in front; a stall item of the stimulus itself overrides them.
func WithStalls(items stimulus.List) stimulus.List {
	var front stimulus.List
	for p := stimulus.PortFrame; p <= stimulus.PortRegister; p++ {
		front = append(front, stimulus.Item{Kind: stimulus.KindStall, Port: p, Permille: 40, Run: 12})
	}
	return append(front, items...)
}

// jobDone is an outcome with the bins it filled.
type jobDone struct {
	Outcome
	bins   *cover.Cover
	judged bool
}

func (s *state) finish(i int, d *jobDone) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out[i] = &d.Outcome
	if d.bins != nil && d.Result == lockstep.Match {
		s.bins.Merge(d.bins)
	}
	if s.o.Done != nil {
		s.o.Done(d.Outcome)
	}
}
