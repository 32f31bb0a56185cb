// Package coalesce merges the wishes for an acknowledgement of a path into as few as the rules allow (R-COALESCE), and
// times the latest one (R-CTIMER).
//
// A path waits to be built at most once (pending); only a build clears it. Every build has a number, so a count or a
// timer of before the last build is known to be settled without anyone telling it.
//
// RTL twins: rtl/coalesce/mr_coalesce_step.sv, mr_ctimer.sv. Pages: docs/blocks/coalesce.md, docs/blocks/ctimer.md.
package coalesce
