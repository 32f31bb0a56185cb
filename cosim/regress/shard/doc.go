// Package shard runs a share of the cases of a regression. It is what every launcher starts, on this machine or on
// another: `tandem regress-shard FILE`, a supervisor that gives one case after the other to a worker, a process of its own
// session, and watches it.
//
//	RUN/shards/NAME.json    what is to be run: written by the runner, in one step
//	RUN/shards/NAME.jsonl   records, a line as soon as a case is through: the truth about what was done
//	RUN/shards/NAME.begun   the ID of every case as it is begun
//	RUN/shards/NAME.beat    a sign of life every second or so
//	RUN/shards/NAME.log     what worker and tools print
//
// The supervisor ends a worker that passes a limit (wall time, no progress, memory) with everything that the worker
// started, and makes the record in its place; a worker that ends by itself has crashed, and the next case gets a new one.
// A shard that is begun again, after a kill or by a farm that requeues, goes on where it was. A case that took two
// supervisors with it is lost: it is not tried a third time.
//
// Who is killed cannot say so, and everybody notices by himself: a worker ends when its supervisor's pipe closes, a
// supervisor (if it was asked to) when its parent's does.
package shard
