package main

import (
	"fmt"
	"math/big"
	"strings"

	"metaroce/tandem/model/spec"
)

// The golden files are made bit by bit from the tables, not with the generated codec: they are its slow twin. Every
// language reads the same files.
const goldenDir = "vectors/golden/wire/"

// member is one value of a header, a packet or a record while golden values are chosen.
type member struct {
	name     string
	width    int
	reserved bool
}

// testCase gives every member a value; reserved ones are zero.
type testCase struct {
	name   string
	values []*big.Int
}

// mixer is splitmix64: the same numbers in every version of Go.
type mixer uint64

func (m *mixer) next() uint64 {
	*m += 0x9e3779b97f4a7c15
	z := uint64(*m)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// seedOf names a stream of numbers, so that a new header does not change the values of the others.
func seedOf(name string) *mixer {
	h := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	m := mixer(h)
	return &m
}

func ones(width int) *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))
}

func (m *mixer) value(width int) *big.Int {
	v := new(big.Int)
	for done := 0; done < width; done += 64 {
		v.Or(v, new(big.Int).Lsh(new(big.Int).SetUint64(m.next()), uint(done)))
	}
	return v.And(v, ones(width))
}

// serial members count modulo 2^32; their golden values also stand just below wrap.
func serial(m member) bool {
	name := m.name[strings.LastIndexByte(m.name, '.')+1:]
	return m.width == 32 && (strings.HasSuffix(name, "psn") || strings.HasSuffix(name, "tsn") || strings.HasSuffix(name, "msn") ||
		name == "cum" || name == "completed" || name == "recv_index" || name == "notice_seq" || name == "index")
}

// cases are: zeros, ones, each member alone, serials just below wrap, and random ones.
func cases(seed string, members []member) []testCase {
	var out []testCase
	add := func(name string, value func(i int, m member) *big.Int) {
		c := testCase{name: name}
		for i, m := range members {
			v := big.NewInt(0)
			if !m.reserved {
				v = value(i, m)
			}
			c.values = append(c.values, v)
		}
		out = append(out, c)
	}
	add("zeros", func(int, member) *big.Int { return big.NewInt(0) })
	add("ones", func(_ int, m member) *big.Int { return ones(m.width) })
	for only, m := range members {
		if m.reserved {
			continue
		}
		add("only_"+m.name, func(i int, m member) *big.Int {
			if i == only {
				return ones(m.width)
			}
			return big.NewInt(0)
		})
	}
	add("wrap", func(i int, m member) *big.Int {
		if serial(m) {
			return new(big.Int).Sub(ones(32), big.NewInt(int64(i%3)))
		}
		return new(big.Int).And(big.NewInt(int64(i+1)), ones(m.width))
	})
	for k := range 6 {
		r := seedOf(fmt.Sprintf("%s %d", seed, k))
		add(fmt.Sprintf("random%d", k), func(_ int, m member) *big.Int { return r.value(m.width) })
	}
	return out
}

// pack puts values behind each other, the first in the highest bits, and returns the bytes as they go on the wire.
func pack(members []member, values []*big.Int) []byte {
	v, width := new(big.Int), 0
	for i, m := range members {
		v.Or(v.Lsh(v, uint(m.width)), values[i])
		width += m.width
	}
	return v.FillBytes(make([]byte, width/8))
}

func headerMembers(h *spec.Header, prefix string) []member {
	var out []member
	for _, f := range h.Fields {
		out = append(out, member{prefix + f.Name, f.Width, f.Reserved})
	}
	return out
}

func genGolden(s *spec.Spec) []output {
	outs := goldenHeaders(s)
	outs = append(outs, goldenPackets(s)...)
	outs = append(outs, goldenRecords(s)...)
	return append(outs, goldenKinds(s), goldenCommands(s))
}

func textHead(w *source, lines ...string) {
	w.f("# %s", marker)
	for _, l := range lines {
		w.f("# %s", l)
	}
}

func memHead(w *source, lines ...string) {
	w.f("// %s", marker)
	for _, l := range lines {
		w.f("// %s", l)
	}
}

// nibbles is the value in hex with every digit of its width.
func nibbles(v *big.Int, width int) string { return fmt.Sprintf("%0*x", (width+3)/4, v) }

func goldenHeaders(s *spec.Spec) []output {
	var text source
	textHead(&text, "header NAME CASE, its fields in wire order (hexadecimal; reserved ones are zero), its bytes as they go out")
	var mems []output
	for i := range s.Headers {
		h := &s.Headers[i]
		members := headerMembers(h, "")
		var mem source
		memHead(&mem, "header "+h.Name+" as it goes out, then its fields without reserved ones, each in whole hex digits")
		for _, c := range cases("header "+h.Name, members) {
			b := pack(members, c.values)
			text.f("header %s %s", h.Name, c.name)
			line := fmt.Sprintf("%x", b)
			for j, m := range members {
				if !m.reserved {
					text.f("  %s %x", m.name, c.values[j])
					line += "_" + nibbles(c.values[j], m.width)
				}
			}
			text.f("  hex %x", b)
			mem.f("%s", line)
		}
		mems = append(mems, output{goldenDir + "mem/hdr_" + h.Name + ".mem", []byte(mem.String())})
	}
	return append([]output{{goldenDir + "headers.txt", []byte(text.String())}}, mems...)
}
