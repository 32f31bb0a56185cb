package mutate

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// Between stands in front of each scenario where several follow each other in one run: what one left in the bench and
// in registers is taken back. Tables keep what they hold, as in a device that runs on.
func Between() stimulus.List {
	l := stimulus.List{{Kind: stimulus.KindWaitIdle}, {Kind: stimulus.KindFault, Lo: 1}, {Kind: stimulus.KindLatency, Lo: 8, Hi: 8}}
	for p := stimulus.PortFrame; p <= stimulus.PortRegister; p++ {
		l = append(l, stimulus.Item{Kind: stimulus.KindStall, Port: p})
	}
	for _, r := range event.Registers {
		for i := range r.Count {
			l = append(l, stimulus.Item{Kind: stimulus.KindRead, Addr: uint16(r.Offset + i*r.Stride)})
		}
	}
	return append(l,
		stimulus.Item{Kind: stimulus.KindWrite, Addr: event.RegUDPPort, Value: preset.UDPPort},
		stimulus.Item{Kind: stimulus.KindWrite, Addr: event.RegHint},
		stimulus.Item{Kind: stimulus.KindWrite, Addr: event.RegHintGen},
		stimulus.Item{Kind: stimulus.KindWaitIdle})
}
