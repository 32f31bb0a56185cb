// Package wire is the codec of the MetaRoCE working wire format: one type per header with Append and Decode, the table
// of packet kinds, serial arithmetic, the 256-bit vector and the ICRC. Headers and kinds are generated from
// model/spec/wire.tbl; the layout is ours until the published one is at hand (docs/assumptions.md).
//
// On the wire every field is big-endian and fields are counted from the first bit sent. Append writes reserved fields
// as zero, Decode ignores them, so a header survives Decode and Append except for reserved bits. Neither allocates
// (Append only when the slice is full). RTL twin: the header structs of rtl/gen/mr_types.svh.
package wire
