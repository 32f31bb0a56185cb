package vector

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Whole holds the files of a set against its manifest, and tells every file that is gone, is not listed, or has other vectors than
// are listed. A folder without a manifest is no set, and any vectors may be in it.
func Whole(dir string) error {
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := OpenStore(dir)
	if err != nil {
		return err
	}
	listed, there := partsOf(string(text)), partsOf(Manifest(s.Version, s.Files))
	all := maps.Clone(listed)
	maps.Copy(all, there)
	var errs []error
	for _, p := range slices.Sorted(maps.Keys(all)) {
		file := filepath.Join(dir, filepath.FromSlash(p))
		switch {
		case there[p] == "":
			errs = append(errs, fmt.Errorf("%s is not there, and %s lists it", file, path))
		case listed[p] == "":
			errs = append(errs, fmt.Errorf("%s is there, and %s does not list it", file, path))
		case listed[p] != there[p]:
			errs = append(errs, fmt.Errorf("%s has other vectors than %s lists", file, path))
		}
	}
	if errs != nil {
		errs = append(errs, errors.New("get the set again, or see what changed with `tandem vectors bless`; its files one by one are checked as they are"))
	}
	return errors.Join(errs...)
}

// partsOf are the parts of a manifest by file, each with its path in front.
func partsOf(text string) map[string]string {
	parts := map[string]string{}
	for _, part := range strings.Split(strings.TrimSuffix(text, "\n"), "\n\n")[1:] {
		path, _, _ := strings.Cut(part, "\n")
		parts[path] = part
	}
	return parts
}
