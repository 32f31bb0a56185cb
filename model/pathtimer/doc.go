// Package pathtimer has the time of a path: when its oldest transmission is overdue, when the path is taken out of use, how
// it is asked whether it lives, and how it gets another port or plane (R-TIMER, R-PROBE, R-EPOCH-CHANGE, R-PLANE;
// `ann:path-state`, `ann:entropy`, `ann:planes`).
//
//	        timeout, the        suspect_probes              a proposal of another port
//	        suspect_after-th    unanswered                  is answered: next epoch
//	active ----------------> suspect ----------------> failed ----------------> active
//	   ^                        |                         |
//	   +---- alive, answered ---+------- alive -----------+
//
// A row has one deadline. Step `due` is called when it has passed, and sets the next one; the deadline of an active path is
// only looked at then (lazily), so that nothing is done per packet but for one that finds no deadline armed.
//
// What the caller has to do with each output is listed in docs/sender.md: out.suspect moves all of live to lost, and so on.
//
// The constants are knobs of preset.Tuning, in ticks of 4 ns and in round trips of the empty network. Timeout is used by
// the caller for records that are away, too.
//
// Page: docs/blocks/path_timer.md.
package pathtimer
