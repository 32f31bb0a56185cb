// Package verbs is the Verbs API over a NIC of package endpoint (ann:verbs): queue pairs, completion queues, memory
// regions, work requests. Names and meaning are those of libibverbs, so that who knows that needs no other page than
// docs/howto/verbs.md, which has an example and what differs.
//
//	your program     PostSend, PostRecv            Poll
//	                       |                         ^
//	verbs       QP: send queue, receive queue    CQ: completions
//	                       |                         ^
//	endpoint         a stream of a connection, on the connection's paths
//	                       |                         ^
//	your network   Pull, OnPacket, OnTime, Deadline, Kicks
//
// A connection (Conn) joins two devices: it has the paths and the congestion state, and is the protection domain. Each of
// its streams is a queue pair: QP number n of one end talks to QP number n of the other. They share the connection's
// paths and are ordered each for itself (ann:streams).
//
// A Device does nothing of its own accord. Whoever owns the network calls its five methods, as for an endpoint.NIC;
// package lab does it for a handful of devices. What happened to posted work is found in completion queues, what happened
// to connections, queue pairs and completion queues by Device.Event.
//
// Units: times are sim.Picos and never go back; lengths are bytes.
package verbs
