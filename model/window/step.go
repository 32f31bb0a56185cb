package window

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// epochRelation tells how a packet's epoch stands to the row's.
const (
	epochCurrent = 0
	epochNext    = 1
	epochMask    = 15 // epochs are 4 bit
)

// Step executes one transaction: row becomes the state after it, out what was decided.
func Step(row *event.WindowPath, op uint8, in *event.WindowIn, out *event.WindowOut) {
	*out = event.WindowOut{}
	switch op {
	case event.WindowSet:
		start(row, in)
		out.Class = event.ClassSet
	case event.WindowFlush:
		out.Class = event.ClassFlush
		observe(row, in)
		out.AckNow = true
	default:
		packet(row, in, out)
	}
}

// start is path_set: nothing came, nothing was shown to be missing.
func start(row *event.WindowPath, in *event.WindowIn) {
	*row = event.WindowPath{
		Cum:     in.Psn,
		HighPsn: in.Psn - 1, // so that the first packet in order shows no gap
		HighTsn: in.Tsn - 1,
		Epoch:   in.Epoch,
		Peer:    in.TxTime & 0xffffff,
	}
}

// packet is a packet with psn.
//
//	cum           cum+255
//	 |0..1.11......|          off = psn - cum
//	too_old  <- | duplicate or new | -> too_new
func packet(row *event.WindowPath, in *event.WindowIn, out *event.WindowOut) {
	off := in.Psn - row.Cum
	switch {
	case off >= 1<<31:
		out.Class = event.ClassTooOld
	case off >= preset.WindowBits:
		out.Class = event.ClassTooNew
		row.TooNew++ // not even its tsn counts: it will be sent again
		return
	case row.Vector.Get(off):
		out.Class = event.ClassDuplicate
	default:
		out.Class = event.ClassNew
	}
	evidence := showsOrder(row, in) // before observe moves the epoch
	observe(row, in)
	row.LastPsn = in.Psn
	row.Packets++
	if in.Ce {
		row.Ce++
	}
	if out.Class != event.ClassNew {
		row.Dups++
		row.LastCe = in.Ce
		out.AckNow = true
		return
	}
	arrive(row, in, off, evidence, out)
}

// arrive marks a new packet and decides whether its acknowledgement may wait.
func arrive(row *event.WindowPath, in *event.WindowIn, off uint32, evidence bool, out *event.WindowOut) {
	row.Bytes = (row.Bytes + uint64(in.PayloadLen)) & (1<<48 - 1)
	row.Vector.Set(off)
	if off == 0 {
		run := row.Vector.TrailingOnes()
		row.Cum += uint32(run)
		row.Vector.ShiftRight(run)
	}
	ahead := wire.Diff(in.Psn, row.HighPsn)
	out.GapShown = evidence && ahead > 1
	out.GapFilled = ahead < 0
	if ahead > 0 {
		row.HighPsn = in.Psn
	}
	out.AckNow = out.GapShown || out.GapFilled || in.Ce != row.LastCe || in.FlagA || in.FlagL
	out.AckCount = !out.AckNow
	row.LastCe = in.Ce
}

// showsOrder is false for packets that took another way than their path's: a detour left by another path's port, one
// of an older epoch by an older port. They fill gaps but are no evidence that anything before them is lost.
func showsOrder(row *event.WindowPath, in *event.WindowIn) bool {
	return !in.FlagD && (in.Epoch-row.Epoch)&epochMask <= epochNext
}

// observe takes over what an acknowledgement echoes: the newest packet and the highest tsn of the current epoch.
func observe(row *event.WindowPath, in *event.WindowIn) {
	if !in.FlagD {
		switch (in.Epoch - row.Epoch) & epochMask {
		case epochCurrent:
			if !row.HighValid || wire.Diff(in.Tsn, row.HighTsn) > 0 {
				row.HighTsn = in.Tsn
			}
			row.HighValid = true
		case epochNext:
			row.Epoch, row.HighTsn, row.HighValid = in.Epoch, in.Tsn, true
		}
	}
	row.LastTime = in.TxTime
	row.LastNow = in.Now
	row.LastSport = in.Sport
	row.LastD = in.FlagD
}
