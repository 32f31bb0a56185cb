// Package nic is the whole NIC in cycles, both directions: model/endpoint with a time for each of its stations, queues with
// an end between them, and a host memory that takes its time. It decides when; what is decided is the endpoint's.
//
//	frames in -> parse -> admit -> window -> key -> recv -> message -> write -> place -> complete
//	   (a plane)   |                  '----> slot ---------------------->|  '-> answer
//	               '-> reply -------.                                memory
//	                                | one unit: tables of the sender     |
//	frames out <- port <- build <---+-- pick -> read <-------------------'
//	   (a plane)           (a plane)
//
// A stage starts with a packet when it is free, and when there is room for the packet behind it; the room is promised with
// the start. Latency later the station has its effect, and the packet stands before the next stage. So nothing is ever lost
// inside: what finds no room waits, up to the queue before parse, which has only the wire behind it: a frame that finds it
// full is dropped and counted.
//
// A Device is driven like an endpoint.NIC: OnPacket, Pull, OnTime, Deadline, Kicks, under the same duties; work is posted at
// the NIC itself, and Kicks and Deadline are asked afterwards. Ports are serialised by the caller: a packet is pulled when
// its uplink is free, and comes in with its last bit.
//
// With no latency anywhere (Immediate) every packet passes all stages in the call that brings it, and the records of all
// engines are those of the endpoint alone.
//
// Times are sim.Picos outside and cycles of CyclePs in the configuration and in what is counted. A stage that takes any time
// starts at an edge of that clock. A Device is for one goroutine, and does not allocate once its queues have grown.
package nic
