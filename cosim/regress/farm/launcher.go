package farm

import (
	"context"
	"errors"
	"time"
)

// Shard is one to be started.
type Shard struct {
	Name   string
	File   string        // for regress-shard, absolute
	Cases  int           // that it has
	Expect time.Duration // how long it may take, by what is known
}

// Launcher starts shards.
type Launcher interface {
	// Name says where, for people.
	Name() string
	// Launch starts every shard, in this order where it can, and returns when none of them runs any more. It calls ended for
	// each that it started, from any goroutine; an error there means that the shard did not come to its end. When the
	// context ends, it stops all of them and starts no more. An error of Launch itself says that nothing can be started at
	// all.
	Launch(ctx context.Context, shards []Shard, ended func(shard int, err error)) error
}

// Errors of a shard.
var (
	// ErrStopped: it was stopped because the run was.
	ErrStopped = errors.New("stopped")
	// ErrSilent: it gave no sign of life.
	ErrSilent = errors.New("no sign of life")
)
