package coalesce

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

const countMax = 7 // the count saturates in its 3 bits; ack_every is below

// Step executes one transaction of coalesce on a path's row.
func Step(row *event.CoalescePath, op uint8, in *event.CoalesceIn, out *event.CoalesceOut) {
	*out = event.CoalesceOut{}
	if op == event.CoalesceSet {
		*row = event.CoalescePath{Seen: in.Builds}
		return
	}
	if row.Seen != in.Builds { // an acknowledgement left since: what was counted is settled
		*row = event.CoalescePath{Seen: in.Builds}
	}
	if row.Count < countMax {
		row.Count++
	}
	want := in.AckNow || row.Count >= preset.AckEvery
	out.Push = want && !in.Pending
	out.Arm = !want && row.Count == 1 && !in.Pending
}

// Fire executes the firing of the oldest armed timer.
func Fire(in *event.CtimerIn, out *event.CtimerOut) {
	out.Push = in.ArmedBuilds == in.Builds && !in.Pending
}
