// Package spec reads the one definition of the project: the tables constant.tbl, wire.tbl, event.tbl and register.tbl
// beside this file. Everything that two languages must agree on (packet layouts, records, registers, presets) is
// written there once; cmd/wiregen turns it into Go, SystemVerilog, C, Lua and pages.
//
// A table is line oriented. A line is a keyword, its positional arguments, key=value attributes, flags, and a quoted
// text at its end; '#' outside quotes starts a comment. A line that opens a block (header, engine, row, preset, ...)
// owns the member lines behind it (field, in, out, op, value, arg, param) until the next block.
//
// Load never stops at the first mistake: it returns every one it can find, each with file, line and the rule broken
// (the S-... names in rules.go). What Load returns without an error satisfies all those rules, so the generators
// check nothing again.
package spec
