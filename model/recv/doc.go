// Package recv holds the posted receives and matches a Send, or a Write with immediate, to the one it names
// (R-RECV, `ann:send-match`).
//
// The packet says which posted receive it consumes, so packets of one message, and messages of one stream, match in
// whatever order they come. A row stays valid when it was used: the index is the guard against a second use, and
// model/message discards what is old.
//
// RTL twin: rtl/recv/mr_recv_step.sv. Page: docs/blocks/recv.md.
package recv
