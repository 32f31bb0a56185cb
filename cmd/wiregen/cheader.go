package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

func upper(s string) string { return strings.ToUpper(s) }

// cFieldName is the C name of a value: boundaries have one group only, so theirs leave it out.
func cFieldName(e *spec.Engine, f *spec.Placed) string {
	if e.Boundary {
		return fmt.Sprintf("TANDEM_%s_%s", upper(e.Name), upper(f.Name))
	}
	return fmt.Sprintf("TANDEM_%s_%s_%s", upper(e.Name), upper(f.Group), upper(f.Name))
}

// headOffsets are the fixed fields of a head, as model/event/head.go reads them.
var headOffsets = []struct {
	name         string
	offset, size int
}{
	{"version", 0, 1}, {"kind", 1, 1}, {"op", 2, 1}, {"parts", 3, 1}, {"seq", 4, 4}, {"cycle", 8, 8}, {"xid", 16, 4},
	{"conn", 20, 2}, {"path", 22, 1}, {"valid", 23, 1}, {"stream", 24, 2}, {"zero", 26, 2}, {"digest", 28, 8}, {"body", 36, 28},
}

func genC(s *spec.Spec) []output {
	var w source
	w.f("/* %s", marker)
	w.f(" *\n * Records of the bridge: kinds, places of their fields, digest. Plain C99, no allocation, any byte order. */")
	w.f("#ifndef TANDEM_RECORD_H\n#define TANDEM_RECORD_H\n\n#include <stddef.h>\n#include <stdint.h>\n")
	w.f("#define TANDEM_SCHEMA_HASH 0x%016xull", s.Hash)
	w.f("#define TANDEM_RECORD_VERSION 1\n#define TANDEM_RECORD_BYTES %d /* a head, or one state record */", spec.RecordBytes)
	w.f("#define TANDEM_RECORD_MAX %d /* a transaction */", spec.MaxRecord)
	w.f("#define TANDEM_MAX_FRAME %d /* bytes of the longest frame that a device takes */\n", s.Const("max_frame"))
	w.f("/* bytes of a head */\nenum {")
	for _, h := range headOffsets {
		w.f("  TANDEM_HEAD_%s = %d,", upper(h.name), h.offset)
	}
	w.f("};\n")
	w.f("/* engines and boundaries */\nenum {")
	for i := range s.Engines {
		w.f("  TANDEM_KIND_%s = %d,", upper(s.Engines[i].Name), s.Engines[i].ID)
	}
	w.f("};\n")
	for i := range s.Engines {
		e := &s.Engines[i]
		if !e.Built {
			continue
		}
		w.f("/* %s: %s */\nenum {", e.Name, e.Text)
		for j := range e.Layout.Fields {
			f := &e.Layout.Fields[j]
			w.f("  %s = %d, /* %d bytes, %d bits */", cFieldName(e, f), f.Offset, f.Size, f.Width)
		}
		w.f("};\n")
	}
	cLookups(&w, s)
	w.f("%s", cDigest)
	cTable(&w, s)
	w.f("#endif")
	return []output{{"cosim/dpi/gen/tandem_record.h", []byte(w.String())}}
}

// cLookups writes parts and digest words by kind.
func cLookups(w *source, s *spec.Spec) {
	for _, fn := range []struct {
		name, text string
		value      func(*spec.Engine) int
	}{
		{"tandem_parts", "state records of a kind, -1: no such kind", func(e *spec.Engine) int { return e.Layout.Parts }},
		{"tandem_state_words", "8-byte words of state that the digest covers", func(e *spec.Engine) int { return e.Layout.StateBytes / 8 }},
	} {
		w.f("/* %s */\nstatic inline int %s(int kind) {\n  switch (kind) {", fn.text, fn.name)
		for i := range s.Engines {
			e := &s.Engines[i]
			v := fn.value(e)
			if e.Built && (v != 0 || fn.name == "tandem_parts") {
				w.f("    case TANDEM_KIND_%s: return %d;", upper(e.Name), v)
			}
		}
		none := 0
		if fn.name == "tandem_parts" {
			none = -1
		}
		w.f("    default: return %d;\n  }\n}\n", none)
	}
}

const cDigest = `/* Digest of state: h = seed; for each little-endian word w: h = (h ^ w) * C; h ^= h >> 32. */
#define TANDEM_DIGEST_SEED 0x6d657461726f6365ull

static inline uint64_t tandem_digest_word(uint64_t h, uint64_t w) {
  h = (h ^ w) * 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 32);
}

static inline uint64_t tandem_get(const uint8_t *p, int bytes) {
  uint64_t v = 0;
  for (int i = bytes - 1; i >= 0; i--) v = v << 8 | p[i];
  return v;
}

static inline uint64_t tandem_digest(const uint8_t *state, size_t words) {
  uint64_t h = TANDEM_DIGEST_SEED;
  for (size_t i = 0; i < words; i++) h = tandem_digest_word(h, tandem_get(state + 8 * i, 8));
  return h;
}
`

// cTable describes every value, for tools and tests that handle all kinds alike.
func cTable(w *source, s *spec.Spec) {
	w.f("#ifdef TANDEM_RECORD_TABLE")
	w.f("/* Every value of every kind. name is out.NAME, in.NAME or ROW.NAME. */")
	w.f("static const struct tandem_field { uint8_t kind; const char *kind_name, *name; int offset, size, width; } tandem_fields[] = {")
	for i := range s.Engines {
		e := &s.Engines[i]
		for j := range e.Layout.Fields {
			f := &e.Layout.Fields[j]
			if !e.Built {
				break
			}
			w.f("  {TANDEM_KIND_%s, %q, %q, %s, %d, %d},", upper(e.Name), e.Name, f.Group+"."+f.Name, cFieldName(e, f), f.Size, f.Width)
		}
	}
	w.f("};\n#endif\n")
}
