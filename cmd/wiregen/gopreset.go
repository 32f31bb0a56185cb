package main

import "metaroce/tandem/model/spec"

func genPreset(s *spec.Spec) []output {
	var w source
	w.f("// %s", marker)
	w.f("\npackage preset\n")
	w.f("// Constants of the definition (constant.tbl); the unit stands behind each.")
	w.f("const (")
	for _, c := range s.Consts {
		w.f("%s = %d // %s: %s (%s, %s)", goName(c.Name), c.Value, c.Unit, c.Text, c.Status, c.Source)
	}
	w.f(")\n")
	w.f("// Params sizes the tables of a device. RTL parameters have the same names.")
	w.f("type Params struct {")
	w.f("Name string")
	for _, p := range s.Params {
		rule := ""
		if p.Pow2 {
			rule = ", a power of two"
		}
		w.f("%s int // %s; %d..%d%s", camel(p.Name), p.Text, p.Lo, p.Hi, rule)
	}
	w.f("}\n")
	w.f("var (")
	for _, p := range s.Presets {
		w.f("// %s: %s.", camel(p.Name), p.Text)
		w.f("%s = Params{Name: %q,", camel(p.Name), p.Name)
		for i, v := range p.Values {
			w.f("%s: %d,", camel(s.Params[i].Name), v)
		}
		w.f("}")
	}
	w.f(")\n")
	w.f("// All returns every preset, smallest first.")
	w.f("func All() []Params {\nreturn []Params{")
	for _, p := range s.Presets {
		w.f("%s,", camel(p.Name))
	}
	w.f("}\n}\n")
	w.f("// rule is the range of one parameter.")
	w.f("type rule struct {\nname string\nlo, hi int\npow2 bool\nget func(*Params) int\n}\n")
	w.f("var rules = []rule{")
	for _, p := range s.Params {
		w.f("{%q, %d, %d, %v, func(p *Params) int { return p.%s }},", p.Name, p.Lo, p.Hi, p.Pow2, camel(p.Name))
	}
	w.f("}")
	return []output{{"model/preset/preset_gen.go", gofmt(w.String())}}
}
