package glob

import (
	"io/fs"
	"os"
	"path/filepath"
)

// In are the paths of what is in dir and matches the pattern, in the order of their names. What cannot be read has nothing in
// it; the error is that of a pattern.
func In(dir, pattern string) ([]string, error) {
	found, err := fs.Glob(os.DirFS(filepath.Clean(dir)), pattern)
	for i, name := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return found, err
}
