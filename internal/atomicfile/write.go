package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Prefix begins the names that are used on the way.
const Prefix = ".tandem-"

// Write writes a file. One that is there keeps its mode, and is refused if it may not be written; of a symbolic link the
// file behind it is written. What is no regular file, as /dev/stdout or a pipe, is written to as it is.
func Write(path string, text []byte) error { return named(path, replace(path, text)) }

// Check says whether Write could write a file, for those who have long work to do before: it changes nothing.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			return nil
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return named(path, err)
		}
		if err := f.Close(); err != nil {
			return named(path, err)
		}
	}
	next := filepath.Join(filepath.Dir(path), Prefix+rand.Text())
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return named(path, err)
	}
	return named(path, errors.Join(f.Close(), os.Remove(next)))
}

func replace(path string, text []byte) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return put(path, 0, text)
	case err != nil:
		return err
	}
	old, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		_, err := old.Write(text)
		return errors.Join(err, old.Close())
	}
	if err := old.Close(); err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	return put(path, info.Mode().Perm(), text)
}

// put writes beside a file and renames. Mode 0 is that of a new file.
func put(path string, mode fs.FileMode, text []byte) error {
	next := filepath.Join(filepath.Dir(path), Prefix+rand.Text())
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		_ = os.Remove(next)
	}
	return err
}

// named says what could not be written, and why, without the name that was used on the way.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}
