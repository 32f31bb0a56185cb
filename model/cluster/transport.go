package cluster

import (
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Transport is all NICs of one kind on one network.
type Transport interface {
	// Hosts are the NICs, by host number. Run attaches them before the first Post.
	Hosts() []fabric.Host
	// Post begins to send m now. It is not called during Completed.
	Post(now sim.Picos, m workload.Message)
	// Outstanding is how many messages were posted and have not been completed.
	Outstanding() int
	// Counters are sums over all NICs since the beginning. Run calls it at the edges of bins, so it may take O(hosts).
	Counters() Counters
}

// Events is where a transport says what happened.
type Events interface {
	// Completed says that all bytes of m are in place at its receiver. Once for each message posted.
	Completed(now sim.Picos, m workload.Message)
}

// Describer is a transport that can show its state to a person: for a run that is stuck, at most the given lines.
type Describer interface{ Describe(lines int) string }

// Build makes the transport of a run on a network.
type Build func(net *fabric.Network, events Events) (Transport, error)

// Counters of a transport, sums over all NICs. What a transport does not have stays 0.
type Counters struct {
	Data          uint64 // data packets sent, retransmissions included
	Retransmitted uint64 // of Data: sent before
	Control       uint64 // ACK, NAK, CNP, probe and the like sent
	Marked        uint64 // data packets that arrived with CE
	Duplicates    uint64 // data packets that arrived again, or were thrown away as out of order
	Timeouts      uint64 // retransmission timers that expired
	Bytes         uint64 // payload that arrived for the first time: goodput
	PathFailures  uint64 // paths that were taken for failed
	PathReturns   uint64 // paths that were taken back
	Refused       uint64 // messages refused for want of a receive
}
