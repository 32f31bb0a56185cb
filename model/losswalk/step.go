package losswalk

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Fates of a record.
const (
	Stays uint8 = 0 // it may still come
	Acked uint8 = 1 // it came: the record is settled
	Lost  uint8 = 2 // something sent after it on the same path and port came
	Due   uint8 = 3 // its time has passed, or the path that carried it is not active
)

const (
	listLive = 1
	listAway = 3
)

// Step executes one transaction.
func Step(in *event.LossWalkIn, out *event.LossWalkOut) {
	out.Fate = fate(in)
}

func fate(in *event.LossWalkIn) uint8 {
	switch {
	case in.Acked:
		return Acked
	case in.List == listLive && in.LimitValid && !wire.Less(in.Limit, in.Tsn):
		return Lost
	case in.List == listAway && (in.Down || in.Now-in.Sent >= in.Rto):
		return Due
	default:
		return Stays
	}
}
