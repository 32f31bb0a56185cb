// Package faults proves the checker: it plants known bugs into copies of the RTL, the monitors and the shim, all of
// them into one simulator in which a plusarg chooses one at run time, and requires that lockstep finds each of them
// and reports it in full. docs/faults.md is the page for readers.
//
// Sources carry no trace of it: the RTL that is linted, proven and synthesized has no switch in it that could be left
// on. A fault is a replacement of one exact piece of text; if that text is not found once, its owner has changed the
// place, and TestEveryFaultFindsItsPlace says which fault to look after.
package faults
