package farm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/internal/glob"
)

// Slurm starts shards as the tasks of one job array. What they did stands in their files, and so does whether they live and
// whether they are through; the queue is asked, seldom, for what files cannot tell: that a task is gone, held, or cannot begin.
// A controller that does not answer for a while therefore stops nothing.
//
//	RUN/shards/r0.sbatch   the script of the array: task N runs shard N
//	RUN/shards/r0.job      its number, so that whoever goes on with the run can cancel it
//	RUN/shards/r0.out      what Slurm itself says to its tasks
type Slurm struct {
	Workers int      // tasks at a time: the array's throttle
	Program string   // this one, by a path that the nodes see
	Words   []string // for sbatch: partition, time, memory and so on

	times *slurmTimes // nil: slurmDefaults
	bin   string      // folder of Slurm's commands; empty: found by PATH
	env   []string    // more of their environment
}

// slurmTimes are how often what is looked at, and how long what is waited for.
type slurmTimes struct {
	look time.Duration // signs of life
	// The queue is asked after ask, then half as often each time, down to once in askMost; and so that waiting for answers
	// is at most one part in share of the time.
	ask, askMost time.Duration
	share        int
	call         time.Duration // of one command of Slurm
	first        time.Duration // a task that runs, until its first sign, before that is told
	silence      time.Duration // between two signs; then it is cancelled
	held         time.Duration // by Slurm; then it is cancelled, and given out again
	stop         time.Duration // for shards to end by themselves; then the array is cancelled
	kill         time.Duration // for cancelled tasks to go
	away         time.Duration // no answer of the controller, and no sign of any shard
	submit       time.Duration // until the controller takes the array
}

var slurmDefaults = slurmTimes{
	look: time.Second, ask: 2 * time.Second, askMost: 10 * time.Second, share: 20, call: 30 * time.Second, first: time.Minute, silence: 5 * time.Minute,
	held: 30 * time.Minute, stop: 15 * time.Second, kill: time.Minute, away: time.Hour, submit: 30 * time.Minute,
}

// CheckWords refuses words for sbatch that take over what the launcher says itself.
func CheckWords(words []string) error {
	own := []string{"--array", "-a", "--job-name", "-J", "--parsable", "--wait", "-W", "--wrap", "--output", "-o", "--error", "-e", "--open-mode", "--chdir", "-D",
		"--no-requeue", "--test-only", "--help", "-h", "--version", "-V", "--dependency", "-d"}
	var errs []error
	for i, w := range words {
		name, _, _ := strings.Cut(w, "=")
		for _, o := range own {
			if name == o || len(o) == 2 && strings.HasPrefix(w, o) && !strings.HasPrefix(w, "--") {
				errs = append(errs, fmt.Errorf("%q cannot be passed on to sbatch: the launcher says that itself", w))
			}
		}
		if !strings.HasPrefix(w, "-") && (i == 0 || strings.Contains(words[i-1], "=") || !strings.HasPrefix(words[i-1], "-")) {
			errs = append(errs, fmt.Errorf("%q is no option of sbatch: want words like --partition=NAME or -p NAME", w))
		}
	}
	return errors.Join(errs...)
}

// Name implements Launcher.
func (s *Slurm) Name() string { return "slurm" }

// Ready implements Launcher: Slurm's commands have to be here, and to know where their controller is.
func (s *Slurm) Ready(ctx context.Context) error {
	if _, err := s.call(ctx, "scontrol", "show", "config"); err != nil && !passing(err) {
		return fmt.Errorf("Slurm cannot be used here: %w; see that slurmctld runs (`scontrol ping`), and that SLURM_CONF names its configuration", err)
	}
	return nil
}

// defaultArray is MaxArraySize - 1 as Slurm has it unless it is configured otherwise.
const defaultArray = 1000

// Packs implements Launcher: a task costs a second or so, and an array has its limit.
func (s *Slurm) Packs() Packs {
	p := Packs{Least: 10 * time.Second, Most: 2 * time.Minute, Count: defaultArray}
	out, err := s.call(context.Background(), "scontrol", "show", "config")
	if err != nil {
		return p // sbatch will say what is wrong
	}
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 1 {
				p.Count = n - 1
			}
		}
	}
	return p
}

func (s *Slurm) limits() *slurmTimes {
	if s.times != nil {
		return s.times
	}
	return &slurmDefaults
}

// array is one job array.
type array struct {
	*Slurm
	limits slurmTimes
	shards []Shard
	w      Watch
	dir    string // of the shards
	stem   string // of its files, with the folder
	name   string // of the job; no other array has it
	job    job
	tasks  []task // by shard; task numbers are one more
	open   int    // of the tasks
	noted  map[string]bool
}

