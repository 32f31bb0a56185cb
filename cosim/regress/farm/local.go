package farm

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"metaroce/tandem/cosim/regress/process"
	"metaroce/tandem/cosim/regress/shard"
)

// Local starts shards as processes of this machine, so many at a time. Each gets a pipe that closes with this process,
// whatever ends it; a shard ends then. Behind a prefix there may be another machine, to which no pipe leads: shards there
// look for the stop file of the run.
type Local struct {
	Workers int
	Program string   // empty: this one
	Prefix  []string // words before the command; {run} and {shard} in them are the names of these
	// Silence is how long a shard may be without a sign of life; 0: a minute, five on another machine, whose disk is seen late.
	Silence time.Duration
	// StopWait is how long a shard that is told to stop may take; 0: 20 s.
	StopWait time.Duration
}

const (
	defaultSilence  = time.Minute
	remoteSilence   = 5 * time.Minute
	defaultStopWait = 20 * time.Second
	lookEvery       = 500 * time.Millisecond
	termWait        = 5 * time.Second
)

// Command is the subcommand of a shard, and ParentFlag has it end with its parent.
const (
	Command    = "regress-shard"
	ParentFlag = "--with-parent"
)

// Name is "local", or the first word of the prefix.
func (l *Local) Name() string {
	if len(l.Prefix) > 0 {
		return "exec:" + l.Prefix[0]
	}
	return "local"
}

// Ready implements Launcher.
func (l *Local) Ready(context.Context) error { return nil }

// Packs implements Launcher.
func (l *Local) Packs() Packs { return Packs{Least: 2 * time.Second, Most: time.Minute} }

// Launch implements Launcher.
func (l *Local) Launch(ctx context.Context, shards []Shard, w Watch) error {
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, min(l.Workers, len(shards))) {
		wg.Go(func() {
			for i := range next {
				w.Ended(i, l.one(ctx, &shards[i]))
			}
		})
	}
	for i := range shards {
		select {
		case <-ctx.Done():
		case next <- i:
			continue
		}
		break
	}
	close(next)
	wg.Wait()
	return nil
}

// one runs a shard to its end.
func (l *Local) one(ctx context.Context, s *Shard) error {
	if ctx.Err() != nil {
		return ErrStopped
	}
	program := l.Program
	if program == "" {
		program = shard.Self
	}
	places := strings.NewReplacer("{shard}", s.Name, "{run}", s.run())
	var argv []string
	for _, word := range l.Prefix {
		argv = append(argv, places.Replace(word))
	}
	argv = append(argv, program, Command)
	if len(l.Prefix) == 0 {
		argv = append(argv, ParentFlag)
	}
	argv = append(argv, s.File)
	cmd := shard.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches us, and we stop it
	log, err := os.OpenFile(shard.PathsOf(s.File).Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", argv[0], err)
	}
	return l.follow(ctx, s, cmd, pipe)
}

// follow waits for a shard, and ends it when the context ends or it falls silent.
func (l *Local) follow(ctx context.Context, s *Shard, cmd *exec.Cmd, pipe io.WriteCloser) error {
	tree := process.New(cmd.Process.Pid)
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	e := ear{heard: time.Now(), silence: orElse(l.Silence, defaultSilence)}
	if len(l.Prefix) > 0 { // there may be a queue before its first sign
		e.silence, e.waits = orElse(l.Silence, remoteSilence), true
	}
	tick := time.NewTicker(min(lookEvery, e.silence/4))
	defer tick.Stop()
	if life, ok := shard.ReadLife(shard.PathsOf(s.File).Beat); ok {
		e.turn = life.Turn
	}
	for {
		select {
		case err := <-gone:
			tree.Kill(false)
			return err
		case <-ctx.Done():
			_ = pipe.Close()
			if !within(gone, orElse(l.StopWait, defaultStopWait)) {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // of a prefix: most of them pass it on
				within(gone, termWait)
			}
			tree.Kill(false)
			return ErrStopped
		case <-tick.C:
			life, ok := shard.ReadLife(shard.PathsOf(s.File).Beat)
			if e.silent(life, ok, time.Now()) {
				tree.Kill(false)
				<-gone
				return fmt.Errorf("%w for %v", ErrSilent, e.silence)
			}
			tree.Resident() // notes who belongs to it, for the case that its members are given to another parent
		}
	}
}

// ear listens for signs of life.
type ear struct {
	turn    int       // of the last sign
	heard   time.Time // when that was
	waits   bool      // there may be none for however long, before the first
	silence time.Duration
}

// silent takes a look at the sign, if there is one, and tells whether it is too old.
func (e *ear) silent(l shard.Life, ok bool, now time.Time) bool {
	if ok && l.Turn != e.turn {
		e.turn, e.heard, e.waits = l.Turn, now, false
	}
	return !e.waits && now.Sub(e.heard) > e.silence
}

// within waits for an end, so long.
func within(gone <-chan error, d time.Duration) bool {
	select {
	case <-gone:
		return true
	case <-time.After(d):
		return false
	}
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
