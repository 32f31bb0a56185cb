package rocev2

import "metaroce/tandem/model/workload"

// message is a message that is not complete at its receiver.
type message struct {
	workload.Message
	parts uint32 // that have not arrived; next free place in a list of free ones
}

// messages keeps them by a number that is used again.
type messages struct {
	all  []message
	free uint32 // 1 + first free place; 0: none
	used int
}

func (l *messages) add(m workload.Message, parts uint32) (id uint32) {
	l.used++
	if l.free == 0 {
		l.all = append(l.all, message{m, parts})
		return uint32(len(l.all) - 1)
	}
	id = l.free - 1
	l.free = l.all[id].parts
	l.all[id] = message{m, parts}
	return id
}

// part counts one part that arrived. With the last one the number is free again and m is the message.
func (l *messages) part(id uint32) (m workload.Message, all bool) {
	e := &l.all[id]
	if e.parts--; e.parts > 0 {
		return m, false
	}
	m = e.Message
	e.parts = l.free
	l.free = id + 1
	l.used--
	return m, true
}
