package cover

import (
	"fmt"
	"strings"
)

// dimension is one of the values whose combinations are the bins of a group.
type dimension struct {
	name   string
	values []string
}

// group is a set of bins: every combination of its dimensions' values.
type group struct {
	name string
	text string
	dims []dimension
	hits []uint64
}

func newGroup(name, text string, dims ...dimension) *group {
	n := 1
	for _, d := range dims {
		n *= len(d.values)
	}
	return &group{name: name, text: text, dims: dims, hits: make([]uint64, n)}
}

// hit counts a bin; at holds an index for each dimension. A value beyond a dimension is a caller's mistake.
func (g *group) hit(at ...int) {
	i := 0
	for d, v := range at {
		i = i*len(g.dims[d].values) + v
	}
	g.hits[i]++
}

// at is the reverse of the index arithmetic in hit.
func (g *group) at(i int) []int {
	at := make([]int, len(g.dims))
	for d := len(g.dims) - 1; d >= 0; d-- {
		n := len(g.dims[d].values)
		at[d], i = i%n, i/n
	}
	return at
}

// Bin names one combination, as "window class=new epoch=next D=0 ...".
func (g *group) bin(i int) string {
	var b strings.Builder
	b.WriteString(g.name)
	for d, v := range g.at(i) {
		fmt.Fprintf(&b, " %s=%s", g.dims[d].name, g.dims[d].values[v])
	}
	return b.String()
}

func (g *group) dim(name string) int {
	for i := range g.dims {
		if g.dims[i].name == name {
			return i
		}
	}
	return -1
}

func (d *dimension) value(name string) int {
	for i, v := range d.values {
		if v == name {
			return i
		}
	}
	return -1
}

var noYes = []string{"no", "yes"}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
