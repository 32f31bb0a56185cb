// Package event is the common language of all targets: the descriptor, the inputs, decisions and table rows of every
// engine, and the records in which they are compared (docs/receive.md, section 4). Types and codecs are generated from
// model/spec/event.tbl and register.tbl.
//
// A record is one transaction: a 64-byte head, and in mode full its state records. Encode fills everything, digest
// included, so two sides agree exactly when their bytes agree (seq and cycle aside, which the device gives). Decode
// takes whole records and, for mode digest, heads alone. No call allocates except for errors.
package event