// Launch implements Launcher.
func (s *Slurm) Launch(ctx context.Context, shards []Shard, w Watch) error {
	if len(shards) == 0 {
		return nil
	}
	a := &array{Slurm: s, limits: *s.limits(), shards: shards, w: w, dir: shards[0].folder(), tasks: make([]task, len(shards)), open: len(shards), noted: map[string]bool{}}
	round, _, _ := strings.Cut(shards[0].Name, "-")
	a.stem = filepath.Join(a.dir, round)
	place := sha256.Sum256([]byte(a.dir))
	a.name = fmt.Sprintf("tandem-%s-%s-%x", shards[0].run(), round, place[:4])
	a.clear()
	if err := os.WriteFile(a.stem+".sbatch", []byte(a.script()), 0o644); err != nil {
		return err
	}
	if err := a.submit(ctx); err != nil || a.job.id == "" {
		return err
	}
	return a.follow(ctx)
}

// script is what every task runs: the shard of its number, in place of the shell, so that signals reach it.
func (a *array) script() string {
	var names strings.Builder
	for i := range a.shards {
		names.WriteString(" " + quote(a.shards[i].Name))
	}
	return fmt.Sprintf("#!/bin/sh\ncd %s || exit\nset --%s\nshift $((SLURM_ARRAY_TASK_ID - 1))\nexec %s %s %s/\"$1.json\" >>\"$1.log\" 2>&1\n",
		quote(a.dir), &names, quote(a.Program), Command, quote(a.dir))
}

// quote is a word as a shell reads it.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// submit has the array taken by the controller. It is patient with one that is busy or away; where the context ends
// meanwhile, nothing was started.
func (a *array) submit(ctx context.Context) error {
	args := append([]string{}, a.Words...)
	args = append(args, "--parsable", "--requeue", "--job-name="+a.name, fmt.Sprintf("--array=1-%d%%%d", len(a.shards), max(1, a.Workers)),
		"--chdir="+a.dir, "--output="+filepath.Base(a.stem)+".out", "--open-mode=append", a.stem+".sbatch")
	end := time.Now().Add(a.limits.submit)
	for wait := a.limits.ask; ; wait = min(2*wait, time.Minute) {
		// not ended by the context: half a call may have queued the array
		out, err := a.call(context.WithoutCancel(ctx), "sbatch", args...)
		if err != nil && !passing(err) {
			return fmt.Errorf("sbatch refused the array of %d shards: %w; look at the words behind slurm:, and at `sinfo`", len(a.shards), err)
		}
		if err == nil {
			a.job, err = parseJob(out)
		} else if j, found := a.find(ctx); found { // it was taken, and only the answer was lost
			a.job, err = j, nil
		}
		if err == nil {
			return atomicfile.Write(a.stem+".job", []byte(fmt.Sprintf("%s %s %s\n", a.job.id, a.name, a.job.cluster)))
		}
		if time.Now().After(end) {
			return fmt.Errorf("the array of %d shards was not taken for %v: %w; see that slurmctld runs (`scontrol ping`)", len(a.shards), a.limits.submit, err)
		}
		a.once("sbatch: %v; trying again", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// find looks for the array in the queue by its name.
func (a *array) find(ctx context.Context) (job, bool) {
	out, err := a.call(ctx, "squeue", "--noheader", "--me", "--name="+a.name, "--format=%F")
	id := strings.Fields(out)
	if err != nil || len(id) == 0 {
		return job{}, false
	}
	return job{id: id[0]}, true
}

// clear cancels arrays of earlier sessions of the run: their runners were killed, or could not reach the controller.
func (a *array) clear() {
	files, _ := glob.In(a.dir, "*.job") // none: nothing to cancel
	for _, name := range files {
		b, err := os.ReadFile(name)
		f := strings.Fields(string(b))
		if err != nil || len(f) < 2 {
			continue
		}
		j := job{id: f[0]}
		if len(f) > 2 {
			j.cluster = f[2]
		}
		if err := a.cancel(j, "", "--name="+f[1]); err != nil && !unknown(err) { // the name: numbers come again
			a.once("the array %s of an earlier session may still be queued: %v; `scancel %s` ends it", j.id, err, j.id)
			continue
		}
		_ = os.Remove(name)
	}
}

// once tells something the first time it is said.
func (a *array) once(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !a.noted[text] {
		a.noted[text] = true
		a.w.Note("slurm: " + text)
	}
}
