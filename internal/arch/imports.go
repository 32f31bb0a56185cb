package arch

import (
	"fmt"
	"sort"
	"strings"
)

// Package is what go list says of a package: import path, and imports of production code and of tests.
type Package struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// local is the path below the module; "." for the root.
func (p Package) local() string { return localPath(p.ImportPath) }

func localPath(path string) string {
	if path == Module {
		return "."
	}
	return strings.TrimPrefix(path, Module+"/")
}

func isOwn(path string) bool { return path == Module || strings.HasPrefix(path, Module+"/") }

// isStd: paths of the standard library have no dot in their first element.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !isOwn(path) && !strings.Contains(first, ".")
}

// covers says whether a pattern of rules.go matches a local path.
func covers(pattern, path string) bool {
	if pattern == "..." {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return pattern == path
}

func anyCovers(patterns []string, path string) bool {
	for _, pattern := range patterns {
		if covers(pattern, path) {
			return true
		}
	}
	return false
}

func rowOf(rows []allowed, path string) (allowed, bool) {
	for _, row := range rows {
		if covers(row.pattern, path) {
			return row, true
		}
	}
	return allowed{}, false
}

// CheckImports applies the rules to all packages and returns one line per violation, sorted.
func CheckImports(packages []Package) []string {
	var bad []string
	for _, p := range packages {
		row, ok := rowOf(layers, p.local())
		if !ok {
			bad = append(bad, fmt.Sprintf("%s: no row of internal/arch/rules.go matches it: add one with its reason", p.local()))
			continue
		}
		for _, path := range p.Imports {
			bad = append(bad, checkOne(p, path, row.may, row.why, false)...)
		}
		extra, _ := rowOf(testExtra, p.local())
		may := append(append([]string{p.local()}, row.may...), extra.may...)
		for _, path := range append(p.TestImports, p.XTestImports...) {
			bad = append(bad, checkOne(p, path, may, row.why, true)...)
		}
	}
	sort.Strings(bad)
	return bad
}

func checkOne(p Package, path string, may []string, why string, test bool) []string {
	code := "code"
	if test {
		code = "test"
	}
	switch {
	case path == "C" && strings.HasPrefix(p.local(), "model"):
		return []string{fmt.Sprintf("%s: %s uses cgo: the model is Go alone", p.local(), code)}
	case isOwn(path):
		to := localPath(path)
		if covers("cmd/...", to) && !covers("cmd/...", p.local()) {
			return []string{fmt.Sprintf("%s: %s imports %s: nothing imports a command", p.local(), code, to)}
		}
		if !anyCovers(may, to) && (covers("model/...", p.local()) || !anyCovers(shared, to)) {
			return []string{fmt.Sprintf("%s: %s must not import %s (%s)", p.local(), code, to, why)}
		}
	case isStd(path):
		if !test && (p.local() == "model" || strings.HasPrefix(p.local(), "model/")) {
			return checkModelStd(p.local(), path)
		}
	default:
		return checkThird(p.local(), path, code, test)
	}
	return nil
}

func checkModelStd(from, path string) []string {
	for _, f := range modelForbidden {
		if path == f.path || !modelStdExact[f.path] && strings.HasPrefix(path, f.path+"/") {
			return []string{fmt.Sprintf("%s: code must not import %s (%s)", from, path, f.why)}
		}
	}
	return nil
}

func checkThird(from, path, code string, test bool) []string {
	for _, t := range thirds {
		if path != t.path && !strings.HasPrefix(path, t.path+"/") {
			continue
		}
		in := t.in
		if test {
			in = append(append([]string{}, t.in...), t.inTests...)
		}
		if anyCovers(in, from) {
			return nil
		}
		return []string{fmt.Sprintf("%s: %s must not import %s (%s)", from, code, path, t.why)}
	}
	return []string{fmt.Sprintf("%s: %s imports %s, which no rule names: see docs/dependencies.md", from, code, path)}
}
