package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"metaroce/tandem/cosim/target"
)

// maxNumber bounds the search for a folder that nobody holds.
const maxNumber = 1000

// Folders are the run folders of one plan. Runs of equal name and seed get folders of their own: NAME-SEED, NAME-SEED.2
// and so on, whether they run at the same time or behind each other. The zero value is ready.
type Folders struct {
	mu   sync.Mutex
	used map[string]bool
}

// take notes a folder as used; false if it was.
func (f *Folders) take(dir string) bool {
	if f == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.used[dir] {
		return false
	}
	if f.used == nil {
		f.used = map[string]bool{}
	}
	f.used[dir] = true
	return true
}

// Lock makes the folder of a run in the directory runs and holds it: no other process, and no other run of the plan
// (nil: none is known), writes there until unlock. A folder that another one holds is passed over for the next number.
// The lock ends with the process, whatever becomes of it.
func (f *Folders) Lock(runs, name string) (dir string, unlock func(), err error) {
	for n := 1; n <= maxNumber; n++ {
		dir = filepath.Join(runs, name)
		if n > 1 {
			dir = fmt.Sprintf("%s.%d", dir, n)
		}
		if !f.take(dir) {
			continue
		}
		unlock, err := lockFolder(dir)
		if unlock != nil || err != nil {
			return dir, unlock, err
		}
	}
	return "", nil, target.Fail("run folder", nil, "%s and %d numbers behind it are held by other runs", filepath.Join(runs, name), maxNumber)
}

// lockFolder locks a folder itself, not a file in it: the folder may be removed under the lock. nil without an error:
// another run holds it.
func lockFolder(dir string) (func(), error) {
	for {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, target.Fail("run folder", err, "cannot make it")
		}
		f, err := os.Open(dir)
		if errors.Is(err, os.ErrNotExist) { // removed by its holder a moment ago
			continue
		}
		if err != nil {
			return nil, target.Fail("run folder", err, "cannot open it")
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, f.Close()
		case err != nil:
			_ = f.Close()
			return nil, target.Fail("run folder", err, "cannot lock it")
		case same(f, dir):
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close() // it was removed between opening and locking
	}
}

// same tells whether an open folder is still the one of that name.
func same(f *os.File, dir string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}
