package pathchoice

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Policies.
const (
	Pointer   uint8 = 0
	Largest   uint8 = 1
	Oblivious uint8 = 2
)

// PenaltyMax is where a penalty saturates.
const PenaltyMax = 15

const (
	pathMask = 63 // a connection has 64 paths at most
	perWord  = 16 // penalties in a word of the row
	turnMask = 15
)

// Step executes one transaction: row becomes the state after it, out what was decided.
func Step(row *event.PathChoiceChoice, op uint8, in *event.PathChoiceIn, out *event.PathChoiceOut) {
	*out = event.PathChoiceOut{}
	if op == event.PathChoiceMark {
		setPenalty(row, in.Path, min(PenaltyMax, Penalty(row, in.Path)+in.Add))
		return
	}
	eligible := in.Active & in.Room
	if eligible == 0 {
		out.None = true
		return
	}
	switch in.Policy {
	case Largest:
		out.Chosen = in.Path & pathMask
		if eligible>>out.Chosen&1 == 0 {
			out.Chosen = from(eligible, row.Pointer)
		}
	case Oblivious:
		out.Chosen = nth(eligible, uint32(in.Draw)*uint32(bits.OnesCount64(eligible))>>16)
	default:
		last := (row.Pointer - 1) & pathMask
		if row.Turn > 0 && eligible>>last&1 != 0 && Penalty(row, last) == 0 {
			row.Turn--
			out.Chosen = last
			return
		}
		out.Chosen = pass(row, eligible)
		row.Turn = (max(1, in.Burst) - 1) & turnMask
	}
	row.Pointer = (out.Chosen + 1) & pathMask
}

// Best is the input `path` of policy Largest: of the eligible paths that with the most free, the first from the pointer
// on among equals. free has the free window of each path in bytes.
func Best(free []uint32, eligible uint64, pointer uint8) uint8 {
	best, most, found := uint8(0), uint32(0), false
	for left := eligible; left != 0; {
		p := from(left, pointer)
		left &^= 1 << p
		if !found || free[p] > most {
			best, most, found = p, free[p], true
		}
	}
	return best
}

// Penalty is how often path is still passed over.
func Penalty(row *event.PathChoiceChoice, path uint8) uint8 {
	return uint8(row.Penalty[path&pathMask/perWord]>>(path%perWord*4)) & PenaltyMax
}

func setPenalty(row *event.PathChoiceChoice, path, value uint8) {
	word, at := path&pathMask/perWord, path%perWord*4
	row.Penalty[word] = row.Penalty[word]&^(PenaltyMax<<at) | uint64(value)<<at
}

// pass goes from the pointer to the first eligible path without penalty, and takes one off each eligible one before it.
// If there is none, all were passed over, and the one with the least goes.
func pass(row *event.PathChoiceChoice, eligible uint64) uint8 {
	if row.Penalty == (wire.Bitmap256{}) {
		return from(eligible, row.Pointer)
	}
	least, chosen := uint8(PenaltyMax+1), uint8(0)
	for left := eligible; left != 0; {
		p := from(left, row.Pointer)
		left &^= 1 << p
		penalty := Penalty(row, p)
		if penalty == 0 {
			return p
		}
		setPenalty(row, p, penalty-1)
		if penalty < least {
			least, chosen = penalty, p
		}
	}
	return chosen
}

// from is the first path of a mask that is not empty, counted from pointer on and round.
func from(mask uint64, pointer uint8) uint8 {
	return (pointer + uint8(bits.TrailingZeros64(bits.RotateLeft64(mask, -int(pointer))))) & pathMask
}

// nth is the n-th path of a mask, from 0.
func nth(mask uint64, n uint32) uint8 {
	for range n {
		mask &= mask - 1
	}
	return uint8(bits.TrailingZeros64(mask))
}
