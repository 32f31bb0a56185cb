package main

import (
	"fmt"
	"os"
	"path/filepath"

	regression "metaroce/tandem/cosim/regress/run"
	places "metaroce/tandem/cosim/regress/source"
	"metaroce/tandem/internal/glob"
)

// findRun finds a run by path, or by name in the directory of runs.
func findRun(dir, arg string) (string, error) {
	for _, path := range []string{arg, filepath.Join(dir, arg)} {
		if _, err := os.Stat(filepath.Join(path, regression.HeaderFile)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("run %q: there is no %s in it, nor in %s; %w", arg, regression.HeaderFile, filepath.Join(dir, arg), otherRuns(dir, arg))
}

// otherRuns says what to do where a run is not there.
func otherRuns(dir, arg string) error {
	names := runsIn(dir)
	if len(names) == 0 {
		return noRegression(dir)
	}
	if near := places.Nearest(arg, names); near != "" {
		return fmt.Errorf("meant is perhaps %s (tandem history --dir %s lists all)", near, shellPath(dir))
	}
	return fmt.Errorf("name one of those in %s: tandem history --dir %s", dir, shellPath(dir))
}

// runsIn are the names of the runs in a directory. A link whose run was removed is none.
func runsIn(dir string) []string {
	found, _ := glob.In(dir, "*/"+regression.HeaderFile) // what cannot be read has none
	for i, f := range found {
		found[i] = filepath.Base(filepath.Dir(f))
	}
	return found
}

// noRegression says what to do where no regression was run yet.
func noRegression(dir string) error {
	return fmt.Errorf("there are no runs in %s: run a regression first (tandem regress smoke), or name their folder with --dir", dir)
}
