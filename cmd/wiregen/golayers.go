package main

import "metaroce/tandem/model/spec"

// genLayers writes the gopacket layer of every header but base, whose layer is handwritten: it knows padding and ICRC.
func genLayers(s *spec.Spec) []output {
	var w source
	w.f("// %s", marker)
	w.f("\npackage layers\n\nimport (\n\"github.com/google/gopacket\"\ngplayers \"github.com/google/gopacket/layers\"\n\n\"metaroce/tandem/model/wire\"\n)\n")
	w.f("// Layer types of the headers.")
	w.f("var (")
	for i, h := range s.Headers {
		w.f("LayerType%s = gopacket.RegisterLayerType(firstLayerType+%d, gopacket.LayerTypeMetadata{Name: \"MetaRoCE%s\", Decoder: gopacket.DecodeFunc(decode%s)})",
			camel(h.Name), i, camel(h.Name), camel(h.Name))
	}
	w.f(")\n")
	w.f("// layerTypes are the layer types by header.")
	w.f("var layerTypes = [...]gopacket.LayerType{")
	for _, h := range s.Headers {
		w.f("wire.Header%s: LayerType%s,", camel(h.Name), camel(h.Name))
	}
	w.f("}\n")
	w.f("// extension makes an empty layer of a header that belongs to base, nil for base itself.")
	w.f("func extension(id wire.HeaderID, of *Base) Extension {\nswitch id {")
	for _, h := range s.Headers {
		if h.Name != "base" {
			w.f("case wire.Header%s: return &%s{Of: of}", camel(h.Name), camel(h.Name))
		}
	}
	w.f("}\nreturn nil\n}\n")
	w.f("// extensions holds one layer of each extension header, to be used again for every packet.")
	w.f("type extensions struct {")
	for _, h := range s.Headers {
		if h.Name != "base" {
			w.f("%s %s", camel(h.Name), camel(h.Name))
		}
	}
	w.f("}\n")
	w.f("// link makes the layers follow base and returns them.")
	w.f("func (e *extensions) link(of *Base) []gopacket.DecodingLayer {")
	for _, h := range s.Headers {
		if h.Name != "base" {
			w.f("e.%s.Of = of", camel(h.Name))
		}
	}
	w.f("return []gopacket.DecodingLayer{")
	for _, h := range s.Headers {
		if h.Name != "base" {
			w.f("&e.%s,", camel(h.Name))
		}
	}
	w.f("}\n}\n")
	for _, h := range s.Headers {
		if h.Name != "base" {
			goLayer(&w, camel(h.Name), h.Name)
		}
	}
	return []output{{"nic/layers/layer_gen.go", gofmt(w.String())}}
}

func goLayer(w *source, n, name string) {
	w.f("// %s is the %s header as a layer.", n, name)
	w.f("type %s struct {\ngplayers.BaseLayer\nwire.%s\nOf *Base // base header of the packet; nil: what follows is payload\n}\n", n, n)
	w.f("// LayerType is LayerType%s.", n)
	w.f("func (l *%s) LayerType() gopacket.LayerType { return LayerType%s }\n", n, n)
	w.f("// CanDecode is LayerType%s.", n)
	w.f("func (l *%s) CanDecode() gopacket.LayerClass { return LayerType%s }\n", n, n)
	w.f("// NextLayerType is the next header of the packet kind, or payload.")
	w.f("func (l *%s) NextLayerType() gopacket.LayerType { return next(l.Of, wire.Header%s) }\n", n, n)
	w.f("// DecodeFromBytes reads the header.")
	w.f("func (l *%s) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {", n)
	w.f("if err := l.%s.Decode(data); err != nil {\ndf.SetTruncated()\nreturn err\n}", n)
	w.f("l.BaseLayer = split(data, wire.%sSize)\nreturn nil\n}\n", n)
	w.f("// SerializeTo puts the header before what is in b.")
	w.f("func (l *%s) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {", n)
	w.f("return prepend(b, wire.%sSize, l.%s.Append)\n}\n", n, n)
	w.f("func decode%s(data []byte, p gopacket.PacketBuilder) error { return decodeAlone(&%s{}, data, p) }\n", n, n)
}
