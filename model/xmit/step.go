package xmit

import "metaroce/tandem/model/event"

// Lists of records; 0 says that a record is not in use.
const (
	Live uint8 = 1
	Lost uint8 = 2
	Away uint8 = 3
)

const (
	carrierMask = 63 // a connection has 64 paths at most
	listShift   = 6
	indexMask   = 255 // records of a path: its receive window (ann:sack)
)

// List is the list that the record stands in, 0: it is not in use.
func List(rec *event.XmitPacket) uint8 { return rec.Where >> listShift }

// Carrier is the path whose port carried the packet last.
func Carrier(rec *event.XmitPacket) uint8 { return rec.Where & carrierMask }

// Psn is the identity of the record with the given psn mod 256. No two records in use are 256 apart (R-ROOM), so they are
// among the last 256 that were given out.
func Psn(row *event.XmitPath, index uint8) uint32 {
	last := row.NextPsn - 1
	return last - (last-uint32(index))&indexMask
}

// Head is the record at the head of a list.
func Head(row *event.XmitPath, list uint8) (psn uint32, ok bool) {
	switch list {
	case Live:
		return Psn(row, row.LiveHead), row.Live != 0
	case Lost:
		return Psn(row, row.LostHead), row.Lost != 0
	default:
		return Psn(row, row.AwayHead), row.Away != 0
	}
}

// Subject is the record that a transaction is about: its psn, and whether there is one.
func Subject(row *event.XmitPath, op uint8, in *event.XmitIn) (psn uint32, ok bool) {
	switch op {
	case event.XmitFirst:
		return row.NextPsn, true
	case event.XmitAgain, event.XmitDetour:
		return Head(row, Lost)
	case event.XmitFree, event.XmitLose, event.XmitKeep:
		return Head(row, in.List)
	case event.XmitRetire:
		return Head(row, Live)
	default: // flush, start
		return 0, false
	}
}

// Step executes one transaction. rec is the record that Subject names; it is not looked at where there is none.
func Step(row *event.XmitPath, rec *event.XmitPacket, op uint8, in *event.XmitIn, out *event.XmitOut) {
	*out = event.XmitOut{}
	switch op {
	case event.XmitFirst:
		out.Psn = row.NextPsn
		row.NextPsn++
		*rec = event.XmitPacket{Part: in.Part, Message: in.Message}
		transmit(row, rec, in, out)
	case event.XmitAgain:
		out.Psn = take(row, rec, in.Home, Lost)
		transmit(row, rec, in, out)
	case event.XmitDetour:
		out.Psn, out.Tsn = take(row, rec, in.Home, Lost), rec.Tsn
		rec.Sent = in.Now
		put(row, rec, Away, in.Carrier, out)
	case event.XmitFlush:
		out.Tsn = row.NextTsn
		row.NextTsn++
	case event.XmitFree:
		out.Psn = take(row, rec, in.Home, in.List)
		rec.Where = 0
	case event.XmitLose:
		out.Psn = take(row, rec, in.Home, in.List)
		put(row, rec, Lost, Carrier(rec), out)
	case event.XmitKeep:
		out.Psn = take(row, rec, in.Home, in.List)
		put(row, rec, in.List, Carrier(rec), out)
		row.Old += wasOld(rec, in.Home)
	case event.XmitRetire:
		out.Psn = take(row, rec, in.Home, Live)
		rec.Sent = in.Now // its time begins anew: what the old port still delivers is no loss
		put(row, rec, Away, in.Home, out)
		row.Old++
	case event.XmitStart:
		*row = event.XmitPath{NextPsn: in.Part, NextTsn: in.Part}
	}
}

// transmit gives the record its place in the order of the path.
func transmit(row *event.XmitPath, rec *event.XmitPacket, in *event.XmitIn, out *event.XmitOut) {
	out.Tsn = row.NextTsn
	row.NextTsn++
	rec.Tsn, rec.Sent = out.Tsn, in.Now
	put(row, rec, Live, in.Home, out)
}

// wasOld is 1 for a record of away that this path itself carried, which it can only have done in an epoch before.
func wasOld(rec *event.XmitPacket, home uint8) uint16 {
	if rec.Where == Away<<listShift|home {
		return 1
	}
	return 0
}

// take removes the head of a list, which rec is, and returns its psn.
func take(row *event.XmitPath, rec *event.XmitPacket, home, list uint8) uint32 {
	var head uint8
	switch list {
	case Live:
		head = row.LiveHead
		row.LiveHead = rec.Next
		row.Live--
	case Lost:
		head = row.LostHead
		row.LostHead = rec.Next
		row.Lost--
	default:
		head = row.AwayHead
		row.AwayHead = rec.Next
		row.Away--
		row.Old -= wasOld(rec, home)
	}
	return Psn(row, head)
}

// put appends the record with psn out.Psn to a list. Its predecessor is another record: out.Link tells who has to point
// to it.
func put(row *event.XmitPath, rec *event.XmitPacket, list, carrier uint8, out *event.XmitOut) {
	rec.Where = list<<listShift | carrier
	index := uint8(out.Psn)
	switch list {
	case Live:
		append1(&row.LiveHead, &row.LiveTail, &row.Live, index, out)
	case Lost:
		append1(&row.LostHead, &row.LostTail, &row.Lost, index, out)
	default:
		append1(&row.AwayHead, &row.AwayTail, &row.Away, index, out)
	}
}

func append1(head, tail *uint8, count *uint16, index uint8, out *event.XmitOut) {
	if *count == 0 {
		*head = index
	} else {
		out.Link, out.Behind = true, *tail
	}
	*tail = index
	*count++
}
