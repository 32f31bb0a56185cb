package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// Options of a supervisor.
type Options struct {
	Program string   // the worker; empty: this program
	Args    []string // of the worker
	// Look is how often limits are looked at; BeatEvery how often a sign of life is given; StopWait how long a case that is
	// stopped may take to end in order, which keeps its folder readable. 0: as the product has it.
	Look, BeatEvery, StopWait time.Duration
	// Settle is how long a bad end is not believed. A farm that ends a job signals all its processes: a simulator that dies of
	// that must not become a verdict before this process has its own signal. 0: only this process is signalled.
	Settle time.Duration
}

const (
	defaultLook     = 250 * time.Millisecond
	defaultBeat     = time.Second
	defaultStopWait = 10 * time.Second
	// mostBegun is how many supervisors a case may take with it before it is given up.
	mostBegun = 2
)

// Self is this program as it was when it started, also if its file was replaced since.
const Self = "/proc/self/exe"

// Supervise runs the cases of a shard that have no record yet. It returns early, with the context's error, when the
// context ends: the case that ran then has no record and can be run again.
func Supervise(ctx context.Context, file string, o Options) error {
	f, err := Read(file)
	if err != nil {
		return err
	}
	s := &supervisor{f: f, o: o, paths: PathsOf(file)}
	if err := s.open(); err != nil {
		return err
	}
	defer s.close()
	return s.all(ctx)
}

type supervisor struct {
	f     *File
	o     Options
	paths Paths
	host  string

	records, begun, log *os.File
	done                map[string]bool
	tries               map[string]int
	work                string
	free                func() // of the scratch folder
	child               *child
	life                *pulse
}

// open opens all files, and finds out what an earlier supervisor of the shard did.
func (s *supervisor) open() error {
	var err error
	if s.o.Program == "" {
		s.o.Program = Self
	}
	if s.o.Look == 0 {
		s.o.Look = defaultLook
	}
	if s.o.BeatEvery == 0 {
		s.o.BeatEvery = defaultBeat
	}
	if s.o.StopWait == 0 {
		s.o.StopWait = defaultStopWait
	}
	s.host, _ = os.Hostname()
	if s.records, err = os.OpenFile(s.paths.Records, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	if err := syscall.Flock(int(s.records.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("%s: another supervisor runs this shard (%w)", s.paths.Records, err)
	}
	if err := s.resume(); err != nil {
		return err
	}
	if s.begun, err = os.OpenFile(s.paths.Begun, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return err
	}
	if s.log, err = os.OpenFile(s.paths.Log, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return err
	}
	s.work, s.free, err = Scratch()
	return err
}

// resume reads the records that are there. A torn last line is cut off: its case is run again.
func (s *supervisor) resume() error {
	list, torn, err := result.Read(s.paths.Records, s.records)
	if err != nil {
		return err
	}
	s.done = map[string]bool{}
	for i := range list {
		s.done[list[i].ID()] = true
	}
	if torn {
		if err := cutLine(s.records); err != nil {
			return err
		}
	}
	if s.tries, err = ReadBegun(s.paths.Begun); err != nil {
		return err
	}
	if s.tries == nil {
		s.tries = map[string]int{}
	}
	_, err = s.records.Seek(0, io.SeekEnd)
	return err
}

// cutLine takes the unfinished last line away.
func cutLine(f *os.File) error {
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return err
	}
	n := len(b)
	for n > 0 && b[n-1] != '\n' {
		n--
	}
	return f.Truncate(int64(n))
}

func (s *supervisor) close() {
	if s.child != nil {
		s.child.end()
	}
	if s.free != nil {
		s.free()
	}
	for _, f := range []*os.File{s.records, s.begun, s.log} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (s *supervisor) all(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.life = begins(s.paths.Beat, Life{Pid: os.Getpid(), Host: s.host, Of: len(s.f.Cases), Done: len(s.done)}, s.o.BeatEvery,
		filepath.Join(s.f.Env.Run, StopFile), func() { stop(ErrStopFile) })
	ended := false
	defer func() { s.life.end(ended) }()
	for i := range s.f.Cases {
		c := &s.f.Cases[i]
		if s.done[c.ID()] {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.one(ctx, c); err != nil {
			return err
		}
	}
	ended = true
	return nil
}

// one runs a case and writes its record.
func (s *supervisor) one(ctx context.Context, c *plan.Case) error {
	id := c.ID()
	var r result.Record
	if n := s.tries[id]; n >= mostBegun {
		r = execute.Fail(c.Record(), result.Lost, result.Signature{Engine: "supervisor", Kind: "lost"}, fmt.Sprintf("it was begun %d times, and each time nobody was left to say how it ended", n))
	} else {
		var err error
		killed := false
		if r, err = s.try(ctx, c, false); err == errKilled { // somebody from outside: a case that brings it about does so again
			killed = true
			r, err = s.try(ctx, c, true)
		}
		if err != nil {
			return err
		}
		r.Times.Killed = killed
	}
	if r.Times == nil {
		r.Times = &result.Times{Begin: time.Now().UnixMilli()}
	}
	r.Times.Host, r.Times.Shard, r.Times.Round = s.host, s.f.Name, s.f.Round
	line, err := r.Append(nil)
	if err != nil {
		return err
	}
	if _, err := s.records.Write(line); err != nil {
		return err
	}
	s.done[id] = true
	s.life.through(len(s.done))
	return nil
}

// try runs a case, and notes that it was begun, and where it came to no end, that it is not to blame.
func (s *supervisor) try(ctx context.Context, c *plan.Case, again bool) (result.Record, error) {
	id := c.ID()
	if _, err := s.begun.WriteString(id + "\n"); err != nil {
		return result.Record{}, err
	}
	s.life.running(id)
	r, err := s.run(ctx, c, again)
	if err == nil {
		err = s.settle(ctx, &r)
	}
	if err != nil {
		if _, werr := s.begun.WriteString(undone + id + "\n"); werr != nil {
			return r, errors.Join(err, werr)
		}
	}
	return r, err
}

// settle waits whether a bad end came of the end of the whole shard. Such a record is none, and what was kept for it goes.
func (s *supervisor) settle(ctx context.Context, r *result.Record) error {
	if r.Verdict == result.Match {
		return nil
	}
	if ctx.Err() == nil && s.o.Settle > 0 {
		select {
		case <-time.After(s.o.Settle):
		case <-ctx.Done():
		}
	}
	if ctx.Err() == nil {
		return nil
	}
	if r.Folder == "" {
		return context.Cause(ctx)
	}
	return errors.Join(context.Cause(ctx), os.RemoveAll(filepath.Join(s.f.Env.Run, r.Folder)))
}

// worker is the child that takes the next case.
func (s *supervisor) worker() (*child, error) {
	if s.child != nil {
		select {
		case <-s.child.gone: // between two cases: nobody's fault but its own
			s.child.end()
			s.child = nil
		default:
			return s.child, nil
		}
	}
	work := filepath.Join(s.work, "w")
	c, err := begin(s.o.Program, s.o.Args, &s.f.Env, work, s.log)
	if err != nil {
		if c != nil {
			c.kill()
		}
		return nil, fmt.Errorf("no worker: %w", err)
	}
	s.child = c
	return c, nil
}

// ErrStopFile is the cause of an end by the stop file.
var ErrStopFile = errors.New("the run was stopped")

// errKilled says that the worker was killed, for the first time.
var errKilled = errors.New("the worker was killed")

var errAnswer = errors.New("the worker answered for another case")
