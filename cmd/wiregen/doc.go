// Command wiregen turns the tables of model/spec into everything that must agree with them:
//
//	model/preset, model/wire, model/event   Go types, codec, records, descriptions
//	rtl/gen                                 SystemVerilog constants and structs
//	cosim/dpi/gen                           record layout for monitors and the C shim
//	nic/layers, docs/dissector              gopacket layers, Wireshark dissector
//	vectors/golden/wire                     field <-> hex files that all of these are tested with
//	docs                                    wire.md, events.md, registers.md, tables.md, constants.md, assumptions.md
//
// Run without flags it writes them; with --check it writes nothing and fails with the list of files that differ, are
// missing, or carry the mark of a generated file although nothing generates them any more.
package main
