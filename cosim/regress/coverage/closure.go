package coverage

import "fmt"

// Closure is what keeps a run from having shown everything: every bin and point is hit or waived when all of it is empty.
type Closure struct {
	Open       []string `json:"open"`       // bins and points neither hit nor waived
	Stale      []string `json:"stale"`      // waivers that waive nothing, or have expired
	Unmeasured []string `json:"unmeasured"` // covergroups that nothing was counted for
	Missing    []string `json:"missing"`    // executions whose counts could not be read
	Closed     int      `json:"closed"`     // bins and points that are hit or waived
}

// Part is a part of the report that is about the RTL, and a covergroup.
type Part struct {
	Name, Title string
	Code        func(*Report) *Code // nil: not measured
}

// Parts are all of them.
func Parts() []Part {
	return []Part{
		{"line", "lines", func(r *Report) *Code { return r.Line }}, {"branch", "branches", func(r *Report) *Code { return r.Branch }},
		{"toggle", "bits", func(r *Report) *Code { return r.Toggle }}, {"user", "properties", func(r *Report) *Code { return r.User }},
	}
}

// Closure holds the report against covergroups: groups of bins, and line, branch, toggle and user for the RTL. None are all
// groups of bins.
func (r *Report) Closure(covergroups []string) *Closure {
	c := &Closure{Open: []string{}, Stale: append([]string{}, r.Stale...), Unmeasured: []string{}, Missing: append([]string{}, r.Missing...)}
	if covergroups == nil {
		for i := range r.groups() {
			covergroups = append(covergroups, r.Functional.Groups[i].Name)
		}
	}
	for _, name := range covergroups {
		if !c.bins(r, name) && !c.code(r, name) {
			c.Unmeasured = append(c.Unmeasured, name)
		}
	}
	return c
}

func (r *Report) groups() []Group {
	if r.Functional == nil {
		return nil
	}
	return r.Functional.Groups
}

func (c *Closure) bins(r *Report, name string) bool {
	for _, g := range r.groups() {
		if g.Name != name {
			continue
		}
		c.Closed += g.Hit + g.Waived
		for _, bin := range g.Open {
			c.Open = append(c.Open, name+" "+bin)
		}
		return true
	}
	return false
}

func (c *Closure) code(r *Report, name string) bool {
	for _, p := range Parts() {
		code := p.Code(r)
		if p.Name != name || code == nil {
			continue
		}
		c.Closed += code.Hit + code.Waived
		for _, f := range code.Files {
			for i := range f.Gaps {
				if g := &f.Gaps[i]; g.Waived == "" {
					c.Open = append(c.Open, g.Pattern(f.File, name)+"  "+g.Text)
				}
			}
		}
		return true
	}
	return false
}

// Pattern is the waiver of a gap, without its reason.
func (g *Gap) Pattern(file, kind string) string {
	if g.What != "" {
		kind += ":" + g.What
	}
	return fmt.Sprintf("%s:%d %s %s", file, g.Line, kind, Mark(g.Text))
}
