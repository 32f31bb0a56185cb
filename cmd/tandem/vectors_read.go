package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/vectors/mrv"
)

// vectorSet is what arguments name, in their order.
type vectorSet struct {
	headers []mrv.Header // each once
	list    []*mrv.Vector
}

// mrvFiles finds the files that arguments name: files, and those that end in .mrv below folders.
func mrvFiles(args []string) ([]string, error) {
	var files []string
	var errs []error
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !info.IsDir():
			files = append(files, arg)
		default:
			n := len(files)
			// the separator has a symbolic link followed
			err := filepath.WalkDir(arg+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.HasSuffix(path, ".mrv") {
					files = append(files, path)
				}
				return err
			})
			if err == nil && len(files) == n {
				err = fmt.Errorf("%s: no .mrv file in it", arg)
			}
			errs = append(errs, err)
		}
	}
	return files, errors.Join(errs...)
}

// readVectors reads all files, or tells everything that is wrong with any.
func readVectors(args, only []string) (*vectorSet, error) {
	files, err := mrvFiles(args)
	if err != nil {
		return nil, err
	}
	s := &vectorSet{}
	var errs []error
	for _, name := range files {
		f, err := mrv.ReadFile(name)
		if err != nil {
			errs = append(errs, unsound(name, err))
			continue
		}
		if !slices.Contains(s.headers, f.Header) {
			s.headers = append(s.headers, f.Header)
		}
		s.list = append(s.list, f.Vectors...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.list, err = vector.Select(s.list, only)
	return s, err
}

// whole holds the sets among folders against their manifests.
func whole(args []string) error {
	var errs []error
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			errs = append(errs, vector.Whole(arg))
		}
	}
	return errors.Join(errs...)
}

// unsound adds to what is wrong with a file what to do.
func unsound(name string, err error) error {
	var damaged *mrv.Error
	switch {
	case !errors.As(err, &damaged):
		return err
	case strings.HasSuffix(name, ".scn"):
		return fmt.Errorf("%w: this is a text, of which `tandem vectors gen` makes vectors", err)
	}
	return fmt.Errorf("%w: get the file again, or make it anew with `tandem vectors gen`", err)
}

// readSome is readVectors for those who have nothing to do without a vector.
func readSome(args, only []string) (*vectorSet, error) {
	s, err := readVectors(args, only)
	if err == nil && len(s.list) == 0 {
		err = &status{result: lockstep.Inconclusive, err: fmt.Errorf("%s: no vector in it: nothing was looked at", strings.Join(args, ", "))}
	}
	return s, err
}
