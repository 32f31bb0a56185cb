package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"sort"
	"strings"

	"metaroce/tandem/model/spec"
)

// generators are all parts of the output. Each is a pure function of the definition, so the same tables give the same
// bytes on every machine.
var generators = []func(*spec.Spec) []output{genPreset, genKnobs, genWire, genEvent, genPkg, genTypes, genMonitor, genC, genGolden, genLayers, genLua, genBench, genRecordBench,
	genDocWire, genDocEvents, genDocRegisters, genDocTables, genDocConstants, genDocAssumptions}

func generate(s *spec.Spec) ([]output, error) {
	var outs []output
	for _, g := range generators {
		outs = append(outs, g(s)...)
	}
	return outs, collisions(outs)
}

// collisions finds two definitions that became one name. The tables cannot rule them all out (a constant and an
// operation may meet in one package), and the compilers would blame generated lines.
func collisions(outs []output) error {
	var bad []string
	packages := map[string]map[string]bool{}
	for _, o := range outs {
		var names []string
		scope := o.path
		switch {
		case strings.HasSuffix(o.path, ".go"):
			names, scope = goNames(o), path.Dir(o.path)
		case strings.HasSuffix(o.path, ".sv"), strings.HasSuffix(o.path, ".svh"), strings.HasSuffix(o.path, ".h"):
			names = otherNames(string(o.data))
		}
		if packages[scope] == nil {
			packages[scope] = map[string]bool{}
		}
		for _, n := range names {
			if packages[scope][n] {
				bad = append(bad, fmt.Sprintf("%s: two definitions become %s; rename one of them in model/spec", o.path, n))
			}
			packages[scope][n] = true
		}
	}
	sort.Strings(bad)
	if len(bad) > 0 {
		return fmt.Errorf("wiregen: %s", strings.Join(bad, "\n"))
	}
	return nil
}

func goNames(o output) []string {
	f, err := parser.ParseFile(token.NewFileSet(), o.path, o.data, parser.SkipObjectResolution)
	if err != nil {
		return nil // gofmt has parsed it already
	}
	var names []string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, sp := range g.Specs {
			switch sp := sp.(type) {
			case *ast.TypeSpec:
				names = append(names, sp.Name.Name)
			case *ast.ValueSpec:
				for _, n := range sp.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

var declared = regexp.MustCompile(`(?m)^\s*localparam .*?(\w+) =|^} (\w+);|^function automatic .*\] (\w+)\(|^\s+function automatic .*\] (\w+)\(|^  (TANDEM_\w+) = `)

func otherNames(text string) []string {
	var names []string
	for _, m := range declared.FindAllStringSubmatch(text, -1) {
		for _, n := range m[1:] {
			if n != "" {
				names = append(names, n)
			}
		}
	}
	return names
}
