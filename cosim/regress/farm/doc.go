// Package farm starts the shards of a regression somewhere. A Launcher starts them, says when each has ended, and ends them
// all when it is told to; what they did stands in their files, whoever started them. Local starts them on this machine, with
// a prefix before the command if there is one (`bsub -K`, `ssh HOST`, `kubectl run ...`); Slurm as the tasks of a job array.
//
// A shard is `PROGRAM regress-shard FILE`. It can be started again at any time: it goes on where it was.
package farm
