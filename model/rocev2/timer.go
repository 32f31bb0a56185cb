package rocev2

import "metaroce/tandem/model/sim"

// entry is a time at which a host has to look at a queue pair.
type entry struct {
	at   sim.Picos
	qp   uint32
	pace bool // its pacing lets it; otherwise its retransmission timeout
}

// timers are the entries of one host, a binary heap. A queue pair has at most one entry of each kind: a timeout that is
// moved later is found early when its entry comes up, and put back, so that an acknowledgement costs nothing here.
type timers []entry

func (t timers) next() sim.Picos {
	if len(t) == 0 {
		return never
	}
	return t[0].at
}

// never is after all times of a run.
const never = ^sim.Picos(0)

func (t *timers) push(e entry) {
	h := append(*t, e)
	*t = h
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up].at <= e.at {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

// pop removes the entry that next speaks of.
func (t *timers) pop() entry {
	h := *t
	top, e := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*t = h
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].at < h[down].at {
			down++
		}
		if e.at <= h[down].at {
			break
		}
		h[i] = h[down]
		i = down
	}
	if len(h) > 0 {
		h[i] = e
	}
	return top
}
