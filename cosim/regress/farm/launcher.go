package farm

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

// Shard is one to be started.
type Shard struct {
	Name   string
	File   string        // for regress-shard, absolute
	Cases  int           // that it has
	Expect time.Duration // how long it may take, by what is known
}

// folder is where the shard's files are.
func (s *Shard) folder() string { return filepath.Dir(s.File) }

// run is the name of the run that it belongs to.
func (s *Shard) run() string { return filepath.Base(filepath.Dir(s.folder())) }

// Launcher starts shards.
type Launcher interface {
	// Name says where, for people.
	Name() string
	// Ready says why nothing can be started there at all, before anything is begun. What may pass in a while is no reason.
	Ready(ctx context.Context) error
	// Packs bounds the shards it is given.
	Packs() Packs
	// Launch starts every shard, in this order where it can, and returns when none of them runs any more. When the context
	// ends, it stops all of them and starts no more. An error says that no more can be started there.
	Launch(ctx context.Context, shards []Shard, w Watch) error
}

// Packs are bounds of shards: less costs more to start than to run, more keeps results back and the end ragged.
type Packs struct {
	Least, Most time.Duration // how long one should take
	Count       int           // at most so many, however long they get then; 0: any number
}

// Watch is told how it goes, from any goroutine.
type Watch struct {
	// Ended is called once for each shard that was started; an error means that it did not come to its end.
	Ended func(shard int, err error)
	// Note is told what people should know, or do something about.
	Note func(text string)
}

// Errors of a shard.
var (
	// ErrStopped: it was stopped because the run was.
	ErrStopped = errors.New("stopped")
	// ErrSilent: it gave no sign of life.
	ErrSilent = errors.New("no sign of life")
)
