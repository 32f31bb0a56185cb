// Package metaroce puts NICs of model/endpoint on a network: a cluster.Transport whose messages are Writes.
//
// Each host has one NIC with an uplink in every plane. Two hosts that exchange anything share one connection, opened at
// once when the first message is posted; the streams of a workload are streams of that connection, so their messages
// complete in order. Payloads are numbers: hosts have no memory here. What is checked with memory is in model/endpoint.
//
//	t, err := metaroce.New(net, &fabricConfig, events, metaroce.Default())
//	cluster.Run(net, ..., work, cluster.Options{})
//
// With Config.Cycles the NICs are those of model/pipe/nic: what they do takes its time, and Device has their loads.
//
// Bodies of packets are in one pool of the transport: a body is taken when a NIC is asked for a packet, and given back
// when the packet is delivered or lost. Ref of a fabric.Packet is its number.
package metaroce
