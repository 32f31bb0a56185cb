package coverage

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
)

// Elements of Cobertura's form, version 4 (http://cobertura.sourceforge.net/xml/coverage-04.dtd).
type (
	cobertura struct {
		XMLName         xml.Name           `xml:"coverage"`
		LineRate        string             `xml:"line-rate,attr"`
		BranchRate      string             `xml:"branch-rate,attr"`
		LinesCovered    int                `xml:"lines-covered,attr"`
		LinesValid      int                `xml:"lines-valid,attr"`
		BranchesCovered int                `xml:"branches-covered,attr"`
		BranchesValid   int                `xml:"branches-valid,attr"`
		Complexity      int                `xml:"complexity,attr"`
		Version         string             `xml:"version,attr"`
		Timestamp       int64              `xml:"timestamp,attr"`
		Sources         []string           `xml:"sources>source"`
		Packages        []coberturaPackage `xml:"packages>package"`
	}
	coberturaPackage struct {
		Name       string           `xml:"name,attr"`
		LineRate   string           `xml:"line-rate,attr"`
		BranchRate string           `xml:"branch-rate,attr"`
		Complexity int              `xml:"complexity,attr"`
		Classes    []coberturaClass `xml:"classes>class"`
		lines      ratio
		branches   ratio
	}
	coberturaClass struct {
		Name       string          `xml:"name,attr"`
		Filename   string          `xml:"filename,attr"`
		LineRate   string          `xml:"line-rate,attr"`
		BranchRate string          `xml:"branch-rate,attr"`
		Complexity int             `xml:"complexity,attr"`
		Methods    struct{}        `xml:"methods"`
		Lines      []coberturaLine `xml:"lines>line"`
	}
	coberturaLine struct {
		Number    int    `xml:"number,attr"`
		Hits      uint64 `xml:"hits,attr"`
		Branch    bool   `xml:"branch,attr"`
		Condition string `xml:"condition-coverage,attr,omitempty"`
	}
)

// coberturaType stands in front of the document.
const coberturaType = `<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">` + "\n"

// ratio is how many of all.
type ratio struct{ hit, of int }

func (r ratio) plus(o ratio) ratio { return ratio{r.hit + o.hit, r.of + o.of} }

// rate is the ratio as a number from 0 to 1; of nothing it is 1.
func (r ratio) rate() string {
	if r.of == 0 {
		return "1"
	}
	return fmt.Sprintf("%.4f", float64(r.hit)/float64(r.of))
}

// Cobertura writes lines and branches in the form of Cobertura, which servers of continuous integration read. A folder is
// a package, a file a class. Files are named relative to root.
func (s *Sum) Cobertura(out io.Writer, root string) error {
	all := s.files()
	c := cobertura{Sources: []string{root}, Version: "tandem"}
	var lines, branches ratio
	for _, file := range slices.Sorted(maps.Keys(all)) {
		class, l, b := coberturaOf(file, all[file])
		if l.of == 0 {
			continue
		}
		lines, branches = lines.plus(l), branches.plus(b)
		if n := len(c.Packages); n == 0 || c.Packages[n-1].Name != path.Dir(file) {
			c.Packages = append(c.Packages, coberturaPackage{Name: path.Dir(file)})
		}
		p := &c.Packages[len(c.Packages)-1]
		p.Classes, p.lines, p.branches = append(p.Classes, class), p.lines.plus(l), p.branches.plus(b)
		p.LineRate, p.BranchRate = p.lines.rate(), p.branches.rate()
	}
	c.LineRate, c.LinesCovered, c.LinesValid = lines.rate(), lines.hit, lines.of
	c.BranchRate, c.BranchesCovered, c.BranchesValid = branches.rate(), branches.hit, branches.of
	if _, err := io.WriteString(out, xml.Header+coberturaType); err != nil {
		return err
	}
	e := xml.NewEncoder(out)
	e.Indent("", " ")
	if err := e.Encode(&c); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

func coberturaOf(file string, h *hits) (coberturaClass, ratio, ratio) {
	c := coberturaClass{Name: path.Base(file), Filename: file}
	var lines, branches ratio
	arms := map[int]ratio{}
	for at, n := range h.arms {
		arm := ratio{b2i(n > 0), 1}
		arms[at.line], branches = arms[at.line].plus(arm), branches.plus(arm)
	}
	for _, line := range slices.Sorted(maps.Keys(h.lines)) {
		l := coberturaLine{Number: line, Hits: h.lines[line]}
		if a := arms[line]; a.of > 0 {
			l.Branch, l.Condition = true, fmt.Sprintf("%d%% (%d/%d)", 100*a.hit/a.of, a.hit, a.of)
		}
		c.Lines, lines = append(c.Lines, l), lines.plus(ratio{b2i(l.Hits > 0), 1})
	}
	c.LineRate, c.BranchRate = lines.rate(), branches.rate()
	return c, lines, branches
}
