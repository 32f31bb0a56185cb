// Package workload says which messages are to be carried, between whom, and what each of them waits for. It knows no
// transport and no network: model/cluster posts what a workload gives out, and tells it what has arrived.
//
// Every workload is a Graph: a list of messages, each with the time before which it does not start and the messages
// that it waits for. The builders (Flows, Incast, Permutation, AllToAll, RingAllReduce, TreeAllReduce, AllGather,
// Storage, Connections, Across) fill one from a few numbers; Parse reads one from a text, and Format writes any of
// them as such a text. docs/workloads.md has a picture and the physical limit of each.
//
// What holds: a message waits only for messages with a lower Tag, so no graph waits for itself. A message is given
// out exactly once, when the last of those it waits for is done. Start times that are spread come from a seed; equal
// seeds give equal graphs. Time is in picoseconds, sizes are payload in bytes.
package workload
