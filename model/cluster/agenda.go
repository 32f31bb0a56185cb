package cluster

import (
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// post is a message that starts at a time.
type post struct {
	at  sim.Picos
	seq uint64 // of giving out: equal times go in this order
	m   workload.Message
}

func (p *post) before(q *post) bool { return p.at < q.at || p.at == q.at && p.seq < q.seq }

// agenda is the posts to come, a binary heap.
type agenda struct {
	heap []post
	seq  uint64
}

// next is the time of the first post.
func (a *agenda) next() (sim.Picos, bool) {
	if len(a.heap) == 0 {
		return 0, false
	}
	return a.heap[0].at, true
}

func (a *agenda) push(at sim.Picos, m workload.Message) {
	a.heap = append(a.heap, post{at, a.seq, m})
	a.seq++
	h := a.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (a *agenda) pop() workload.Message {
	h := a.heap
	m := h[0].m
	last := len(h) - 1
	h[0] = h[last]
	a.heap = h[:last]
	h = a.heap
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if least == i {
			return m
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
