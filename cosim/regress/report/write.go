package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/internal/atomicfile"
)

// Format is one of the forms of a report.
type Format struct {
	Name  string // as --format has it
	File  string
	write func(*Report, io.Writer) error
}

// Page is the file of the page.
const Page = "report.html"

var formats = []Format{
	{"html", Page, (*Report).HTML},
	{"md", "report.md", (*Report).Markdown},
	{"junit", "junit.xml", (*Report).JUnit},
	{"json", "report.json", (*Report).JSON},
	{"tap", "report.tap", (*Report).TAP},
}

// Formats are all of them.
func Formats() []Format { return formats }

// ParseFormats reads names with commas between them.
func ParseFormats(text string) ([]Format, error) {
	var list []Format
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	var errs []error
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
		switch {
		case at < 0:
			errs = append(errs, fmt.Errorf("format %q: there are %s", name, strings.Join(names, ", ")))
		case slices.ContainsFunc(list, func(f Format) bool { return f.Name == name }):
			errs = append(errs, fmt.Errorf("format %q: named twice", name))
		default:
			list = append(list, formats[at])
		}
	}
	return list, errors.Join(errs...)
}

// Write writes files into a directory, each in one step, and returns their paths.
func (r *Report) Write(dir string, list []Format) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range list {
		var b bytes.Buffer
		if err := f.write(r, &b); err != nil {
			return names, fmt.Errorf("%s: %w", f.File, err)
		}
		path := filepath.Join(dir, f.File)
		if err := atomicfile.Write(path, b.Bytes()); err != nil {
			return names, err
		}
		names = append(names, path)
	}
	return names, nil
}

// JSON writes the report as it is.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}
