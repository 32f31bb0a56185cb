package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// compare lists generated files that differ, are missing, or are no longer generated.
func compare(root string, outs []output) error {
	var bad []string
	want := map[string]bool{}
	for _, o := range outs {
		want[o.path] = true
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(o.path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			bad = append(bad, "missing  "+o.path)
		case err != nil:
			return err
		case !bytes.Equal(got, o.data):
			bad = append(bad, fmt.Sprintf("differs  %s:%d", o.path, firstLine(got, o.data)))
		}
	}
	stale, err := staleFiles(root, want)
	if err != nil {
		return err
	}
	bad = append(bad, stale...)
	if len(bad) == 0 {
		return nil
	}
	sort.Strings(bad)
	return fmt.Errorf("generated files are not up to date; run go run ./cmd/wiregen and commit the result (remove stale files):\n  %s", strings.Join(bad, "\n  "))
}

func firstLine(a, b []byte) int {
	n := 1
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			n++
		}
	}
	return n
}

// staleFiles finds files that carry the marker and that nothing generates any more.
func staleFiles(root string, want map[string]bool) ([]string, error) {
	var out []string
	for _, dir := range outputDirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil || want[filepath.ToSlash(rel)] {
				return err
			}
			marked, err := hasMarker(path)
			if marked {
				out = append(out, "stale    "+filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// outputDirs are the folders that hold generated files.
var outputDirs = []string{"model", "rtl", "cosim/dpi", "docs", "vectors/golden/wire", "nic/layers"}

// hasMarker looks for the marker in the first lines, whatever comment form surrounds it.
func hasMarker(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := f.Read(head)
	return bytes.Contains(head[:n], []byte(marker)), nil
}
