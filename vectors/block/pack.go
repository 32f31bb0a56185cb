package block

import (
	"encoding/hex"
	"fmt"
	"slices"

	"metaroce/tandem/model/event"
)

// record is room for any record of model/event.
type record = [event.MaxRecord]byte

// word collects bits, the first put least significant.
type word struct {
	bytes []byte
	bits  int
}

// put appends the low width bits of a little-endian value.
func (w *word) put(value []byte, width int) {
	for i := range width {
		if w.bits%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		bit := value[i/8] >> (i % 8) & 1
		w.bytes[w.bits/8] |= bit << (w.bits % 8)
		w.bits++
	}
}

// hex is the word as $readmemh takes it: most significant digit first.
func (w *word) hex() string {
	b := slices.Clone(w.bytes)
	slices.Reverse(b)
	text := hex.EncodeToString(b)
	return text[len(text)-(w.bits+3)/4:]
}

// fields puts all fields of one group of a record, in declared order.
func (w *word) fields(info *event.EngineInfo, group event.Group, r *record) {
	for i := range info.Fields {
		if f := &info.Fields[i]; f.Group == group {
			w.put(f.Bytes(r[:]), f.Width)
		}
	}
}

// line packs one transaction: before holds row, in and op as the step finds them, after what it leaves.
func line(info *event.EngineInfo, before, after *record) string {
	var head event.Head
	if err := head.Decode(before[:]); err != nil {
		panic(fmt.Sprintf("vectors/block BUG: record of %s: %v", info.Name, err))
	}
	var w word
	w.fields(info, event.GroupRow, before)
	w.put([]byte{head.Op}, 8)
	w.fields(info, event.GroupIn, before)
	w.fields(info, event.GroupRow, after)
	w.fields(info, event.GroupOut, after)
	return w.hex()
}

// infoOf finds the description of an engine.
func infoOf(name string) *event.EngineInfo {
	for i := range event.Engines {
		if event.Engines[i].Name == name {
			return &event.Engines[i]
		}
	}
	panic("vectors/block BUG: no engine " + name)
}
