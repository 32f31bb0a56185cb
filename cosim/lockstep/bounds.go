package lockstep

import (
	"metaroce/tandem/model/conn"
	"metaroce/tandem/vectors/stimulus"
)

// benchAnswer is the latency of the memory port's answer where the stimulus sets none (docs/cosim.md).
const benchAnswer = 8

// Bounds says how late the device may be under a stimulus: told_bound, and at a port that the stimulus stalls what the
// bench may take there. A stall lasts run cycles at most but the next may follow at once, so what counts is how often a
// port is ready: on average once in `every` cycles. A transaction of n beats takes n of them; twice that and twenty ready
// cycles more are passed less often than once in e^20 transactions. Nothing is added for a port that is never stalled.
func Bounds(items stimulus.List) conn.Bounds {
	b := conn.Bounds{Answer: benchAnswer}
	for i := range items {
		it := &items[i]
		switch it.Kind {
		case stimulus.KindStall:
			switch it.Port {
			case stimulus.PortMemory:
				widen(&b.Memory, it)
			case stimulus.PortCompletion:
				widen(&b.Completion, it)
			case stimulus.PortAck:
				widen(&b.Ack, it)
			}
		case stimulus.KindLatency:
			b.Answer = max(b.Answer, it.Lo, it.Hi)
		}
	}
	return b
}

func widen(p *conn.Port, it *stimulus.Item) {
	if it.Permille == 0 || it.Run == 0 {
		return
	}
	permille, run := uint64(it.Permille), uint64(it.Run)
	every := 1 + permille*(run+1)/2/max(1, 1000-min(permille, 1000))
	p.Beat = max(p.Beat, every)
	p.Once = max(p.Once, 20*every+20*run)
}
