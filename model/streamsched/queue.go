package streamsched

import "metaroce/tandem/model/event"

// Enter puts a stream at the tail of its connection's queue.
func Enter(turn *event.StreamSchedTurn, links []event.StreamSchedLink, row uint16) {
	if turn.Queued == 0 {
		turn.Head = row
	} else {
		links[turn.Tail].Next = row
	}
	turn.Tail = row
	turn.Queued++
}

// Leave takes the head out of the queue, which has one.
func Leave(turn *event.StreamSchedTurn, links []event.StreamSchedLink) {
	turn.Head = links[turn.Head].Next
	turn.Queued--
}

// Rotate puts the head behind the tail.
func Rotate(turn *event.StreamSchedTurn, links []event.StreamSchedLink) {
	if turn.Queued < 2 {
		return
	}
	head := turn.Head
	turn.Head = links[head].Next
	links[turn.Tail].Next = head
	turn.Tail = head
}
