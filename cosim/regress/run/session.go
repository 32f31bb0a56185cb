package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/internal/glob"
)

// voidSuffix is put behind the name of a shard's file that nobody may begin any more.
const voidSuffix = ".void"

// retireWait is how long shards of an earlier session may take to heed the stop file.
const retireWait = time.Minute

// retire ends what an earlier session of the run left: its runner was killed, and on a farm its shards may run or wait in a
// queue still. Those that run are stopped; the others find that their file is gone.
func (f *Folder) retire(ctx context.Context) error {
	files, err := glob.In(f.path(shard.Folder), "r*-*.json")
	if err != nil {
		return err
	}
	var left []string
	for _, name := range files {
		if life, ok := shard.ReadLife(shard.PathsOf(name).Beat); ok && life.Ended {
			continue
		}
		if err := os.Rename(name, name+voidSuffix); err != nil {
			return err
		}
		left = append(left, name)
	}
	if err := os.WriteFile(f.stopFile(), nil, 0o644); err != nil {
		return err
	}
	for end := time.Now().Add(retireWait); len(left) > 0; {
		if !held(shard.PathsOf(left[0]).Records) {
			left = left[1:]
			continue
		}
		if time.Now().After(end) {
			life, _ := shard.ReadLife(shard.PathsOf(left[0]).Beat)
			return fmt.Errorf("shard %s of an earlier session of %s still runs (process %d on %s) and does not stop: end it there, then go on",
				strings.TrimSuffix(filepath.Base(left[0]), ".json"), f.Header.ID, life.Pid, life.Host)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := os.Remove(f.stopFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// held tells whether a supervisor has its records file, on whatever machine: disks that are shared pass locks on.
func held(records string) bool {
	f, err := os.Open(records)
	if err != nil {
		return false // never begun
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// tidy removes what no record names: a supervisor may have been killed between an execution's folder and its record, and
// the next time it came to another end. Folders with nothing in them go too.
func (f *Folder) tidy(list []result.Record) {
	named := map[string]bool{}
	for i := range list {
		named[list[i].Folder], named[list[i].Coverage] = true, true
	}
	for _, name := range []string{execute.TestsFolder, coverage.Folder} {
		found, _ := glob.In(f.path(name), "*/*") // a folder that cannot be read keeps what it has
		for _, path := range found {
			if rel, err := filepath.Rel(f.Dir, path); err == nil && !named[rel] {
				_ = os.RemoveAll(path)
			}
		}
		suites, _ := os.ReadDir(f.path(name))
		for _, s := range suites {
			_ = os.Remove(filepath.Join(f.path(name), s.Name())) // fails where something is in it
		}
		_ = os.Remove(f.path(name))
	}
}
