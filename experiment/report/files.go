package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"metaroce/tandem/experiment"
	"metaroce/tandem/experiment/chart"
	"metaroce/tandem/internal/atomicfile"
)

// Files writes everything into a folder: results.json, results.csv, traces.csv where there are traces, each plot as SVG
// and PNG, and index.html. Several results have a folder each for these, and one index.html above. It returns what it
// wrote, as paths below the folder, in the order of writing.
func Files(dir string, list []*experiment.Result) ([]string, error) {
	f := &folder{dir: dir}
	for _, r := range list {
		below := ""
		if len(list) > 1 {
			below = r.Experiment.Name
		}
		f.result(below, r)
	}
	f.file("index.html", func(w io.Writer) error { return Page(w, list) })
	return f.wrote, f.err
}

// folder keeps the first error.
type folder struct {
	dir   string
	wrote []string
	err   error
}

func (f *folder) result(below string, r *experiment.Result) {
	f.file(filepath.Join(below, "results.json"), func(w io.Writer) error { return JSON(w, []*experiment.Result{r}) })
	f.file(filepath.Join(below, "results.csv"), func(w io.Writer) error { return CSV(w, r) })
	if len(r.Traces) > 0 {
		f.file(filepath.Join(below, "traces.csv"), func(w io.Writer) error { return TracesCSV(w, r) })
	}
	for _, p := range Pictures(r) {
		f.file(filepath.Join(below, p.Name+".svg"), func(w io.Writer) error {
			_, err := io.WriteString(w, chart.Alone(p.Chart.SVG()))
			return err
		})
		f.file(filepath.Join(below, p.Name+".png"), p.Chart.PNG)
	}
}

func (f *folder) file(name string, write func(io.Writer) error) {
	if f.err != nil {
		return
	}
	var b bytes.Buffer
	path := filepath.Join(f.dir, name)
	err := write(&b)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		f.err = fmt.Errorf("cannot write %s: %w", path, reason(err))
		return
	}
	if f.err = atomicfile.Write(path, b.Bytes()); f.err == nil {
		f.wrote = append(f.wrote, filepath.ToSlash(name))
	}
}

// Prepare makes the folder and tries to write into it: what takes hours must not fail at its end.
func Prepare(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".try-"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write into %s: %w", dir, reason(err))
	}
	return nil
}

// reason is an error without the name that a file has while it is being written: nobody has asked for that.
func reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
