// Package ack builds what the receive side sends: acknowledgements, NAKs and answers (R-ACK, `ann:sack`,
// `ann:cc-receiver`).
//
// An acknowledgement says what the path's window holds at build time, so requests that merged are all served by one,
// and one that is lost is made good by the next. A completion notice rides along when the head of the notice queue
// belongs to the connection.
//
// RTL twins: rtl/ack/mr_ack_step.sv, rtl/ack/mr_ack_packet.sv. Page: docs/blocks/ack.md.
package ack
