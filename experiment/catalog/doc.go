// Package catalog has the experiments: each claim of the announcement, or question of ours, as cells that join a network
// (model/fabric), a workload (model/workload) and the NICs of a transport (model/cluster/metaroce, model/rocev2).
//
// One file an experiment: parameters with their reasons, columns, cells, gates, plots, and what stands beside our
// figures on the page. What they share is in network.go (parameters of a fabric), transport.go (the two transports) and
// measure.go (one simulation, and figures of it). docs/experiments.md has the table of claims, gates, calls and seeds.
//
// What holds: a gate's bound is a constant here, not a parameter, and is never fitted to a measured value. A limit is
// reckoned from the configuration alone.
package catalog
