package main

import "metaroce/tandem/model/spec"

// generators are all parts of the output. Each is a pure function of the definition, so the same tables give the same
// bytes on every machine.
var generators = []func(*spec.Spec) []output{genPreset, genWire, genEvent, genPkg, genTypes, genMonitor, genC}

func generate(s *spec.Spec) []output {
	var outs []output
	for _, g := range generators {
		outs = append(outs, g(s)...)
	}
	return outs
}
