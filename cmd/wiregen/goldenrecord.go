package main

import (
	"encoding/binary"
	"math/big"

	"metaroce/tandem/model/spec"
)

// goldenHead are the free fields of a head: what the golden cases choose.
var goldenHead = []struct {
	member
	offset int
}{
	{member{name: "head.op", width: 8}, 2}, {member{name: "head.seq", width: 32}, 4}, {member{name: "head.cycle", width: 64}, 8},
	{member{name: "head.xid", width: 32}, 16}, {member{name: "head.conn", width: 16}, 20}, {member{name: "head.path", width: 8}, 22},
	{member{name: "head.stream", width: 16}, 24},
}

// goldenRecords writes records of every kind, and for the monitors what the device shows beside what must come of it.
func goldenRecords(s *spec.Spec) []output {
	var text source
	textHead(&text, "record KIND CASE, its free head fields, its values in record order, all its bytes")
	var mems []output
	for i := range s.Engines {
		e := &s.Engines[i]
		if !e.Built {
			continue
		}
		var members []member
		for _, h := range goldenHead {
			members = append(members, h.member)
		}
		for _, f := range e.Layout.Fields {
			members = append(members, member{name: f.Group + "." + f.Name, width: f.Width})
		}
		var mem source
		memHead(&mem, "cycle (64 bits), then as the device shows it: op (engines), xid, conn, path, stream and values, first lowest, in",
			"whole hex digits; then the record with sequence and digest zero, byte 0 lowest")
		for _, c := range cases("record "+e.Name, members) {
			text.f("record %s %s", e.Name, c.name)
			for j, m := range members {
				text.f("  %s %x", m.name, c.values[j])
			}
			b := goldenRecord(e, c.values, true)
			text.f("  hex %x", b)
			shown, width := goldenShown(e, members, c.values)
			mem.f("%016x_%s_%s", c.values[2], nibbles(shown, width), lowestFirst(goldenRecord(e, c.values, false), len(b)))
		}
		mems = append(mems, output{goldenDir + "mem/rec_" + e.Name + ".mem", []byte(mem.String())})
	}
	return append([]output{{goldenDir + "records.txt", []byte(text.String())}}, mems...)
}

// goldenRecord lays a record out. Without finish, sequence and digest are zero, as a monitor leaves them.
func goldenRecord(e *spec.Engine, values []*big.Int, finish bool) []byte {
	b := make([]byte, spec.RecordBytes*(1+e.Layout.Parts))
	put := func(at int, v *big.Int) {
		for i, x := range reversed(v.Bytes()) {
			b[at+i] = x
		}
	}
	b[0], b[1], b[3] = 1, byte(e.ID), byte(e.Layout.Parts)
	b[23] = byte(2<<e.Layout.Parts - 1)
	for i, h := range goldenHead {
		if (h.name != "head.op" || !e.Boundary || finish) && (h.name != "head.seq" || finish) {
			put(h.offset, values[i])
		}
	}
	for i, f := range e.Layout.Fields {
		put(f.Offset, values[len(goldenHead)+i])
	}
	if finish && e.Layout.Parts > 0 {
		binary.LittleEndian.PutUint64(b[28:], goldenDigest(b[spec.RecordBytes:spec.RecordBytes+e.Layout.StateBytes]))
	}
	return b
}

func reversed(b []byte) []byte {
	out := make([]byte, len(b))
	for i, x := range b {
		out[len(b)-1-i] = x
	}
	return out
}

// goldenDigest is the digest as the rule book writes it, without the tricks of model/event.
func goldenDigest(b []byte) uint64 {
	h := uint64(0x6d65_7461_726f_6365)
	for ; len(b) > 0; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0x9e37_79b9_7f4a_7c15
		h ^= h >> 32
	}
	return h
}

// goldenShown is the vector a monitor sees: the commit vector of an engine (op, xid, conn, path, stream, values), or
// xid, conn, path, stream and values of a boundary.
func goldenShown(e *spec.Engine, members []member, values []*big.Int) (*big.Int, int) {
	v, at := new(big.Int), 0
	add := func(i int) {
		v.Or(v, new(big.Int).Lsh(values[i], uint(at)))
		at += members[i].width
	}
	if !e.Boundary {
		add(0)
	}
	for _, i := range []int{3, 4, 5, 6} {
		add(i)
	}
	for i := len(goldenHead); i < len(members); i++ {
		add(i)
	}
	return v, at
}
