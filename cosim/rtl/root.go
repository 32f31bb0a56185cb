package rtl

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/target"
)

// FindRoot is the checkout that the working directory is in, or that this program was built in (bin/tandem).
func FindRoot() (string, error) {
	var from []string
	if wd, err := os.Getwd(); err == nil {
		from = append(from, wd)
	}
	if exe, err := os.Executable(); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			from = append(from, filepath.Dir(exe))
		}
	}
	for _, dir := range from {
		for d := dir; ; d = filepath.Dir(d) {
			if IsRoot(d) {
				return d, nil
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return "", target.Fail("build", nil, "no checkout with rtl/ and cosim/dpi/ above %s; run from inside one or name it with --root",
		strings.Join(from, " or "))
}

// IsRoot says whether a folder is a checkout of this project.
func IsRoot(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	return s.Scan() && s.Text() == "module metaroce/tandem"
}
