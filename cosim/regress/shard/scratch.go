package shard

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"metaroce/tandem/internal/glob"
)

// scratchPattern names scratch folders. One that nobody holds was left by a supervisor that was killed.
const scratchPattern = "tandem-w-*"

// scratchLength bounds the path of a scratch folder: sockets of simulators are below it, whose paths may have 107 bytes, and
// in between is a folder of up to 62.
const scratchLength = 31

// Scratch makes a folder for one supervisor on a disk of this machine, and holds it. Folders that were left go.
func Scratch() (dir string, done func(), err error) {
	for _, base := range []string{os.TempDir(), "/tmp", "/dev/shm"} {
		if len(base)+1+len(scratchPattern)-1+10 > scratchLength {
			err = errors.Join(err, fmt.Errorf("%s: the path is too long for sockets", base))
			continue
		}
		sweep(base)
		d, f, derr := heldFolder(base)
		if derr != nil {
			err = errors.Join(err, derr)
			continue
		}
		return d, func() {
			_ = os.RemoveAll(d)
			_ = f.Close()
		}, nil
	}
	return "", nil, fmt.Errorf("no folder for scratch files: %w", err)
}

// heldFolder makes a folder and holds it. A sweep that takes it for a left one before it is held may take it away.
func heldFolder(base string) (dir string, held *os.File, err error) {
	for range 100 {
		if dir, err = os.MkdirTemp(base, scratchPattern); err != nil {
			return "", nil, err
		}
		if held, err = hold(dir); err == nil {
			return dir, held, nil
		}
	}
	return "", nil, err
}

// hold locks a folder; the lock ends with the process, whatever becomes of it.
func hold(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		opened, oerr := f.Stat()
		named, nerr := os.Stat(dir)
		if oerr == nil && nerr == nil && os.SameFile(opened, named) {
			return f, nil
		}
		err = errors.Join(oerr, nerr, os.ErrNotExist)
	}
	_ = f.Close()
	return nil, err
}

// sweep removes what was left.
func sweep(base string) {
	left, _ := glob.In(base, scratchPattern) // a fixed pattern: cannot fail
	for _, dir := range left {
		if f, err := hold(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = f.Close()
		}
	}
}
