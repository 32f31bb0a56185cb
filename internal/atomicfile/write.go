package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Prefix begins the names that are used on the way.
const Prefix = ".tandem-"

// Write writes a file. One that is there keeps its mode, and is refused if it may not be written; of a symbolic link the
// file behind it is written, there or not. What is no regular file, as a pipe, is written to as it is, and so is what the
// program has open already, as /dev/stdout: a file there has lines of others in it, and more of them to come.
func Write(path string, text []byte) error { return named(path, replace(path, text)) }

// opened is what a name of something that the program has open stands for; nil: it is no such name.
func opened(path string) (*os.File, error) {
	number := map[string]string{"/dev/stdout": "1", "/dev/stderr": "2"}[path]
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if rest, ok := strings.CutPrefix(path, dir); ok {
			number = rest
		}
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return nil, nil
	}
	fd, err := syscall.Dup(int(n)) // it shares the place in the file, which a second opening would not
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// Check says whether Write could write a file, for those who have long work to do before: it changes nothing.
func Check(path string) error {
	if f, err := opened(path); err != nil {
		return named(path, err)
	} else if f != nil {
		return named(path, f.Close())
	}
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
	if f, err := opened(path); f != nil || err != nil {
		if err == nil {
			_, err = f.Write(text)
			err = errors.Join(err, f.Close())
		}
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return replace(to, text)
		}
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
