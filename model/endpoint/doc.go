// Package endpoint is a whole NIC, both directions, without cycles: the blocks of the receive side and of the send side
// put together, with the queues, timers and tables that stand between them. docs/endpoint.md draws it.
//
// A NIC is a pure machine. It is told what happens and when; what it wants from its surroundings it leaves to be taken:
//
//	n, err := endpoint.New(cfg)              // endpoint.Default() is a start
//	conn, err := n.Open(now, host, 8, 0)     // or ConnectNow(now, a, b, ...) in a simulation
//	msn, err := n.Post(now, conn, stream, endpoint.Work{Op: wire.OpcodeWrite, ...})
//	index, err := n.PostRecv(conn, stream, id, addr, length)
//	n.OnPacket(now, plane, &packet)          // a whole packet came by a plane
//	n.OnTime(now)                            // at n.Deadline(), or whenever time has passed
//
// and after each of these, in any order:
//
//	for plane in n.Kicks()                   // the uplink has something: when it is free,
//	    n.Pull(now, plane, &packet)          // ask for packets until there is none
//	at, armed := n.Deadline()                // call OnTime then
//	n.Completion(), n.Event()                // what became of work, and of connections
//
// Packets are Packet structs; Append and Decode are their bytes. The body is the caller's, before and after a call.
//
// # Inside
//
// Each engine of event.tbl is a station: a method that handles one item, calls the engine's step with the rows that it
// owns, and hands the item on (station.go). What one station needs of another's table it reads as it stands, which is what
// the tables of docs/receive.md and docs/sender.md define for commits one after the other. model/pipe/nic drives the same
// stations with times between them.
//
// With Config.Trace set, every step leaves its record; without, records cost nothing.
//
// # Sizes
//
// Tables grow with what is used: a connection that only sends has no receive windows, a stream has as many message slots as
// it had messages open, a path as many records as it had packets in flight. After that nothing is allocated.
//
// Invariants: bytes in flight of a path are those of its records; a record is in one list; a message slot of a sender is
// kept until every packet that was cut from it is settled; a request completes at its requester once, in the order of its
// stream, and not before its data is where it belongs.
//
// Units: now in picoseconds, inside in ticks of 4 ns modulo 2^32; bytes of windows are bytes on a link; lengths, offsets and
// addresses are bytes of memory. Planes and paths are masks of bits.
package endpoint
