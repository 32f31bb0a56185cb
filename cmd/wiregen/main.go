package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/model/spec"
)

func main() {
	root := flag.String("root", ".", "root of the project")
	check := flag.Bool("check", false, "write nothing; fail when a generated file differs, is missing or is stale")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "wiregen: %q: takes flags only; wiregen --help lists them\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// load reads the tables from the tree, not those compiled in, so that an edit is seen by a prebuilt wiregen too.
func load(root string) (*spec.Spec, error) {
	var tables []spec.Table
	for _, name := range spec.TableNames {
		path := filepath.Join("model", "spec", name)
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, fmt.Errorf("wiregen: %w (run it at the root of the project, or give --root)", err)
		}
		tables = append(tables, spec.Table{Name: filepath.ToSlash(path), Data: data})
	}
	return spec.Load(tables)
}

func run(root string, check bool) error {
	s, err := load(root)
	if err != nil {
		return err
	}
	outs, err := generate(s)
	if err != nil {
		return err
	}
	if check {
		return compare(root, outs)
	}
	return write(root, outs)
}

func write(root string, outs []output) error {
	for _, o := range outs {
		path := filepath.Join(root, filepath.FromSlash(o.path))
		if old, err := os.ReadFile(path); err == nil && string(old) == string(o.data) {
			continue // keeps time stamps: builds by date do not start over
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(path, o.data); err != nil {
			return err
		}
	}
	return nil
}
