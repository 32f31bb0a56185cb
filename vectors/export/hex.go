package export

import (
	"encoding/hex"
	"math/big"
	"strings"
)

// word is a number of a fixed width that is put together by bits: as $readmemh reads it.
type word struct{ v big.Int }

// put sets width bits from a bit on.
func (w *word) put(at int, v uint64) *word {
	var x big.Int
	x.SetUint64(v)
	w.v.Or(&w.v, x.Lsh(&x, uint(at)))
	return w
}

// bytes sets bytes from a bit on, the first one lowest.
func (w *word) bytes(at int, b []byte) *word {
	rev := make([]byte, len(b))
	for i, x := range b {
		rev[len(b)-1-i] = x
	}
	var x big.Int
	x.SetBytes(rev)
	w.v.Or(&w.v, x.Lsh(&x, uint(at)))
	return w
}

// hex is the word in width bits.
func (w *word) hex(width int) string {
	b := make([]byte, (width+7)/8)
	w.v.FillBytes(b)
	s := hex.EncodeToString(b)
	return s[len(s)-(width+3)/4:]
}

// memory is a file for $readmemh.
type memory struct {
	width int
	b     strings.Builder
	n     int
}

func (m *memory) add(w *word) {
	m.b.WriteString(w.hex(m.width))
	m.b.WriteByte('\n')
	m.n++
}
