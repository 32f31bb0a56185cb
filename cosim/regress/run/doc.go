// Package run does a regression: it orders the cases, packs them into shards, has a launcher start them, gathers the
// records, gives out again what was lost, and writes what it all came to into the run folder.
//
//	RUN/run.json        what was run, of what, where, and what it came to (Header)
//	RUN/cases.jsonl     every execution that has to have a result: the measure of completeness
//	RUN/plan.yaml       the plan as it was written; plan.d has what it includes
//	RUN/known.yaml      known failures, as they were written down when it began
//	RUN/testplan.json   points by stage and rule, with the tests that show them
//	RUN/shards/         what was given out, and the records as they came: the truth
//	RUN/results.jsonl   all records, sorted; equal in bytes for equal runs, times aside
//	RUN/tests/          folders of executions that did not match
//	RUN/cover/          what executions that matched have covered; coverage.json sums it up (package coverage)
//	latest              beside the run folders: a link to the one that was begun last
//
// An execution without a record is lost or was not begun, and both are verdicts that are no match: nothing passes by being
// absent. A run that is interrupted writes all of this too, and goes on later (Resume) with what has no record.
package run
