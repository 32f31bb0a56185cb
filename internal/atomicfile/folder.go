package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Folder has fill write files below another folder, and moves them into dir when all of them are there. What is in dir
// under other names stays. Where fill fails, dir is what it was.
func Folder(dir string, fill func(work string) error) (err error) {
	made, err := makeAll(dir)
	if err != nil {
		return named(dir, err)
	}
	work, err := os.MkdirTemp(dir, Prefix)
	defer func() {
		_ = os.RemoveAll(work)
		if err != nil {
			for _, d := range made { // only what is empty goes
				_ = os.Remove(d)
			}
		}
	}()
	if err != nil {
		return named(dir, err)
	}
	if err := fill(work); err != nil {
		return below(dir, work, err)
	}
	if err := below(dir, work, fits(work, dir)); err != nil {
		return err
	}
	return below(dir, work, move(work, dir))
}

// fits says whether all names can be taken: a folder stands where a file goes, or a file where a folder does.
func fits(work, dir string) error {
	return filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == work {
			return err
		}
		info, err := os.Stat(filepath.Join(dir, strings.TrimPrefix(path, work)))
		switch {
		case errors.Is(err, fs.ErrNotExist): // nor is anything below
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err == nil && info.IsDir() && !d.IsDir():
			err = syscall.EISDIR
		case err == nil && !info.IsDir() && d.IsDir():
			err = syscall.ENOTDIR
		}
		if err != nil {
			return &fs.PathError{Op: "write", Path: path, Err: err}
		}
		return nil
	})
}

// makeAll makes a folder and tells which were not there, the innermost first.
func makeAll(dir string) (made []string, err error) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		made = append(made, d)
	}
	return made, os.MkdirAll(dir, 0o755)
}

func move(work, dir string) error {
	return filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == work {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, work))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		return os.Rename(path, to)
	})
}

// below names the file in dir that an error below work is about.
func below(dir, work string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	path := ""
	switch {
	case errors.As(err, &p):
		path = p.Path
	case errors.As(err, &l):
		path = l.Old
	}
	if rel, inside := strings.CutPrefix(path, work); inside {
		return named(filepath.Join(dir, rel), err)
	}
	if path != "" && strings.HasPrefix(path, filepath.Clean(dir)) {
		return named(path, err)
	}
	return err
}
