package workload

import "metaroce/tandem/model/sim"

// Message is one transfer from a host to another. A transport carries Bytes of payload and says when all of them are
// in place at Dst.
type Message struct {
	Src, Dst uint16 // hosts
	Stream   uint16 // ordered stream of the connection between the two
	Bytes    uint64 // payload, 1..MaxBytes
	Tag      uint32 // index of the message in its workload
}

// Limits of what a workload may hold.
const (
	MaxBytes    = 1 << 31 // of one message: the bound of RDMA verbs
	MaxHosts    = 1 << 16
	MaxMessages = 1 << 22
	MaxTime     = sim.Picos(1) << 53 // of a start or a delay: two and a half hours, far from where times overflow
)

// Workload gives out messages. post may be called during Start and Done only, with at not before now; the message
// starts at that time.
type Workload interface {
	// Start forgets an earlier run and gives out what waits for nothing.
	Start(now sim.Picos, post func(at sim.Picos, m Message))
	// Done says that m is complete at its receiver, and gives out what waited for it alone by now.
	Done(now sim.Picos, m Message, post func(at sim.Picos, m Message))
	// Messages is how many there are in all. Their tags are 0..Messages()-1.
	Messages() int
}
