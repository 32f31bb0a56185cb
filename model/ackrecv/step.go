package ackrecv

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

const (
	heldMax   = 1<<24 - 1 // held saturates there: it says no more how long
	srttShift = 3         // a sample moves the mean by 1/8
	varShift  = 2         // and the variation by 1/4
)

// Step executes one transaction: row becomes the state after it, out what was decided.
func Step(row *event.AckRecvPath, op uint8, in *event.AckRecvIn, out *event.AckRecvOut) {
	*out = event.AckRecvOut{}
	switch op {
	case event.AckRecvStart:
		*row = event.AckRecvPath{Cum: in.Cum}
	case event.AckRecvEpoch:
		row.LimitValid = false // order by a port says nothing of what another one carried
	default:
		acknowledge(row, in, out)
	}
}

// Covers says whether an acknowledgement tells that psn came.
func Covers(cum uint32, vector *wire.Bitmap256, psn uint32) bool {
	off := psn - cum
	return off >= 1<<31 || off < 256 && vector.Get(off)
}

func acknowledge(row *event.AckRecvPath, in *event.AckRecvIn, out *event.AckRecvOut) {
	if beyond(in) {
		out.Bogus = true
		return
	}
	current := in.Epoch == in.OwnEpoch
	out.Alive = current && !in.FlagD
	if !wire.Less(in.Cum, row.Cum) {
		row.Cum = in.Cum
		out.Fresh = true
	}
	if current && in.HighValid && !(row.LimitValid && wire.Less(in.HighTsn, row.Limit)) {
		row.Limit, row.LimitValid = in.HighTsn, true
	}
	out.LimitValid = row.LimitValid
	if row.LimitValid {
		out.Limit = row.Limit - uint32(in.Tolerance)
	}
	if in.Sample && out.Alive && in.Held != heldMax {
		measure(row, in, out)
	}
}

// beyond says whether the acknowledgement covers a psn or a tsn that was never given out.
func beyond(in *event.AckRecvIn) bool {
	unsent := wire.Diff(in.NextPsn, in.Cum) // psn that were given out and are not below cum
	if unsent < 0 || in.HighValid && !wire.Less(in.HighTsn, in.NextTsn) {
		return true
	}
	return unsent < 256 && in.Vector.Highest() >= int(unsent)
}

// measure is the estimator of RFC 6298 without its clock granularity; a first sample stands for mean and twice the
// variation.
func measure(row *event.AckRecvPath, in *event.AckRecvIn, out *event.AckRecvOut) {
	r := wire.Diff(in.Now, in.EchoTime) - int32(in.Held)
	if r <= 0 {
		return // the peer held it longer than it was away
	}
	out.Rtt = uint32(r)
	if row.Srtt == 0 {
		row.Srtt, row.Rttvar = uint32(r), uint32(r)>>1
		return
	}
	off := r - int32(row.Srtt)
	row.Srtt = uint32(max(1, int32(row.Srtt)+off>>srttShift))
	if off < 0 {
		off = -off
	}
	row.Rttvar = uint32(int32(row.Rttvar) + (off-int32(row.Rttvar))>>varShift)
}
