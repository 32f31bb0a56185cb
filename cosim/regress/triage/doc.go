// Package triage puts what failed in a regression into buckets, one for each cause, and says which causes are known.
//
// A cause is told by structure: the verdict, and the signature of the first divergence (kind, engine, field, rule). Numbers
// of a particular run are no part of it; crashes have their last line, normalised. What a bucket holds depends on the
// results alone, so it is equal in bytes for any number of workers; known failures expire by the day on which the run began.
//
//	t, err := triage.Read(folder)      from results.jsonl, run.json, known.yaml; shrunk cases and waves from triage.json
//	err = t.Write()                    RUN/triage.json, in one step
//
// Units: days are UTC; events and cycles as in package result.
package triage
