package sim

// Ring is a first-in first-out queue whose entries have a number for life: the n-th pushed is entry n. It grows by
// doubling and never shrinks, so a run that has reached its depth no longer allocates. The zero Ring is empty.
//
//	first             end
//	  |                |
//	  v                v
//	[ 7 ][ 8 ][ 9 ][10]            At(8) is the second entry until it is dropped
type Ring[T any] struct {
	buf   []T // length zero or a power of two
	first uint64
	end   uint64
}

// Len is the number of entries.
func (r *Ring[T]) Len() int { return int(r.end - r.first) }

// First is the number of the oldest entry, End that of the next one pushed.
func (r *Ring[T]) First() uint64 { return r.first }

// End is the number that the next entry pushed will have.
func (r *Ring[T]) End() uint64 { return r.end }

// Push appends an entry and returns its place, which still holds what an earlier entry left there: the caller sets
// every field. Pointers from earlier calls may be stale afterwards.
func (r *Ring[T]) Push() *T {
	if int(r.end-r.first) == len(r.buf) {
		r.grow()
	}
	p := &r.buf[r.end&uint64(len(r.buf)-1)]
	r.end++
	return p
}

// At returns entry n, which must be in First..End-1.
func (r *Ring[T]) At(n uint64) *T { return &r.buf[n&uint64(len(r.buf)-1)] }

// Head returns the oldest entry, nil when empty.
func (r *Ring[T]) Head() *T {
	if r.first == r.end {
		return nil
	}
	return r.At(r.first)
}

// Drop removes the oldest entry. Its place may be read until the next Push.
func (r *Ring[T]) Drop() {
	if r.first < r.end {
		r.first++
	}
}

func (r *Ring[T]) grow() {
	n := max(16, 2*len(r.buf))
	buf := make([]T, n)
	for i := r.first; i < r.end; i++ {
		buf[i&uint64(n-1)] = *r.At(i)
	}
	r.buf = buf
}
