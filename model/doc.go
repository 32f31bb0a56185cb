// Package model is a MetaRoCE NIC in Go, the receive side first. Import it to run the model; read on to find your way.
//
// # Where is what
//
//	spec, preset, wire, event   the definition and what is generated from it
//	sim                         cycles, queues, random streams
//	admit                       which frames come in                           R-FRAME, R-ICRC, R-ADMIT
//	window                      receive window of a path and its counters      R-WINDOW
//	key, recv                   memory regions; posted receives                R-KEY, R-RECV
//	message                     messages, attempts, sticky refusals            R-MESSAGE
//	place                       bytes that the memory port accepted            R-PLACE
//	complete                    completions in order                           R-COMPLETE
//	coalesce                    when an acknowledgement is due                 R-COALESCE, R-CTIMER
//	ack                         what it says; NAKs and answers                 R-ACK
//	conn                        all of them as one receiver, no cycles: what lockstep holds a device against
//	pipe                        the same in cycles: a device that needs no simulator, and a prediction of time
//	modeltest                   what their tests share
//
// # How it is built
//
// A block is a pure function Step: the row of a table, an operation and its inputs give the row after it and a
// decision. Nothing in a block reads a clock, keeps a pointer or knows another block; they meet in conn, which holds
// the tables and the queues between them. The RTL has a combinational module of the same name and the same fields for
// each (rtl/window/mr_window_step.sv for window.Step), so the two are compared step by step.
//
// A run of the model is a list of records (package event), one for each transaction of an engine and for each event at
// an edge of the device. conn makes the record of a transaction when it is told which one comes next and when; pipe
// decides that by itself.
//
// Under model/ (tests aside) there is no clock, no file, no socket, no goroutine, no randomness but seeded, and no
// floating point number in what RTL mirrors.
package model
