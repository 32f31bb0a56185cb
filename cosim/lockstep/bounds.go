package lockstep

import (
	"metaroce/tandem/model/conn"
	"metaroce/tandem/vectors/stimulus"
)

// longestBeats is what the longest transaction takes at a port: a jumbo payload at the memory port.
const longestBeats = 150

// Bounds says how late the device may be under a stimulus: the model's default, plus the longest time that the bench may
// hold back one transaction. A stall lasts run cycles at most but the next may follow at once, so what counts is how
// often a port is ready: on average once in `every` cycles. Twice the expected time of the longest transaction and
// twenty ready cycles more are passed less often than once in e^20 transactions.
func Bounds(items stimulus.List) conn.Bounds {
	worst := uint64(0)
	for i := range items {
		it := &items[i]
		switch it.Kind {
		case stimulus.KindStall:
			every := uint64(1)
			if it.Permille > 0 && it.Run > 0 {
				every += uint64(it.Permille) * (uint64(it.Run) + 1) / 2 / max(1, 1000-uint64(it.Permille))
			}
			beats := uint64(2)
			if it.Port == stimulus.PortMemory {
				beats = longestBeats
			}
			worst = max(worst, 20*every+2*beats*every+20*uint64(it.Run))
		case stimulus.KindLatency:
			worst = max(worst, 2*it.Hi)
		}
	}
	return conn.Bounds{Stall: 20000 + worst}
}
