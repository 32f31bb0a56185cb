// Package rocev2 is the baseline that MetaRoCE is held against: RoCEv2 as NICs have had it for years. Go-back-N, one
// way through the fabric a queue pair, DCQCN, with or without priority flow control. docs/rocev2.md has the rules, a
// source for each constant, and what is not modelled.
//
// New makes a cluster.Transport. Inside, from the network down to a number:
//
//	Transport   all NICs: finds the queue pairs of a message and completes it
//	host        one NIC as a fabric.Host: who sends next on an uplink, timers
//	qp          one queue pair, both of its ends; pure, knows no network
//	pacer       its DCQCN reaction point; pure
//
// What holds: per queue pair payload is taken in order and once; a message completes when each of its parts has
// arrived in full; a packet's body is freed exactly once. Nothing is allocated a packet once the lists have grown.
//
// Units: times in picoseconds, rates in kb/s, sizes in bytes on the wire where not called payload. Packets of a queue
// pair are counted in 64 bits; the wire has the low 24.
package rocev2
