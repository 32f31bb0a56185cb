package xmit

import (
	"math/bits"

	"metaroce/tandem/model/event"
)

// heap is memory of records, given out in runs of any length up to a ring and taken back. Runs that are given back join
// with their free neighbours, so that the many short rings that a long one has grown out of are not lost.
//
//	chunk  | ring | free ........... | ring | ring | free ... |
//	               ^ head      tail ^                            the two mark the run, and hold its length
//
// Marks stand in the records themselves: where names no list, and is not the zero of a record that is not in use.
type heap struct {
	chunks []*[chunkRecords]event.XmitPacket
	firsts [lists]uint32 // first free run + 1 by length; the last list: longer than any ring
	filled [lists/64 + 1]uint64
}

const (
	chunkLog     = 12 // 64 KB
	chunkRecords = 1 << chunkLog
	lists        = maxRing + 2

	markHead = 1 // of a free run; tsn: its length; sent, part: run before and behind it in its list, + 1
	markTail = 2 // tsn: its length; a run of one has a head only
)

func (r *heap) at(i uint32) *event.XmitPacket {
	return &r.chunks[i>>chunkLog][i&(chunkRecords-1)]
}

// take gives out a run; all its records are zero.
func (r *heap) take(size uint32) uint32 {
	list, ok := r.least(size)
	if !ok {
		r.chunks = append(r.chunks, new([chunkRecords]event.XmitPacket))
		r.put(uint32(len(r.chunks)-1)<<chunkLog, chunkRecords)
		list = lists - 1
	}
	first := r.firsts[list] - 1
	length := r.cut(first)
	if length > size {
		r.put(first+size, length-size)
	}
	return first
}

// least is the first list from a length on that has a run.
func (r *heap) least(size uint32) (uint32, bool) {
	word := r.filled[size/64] >> (size % 64) << (size % 64)
	for i := size / 64; ; {
		if word != 0 {
			return i*64 + uint32(bits.TrailingZeros64(word)), true
		}
		if i++; i == uint32(len(r.filled)) {
			return 0, false
		}
		word = r.filled[i]
	}
}

// give takes a run back, whatever is in it.
func (r *heap) give(first, size uint32) {
	for i := range size {
		*r.at(first + i) = event.XmitPacket{}
	}
	if end := first + size; end&(chunkRecords-1) != 0 && r.at(end).Where == markHead {
		size += r.cut(end)
	}
	if first&(chunkRecords-1) != 0 {
		if left := r.at(first - 1); left.Where == markTail || left.Where == markHead {
			length := left.Tsn
			first -= length
			r.cut(first)
			size += length
		}
	}
	r.put(first, size)
}

// put marks a free run and puts it into its list.
func (r *heap) put(first, length uint32) {
	list := min(length, lists-1)
	behind := r.firsts[list]
	if length > 1 {
		*r.at(first + length - 1) = event.XmitPacket{Where: markTail, Tsn: length}
	}
	*r.at(first) = event.XmitPacket{Where: markHead, Tsn: length, Part: behind}
	if behind != 0 {
		r.at(behind - 1).Sent = first + 1
	}
	r.firsts[list] = first + 1
	r.filled[list/64] |= 1 << (list % 64)
}

// cut takes a free run out of its list, and its marks away.
func (r *heap) cut(first uint32) uint32 {
	head := *r.at(first)
	list := min(head.Tsn, lists-1)
	if head.Sent != 0 {
		r.at(head.Sent - 1).Part = head.Part
	} else if r.firsts[list] = head.Part; head.Part == 0 {
		r.filled[list/64] &^= 1 << (list % 64)
	}
	if head.Part != 0 {
		r.at(head.Part - 1).Sent = head.Sent
	}
	*r.at(first + head.Tsn - 1) = event.XmitPacket{}
	*r.at(first) = event.XmitPacket{}
	return head.Tsn
}
