package endpoint

// paceHeap holds the connections that wait for their pacing time, the earliest first. Times are ticks that wrap; all of
// them are less than 2^31 apart.
type paceHeap struct{ e []paced }

type paced struct {
	at   uint32
	conn uint16
}

// heapArity is the number of children of a node: four share a cache line.
const heapArity = 4

func (h *paceHeap) push(at uint32, conn uint16) {
	h.e = append(h.e, paced{})
	i := len(h.e) - 1
	for i > 0 {
		up := (i - 1) / heapArity
		if int32(h.e[up].at-at) <= 0 {
			break
		}
		h.e[i] = h.e[up]
		i = up
	}
	h.e[i] = paced{at, conn}
}

// pop removes the earliest; the heap is not empty.
func (h *paceHeap) pop() paced {
	top := h.e[0]
	last := h.e[len(h.e)-1]
	h.e = h.e[:len(h.e)-1]
	n := len(h.e)
	i := 0
	for {
		child := heapArity*i + 1
		if child >= n {
			break
		}
		least := child
		for k := child + 1; k < min(child+heapArity, n); k++ {
			if int32(h.e[k].at-h.e[least].at) < 0 {
				least = k
			}
		}
		if int32(h.e[least].at-last.at) >= 0 {
			break
		}
		h.e[i] = h.e[least]
		i = least
	}
	if n > 0 {
		h.e[i] = last
	}
	return top
}
