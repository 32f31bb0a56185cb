package rtl

import (
	"os"
	"strings"
	"syscall"

	"metaroce/tandem/internal/glob"
)

// workPattern names the folders that builds work in. One that nobody holds was left by a build that was killed.
const workPattern = "build-*"

// workFolder makes a folder for a build and holds it, so that a sweep passes it over.
func workFolder(cache string) (dir string, unlock func(), err error) {
	for {
		if dir, err = os.MkdirTemp(cache, workPattern); err != nil {
			return "", nil, err
		}
		if unlock = holdFolder(dir); unlock != nil {
			return dir, unlock, nil
		} // a sweep was faster: it takes the folder for a left one
	}
}

// holdFolder locks a folder, or returns nil where another holds it or it is gone. The lock ends with the process.
func holdFolder(dir string) func() {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		opened, err := f.Stat()
		named, nerr := os.Stat(dir)
		if err == nil && nerr == nil && os.SameFile(opened, named) {
			return func() { _ = f.Close() }
		}
	}
	_ = f.Close()
	return nil
}

// doneSuffix marks the folder of a finished build on its way to its place; who holds the folder without it holds both.
const doneSuffix = ".done"

// sweep removes what killed builds left. What cannot be removed stays for the next one.
func sweep(cache string) {
	left, _ := glob.In(cache, workPattern) // a fixed pattern: cannot fail
	for _, dir := range left {
		owner := dir
		if base := strings.TrimSuffix(dir, doneSuffix); base != dir {
			if _, err := os.Stat(base); err == nil {
				owner = base
			}
		}
		if unlock := holdFolder(owner); unlock != nil {
			_ = os.RemoveAll(dir)
			unlock()
		}
	}
}
