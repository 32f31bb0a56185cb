package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"metaroce/tandem/cosim/cover"
	waived "metaroce/tandem/vectors/cover"
)

// Waivers are those of the bins and those of the RTL, with the day that they are held against.
type Waivers struct {
	Bins []cover.Waiver
	Code []Waiver
	Day  string // 2006-01-02
}

// BinWaiverFile is where waivers of the bins are, below the checkout.
const BinWaiverFile = "vectors/cover/waivers.txt"

// binWaivers reads the waivers of the bins: those of a checkout as they are now, and without one those of this program.
func binWaivers(root string) ([]cover.Waiver, error) {
	text, err := os.ReadFile(filepath.Join(root, BinWaiverFile))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = waived.Waivers, nil
	}
	if err != nil {
		return nil, err
	}
	return cover.ParseWaivers(BinWaiverFile, text)
}

// LoadWaivers reads the waivers of a checkout, for the day of a time in UTC. All mistakes are told at once.
func LoadWaivers(root string, now time.Time) (*Waivers, error) {
	w := &Waivers{Day: now.UTC().Format(Day)}
	var err error
	w.Bins, err = binWaivers(root)
	text, rerr := os.ReadFile(filepath.Join(root, WaiverFile))
	if rerr != nil && !errors.Is(rerr, fs.ErrNotExist) { // none: nothing is waived
		err = errors.Join(err, rerr)
	}
	var perr error
	w.Code, perr = ParseWaivers(WaiverFile, text)
	return w, errors.Join(err, perr)
}

// Waive puts waivers over what was not hit, those of before taken away. A waiver that waives nothing is told of, unless
// what it is about was not measured. bins are those of the run.
func (r *Report) Waive(bins *cover.All, w *Waivers) {
	b := bins.Report(w.Bins, w.Day)
	f := &Functional{Bins: b.Bins, Hit: b.Hit, Waived: b.Waived}
	for _, g := range b.Groups {
		x := Group{Name: g.Name, Text: g.Text, Bins: g.Bins, Hit: g.Hit, Waived: g.Waived, Least: g.Least}
		for _, bin := range g.Open {
			x.Open = append(x.Open, strings.TrimPrefix(bin, g.Name+" "))
		}
		f.Groups = append(f.Groups, x)
	}
	r.Functional, r.Stale = f, append([]string(nil), b.Stale...)
	r.waiveCode(w)
}

// WaiveCode does the same for the RTL alone, where no bins were counted.
func (r *Report) WaiveCode(w *Waivers) {
	r.Stale = nil
	r.waiveCode(w)
}

func (r *Report) waiveCode(w *Waivers) {
	codes := map[string]*Code{}
	for _, p := range Parts() {
		codes[p.Name] = p.Code(r)
		codes[p.Name].unwaive()
	}
	for i := range w.Code {
		if c := codes[w.Code[i].kind]; c != nil {
			if trouble := w.Code[i].over(c, w.Day); trouble != "" {
				r.Stale = append(r.Stale, fmt.Sprintf("%s: %s: %s", w.Code[i].Where, w.Code[i].Text, trouble))
			}
		}
	}
	for _, c := range codes {
		c.count()
	}
}

// Again reads the report of a run folder and holds it against the waivers of now.
func Again(dir string, w *Waivers) (*Report, error) {
	r, err := Read(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, BinsSumFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is gone, and %s needs it: was the run folder copied in part?", path, ReportFile) // not as if there were no report
	}
	if err != nil {
		return nil, err
	}
	bins := cover.NewAll()
	if err := bins.Add(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.Waive(bins, w)
	return r, nil
}

// over puts a waiver over gaps and says why it is of no use; empty: it is.
func (w *Waiver) over(c *Code, day string) string {
	if w.Until != "" && day > w.Until {
		return "expired on " + w.Until
	}
	used, moved := 0, 0
	for i := range c.Files {
		f := &c.Files[i]
		for k := range f.Gaps {
			g := &f.Gaps[k]
			switch {
			case f.File != w.file || w.what != "" && !matches(w.what, g.What) || Mark(g.Text) != w.mark:
			case g.Line != w.line:
				moved = g.Line
			default:
				g.Waived = w.Reason
				used++
			}
		}
	}
	switch {
	case used > 0:
		return ""
	case moved > 0:
		return fmt.Sprintf("its line is now %d", moved)
	}
	return "waives nothing: the point was hit, or its line has another text"
}

func (c *Code) unwaive() {
	if c == nil {
		return
	}
	for i := range c.Files {
		for k := range c.Files[i].Gaps {
			c.Files[i].Gaps[k].Waived = ""
		}
	}
}

// count adds up the files.
func (c *Code) count() {
	if c == nil {
		return
	}
	c.Points, c.Hit, c.Waived = 0, 0, 0
	for i := range c.Files {
		f := &c.Files[i]
		f.Waived = 0
		for k := range f.Gaps {
			if f.Gaps[k].Waived != "" {
				f.Waived++
			}
		}
		c.Points, c.Hit, c.Waived = c.Points+f.Points, c.Hit+f.Hit, c.Waived+f.Waived
	}
}
