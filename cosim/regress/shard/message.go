package shard

import (
	"bufio"
	"encoding/json"
	"io"
	"sync"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// order is what a supervisor tells its worker, a line each on standard input.
type order struct {
	Env  *execute.Env `json:"env,omitempty"`  // first of all
	Work string       `json:"work,omitempty"` // with it
	Case *plan.Case   `json:"case,omitempty"` // run this
	Stop string       `json:"stop,omitempty"` // end the case that runs: reasonWall or reasonStall
}

// Reasons to stop a case.
const (
	reasonWall  = "wall"
	reasonStall = "stall"
)

// answer is what a worker tells, a line each on file descriptor 3.
type answer struct {
	Beat   *execute.Beat  `json:"beat,omitempty"`
	Record *result.Record `json:"record,omitempty"`
}

// lineWriter writes JSON lines, whole, from any goroutine.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) put(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.w.Write(append(b, '\n'))
	return err
}

// lines calls f for each line until the end; a line that is not JSON ends it with an error.
func lines[T any](in io.Reader, f func(*T) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		b, err := r.ReadBytes('\n')
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		var v T
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		if err := f(&v); err != nil {
			return err
		}
	}
}
