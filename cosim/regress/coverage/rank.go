package coverage

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"
)

// Set is bins and points by number.
type Set []uint64

// SetOf is the set of numbers.
func SetOf(numbers []int) Set {
	if len(numbers) == 0 {
		return nil
	}
	s := make(Set, slices.Max(numbers)/64+1)
	for _, n := range numbers {
		s[n/64] |= 1 << (n % 64)
	}
	return s
}

// Len is how many are in it.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// beyond is how many are in s and not in t.
func (s Set) beyond(t Set) int {
	n := 0
	for i, w := range s {
		if i < len(t) {
			w &^= t[i]
		}
		n += bits.OnesCount64(w)
	}
	return n
}

// with is the union of both, in the place of s where it fits.
func (s Set) with(t Set) Set {
	if len(t) > len(s) {
		s = append(s, make(Set, len(t)-len(s))...)
	}
	for i, w := range t {
		s[i] |= w
	}
	return s
}

// Execution is what one execution has hit.
type Execution struct {
	ID  string
	Hit Set
}

// candidate is an execution with the most that it can still add: that only falls.
type candidate struct{ at, most int }

func before(a, b candidate) int { return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.at, b.at)) }

type queue []candidate

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, k int) bool { return before(q[i], q[k]) < 0 }
func (q queue) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(candidate)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// Rank chooses executions that hit together all that is hit: always the one that adds most, of equal ones the first; then
// those go that the others make superfluous. The smallest set there is can be smaller, but finding it takes for ever.
func Rank(all []Execution) []Ranked {
	var q queue
	var whole Set
	for i := range all {
		q = append(q, candidate{i, all[i].Hit.Len()})
		whole = whole.with(all[i].Hit)
	}
	heap.Init(&q)
	var have Set
	var chosen []int
	for of, n := whole.Len(), 0; n < of; {
		c := heap.Pop(&q).(candidate)
		c.most = all[c.at].Hit.beyond(have)
		if len(q) > 0 && before(q[0], c) < 0 {
			heap.Push(&q, c)
			continue
		}
		chosen, have, n = append(chosen, c.at), have.with(all[c.at].Hit), n+c.most
	}
	return ranked(all, needed(all, chosen, 64*len(whole)), whole.Len())
}

// needed leaves out, the last one chosen first, what the rest hits as well.
func needed(all []Execution, chosen []int, numbers int) []int {
	times := make([]int32, numbers)
	each := func(at int, f func(int)) {
		for i, w := range all[at].Hit {
			for ; w != 0; w &= w - 1 {
				f(i*64 + bits.TrailingZeros64(w))
			}
		}
	}
	for _, at := range chosen {
		each(at, func(n int) { times[n]++ })
	}
	var keep []int
	for _, at := range slices.Backward(chosen) {
		alone := false
		each(at, func(n int) { alone = alone || times[n] == 1 })
		if alone {
			keep = append(keep, at)
		} else {
			each(at, func(n int) { times[n]-- })
		}
	}
	slices.Reverse(keep)
	return keep
}

func ranked(all []Execution, chosen []int, of int) []Ranked {
	var list []Ranked
	var have Set
	sum := 0
	for _, at := range chosen {
		adds := all[at].Hit.beyond(have)
		have, sum = have.with(all[at].Hit), sum+adds
		list = append(list, Ranked{ID: all[at].ID, Adds: adds, Sum: sum, Of: of})
	}
	return list
}
