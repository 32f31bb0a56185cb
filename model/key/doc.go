// Package key checks a Write against the memory region that its rkey names: key, permission, bounds (R-KEY).
//
// The rkey is an index and a tag; the tag makes an rkey of a removed region useless though its row is used again.
// Bounds are exact: a sum of 65 bits is computed where 64 would wrap into the region.
//
// RTL twin: rtl/key/mr_key_step.sv. Page: docs/blocks/key.md.
package key
