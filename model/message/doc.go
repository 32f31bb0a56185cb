// Package message is the message table: which attempt of which message a slot serves, what was refused, and the
// sticky error of a stream (R-MESSAGE).
//
// A packet that the window took is placed, or answered by a state that stays until the requester has asked for it:
// there is no third outcome. A NAK only hurries the requester; its loss changes nothing.
//
//	           first packet             rnr
//	(empty) ---------------> live ------------> refused --- newer attempt ---> live
//	                           |                   |
//	                           +--- fatal ---------+----> stream.error, until stream_set
//
// Slots are not cleared when a stream is opened again: a slot of another life is empty.
//
// RTL twin: rtl/message/mr_message_step.sv. Page: docs/blocks/message.md.
package message
