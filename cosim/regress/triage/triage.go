package triage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/result"
)

// FileName of the triage of a run, in its folder.
const FileName = "triage.json"

// Version of its form.
const Version = 1

// Triage is what a run's failures come down to.
type Triage struct {
	Version int                    `json:"version"`
	Run     string                 `json:"run"` // name of its folder
	Plan    string                 `json:"plan"`
	Digest  string                 `json:"digest"` // of the results that this was made of
	Day     known.Day              `json:"day"`    // on which known failures are known, or expired: the one on which the run began
	Cases   int                    `json:"cases"`  // executions
	Counts  map[result.Verdict]int `json:"counts"`
	// Verdict is that of the run, known failures not excused; New is the worst of what is not known (or expired).
	Verdict result.Verdict `json:"verdict"`
	New     result.Verdict `json:"verdict_of_new"`
	Buckets []Bucket       `json:"buckets"` // the ones to be looked at first stand first
	// Entries are all known failures that somebody wrote down, with what became of them in this run.
	Entries []Entry `json:"known,omitempty"`

	dir string
}

// Bucket is the executions of one cause.
type Bucket struct {
	ID        string           `json:"id"`  // 8 digits that follow from the key
	Key       string           `json:"key"` // equal for equal causes, in every run
	Verdict   result.Verdict   `json:"verdict"`
	Signature result.Signature `json:"signature"`
	Count     int              `json:"count"`
	First     result.Record    `json:"first"` // in the order of results, without times; so are the others
	Last      result.Record    `json:"last"`
	Smallest  result.Record    `json:"smallest"` // the one with the fewest events, then cycles
	Tests     []string         `json:"tests"`    // full names, sorted
	// Known is the entry that every execution of the bucket is known by; nil: at least one is not.
	Known   *Known `json:"known,omitempty"`
	Expired bool   `json:"expired,omitempty"` // it is known, and should have gone by now
	// KnownCount is how many executions are known; less than Count: the cause is seen where nobody knew it.
	KnownCount int     `json:"known_count,omitempty"`
	Shrunk     *Shrunk `json:"shrunk,omitempty"`
	Waves      []Wave  `json:"waves,omitempty"`
	Folder     string  `json:"folder,omitempty"` // kept of the smallest, below the run folder
	Rerun      string  `json:"rerun,omitempty"`  // a line that runs the smallest again; empty: it was not begun

	by *Known
}

// Text says it in a few words.
func (k *Known) Text(expired bool) string {
	if expired {
		return fmt.Sprintf("known until %s, %s, and expired", k.Expires, k.Issue)
	}
	return fmt.Sprintf("known, until %s, %s", k.Expires, k.Issue)
}

// Known says that a failure is known, where it is followed up, and until when.
type Known struct {
	Issue   string    `json:"issue"`
	Expires known.Day `json:"expires"` // the last day on which it is known
	Why     string    `json:"why"`
	Place   string    `json:"place"` // file:line:col
}

// Entry is a known failure with what became of it.
type Entry struct {
	Known
	Pattern string `json:"pattern"` // what it matches, in words
	State   State  `json:"state"`
	Count   int    `json:"count"` // executions that it is the first entry to match
}

// State is what became of a known failure.
type State string

// States.
const (
	Seen    State = "seen"
	Covered State = "seen, and known by another" // all that it matches
	Absent  State = "did not occur"              // though its tests ran
	NotRun  State = "not run"
	Overdue State = "expired" // seen, behind its day
)

// Shrunk is a smaller case of the same cause.
type Shrunk struct {
	File   string `json:"file"` // below the run folder
	Before int    `json:"before"`
	After  int    `json:"after"` // events of the stimulus
	Runs   int    `json:"runs"`  // that it took
	Again  string `json:"again"` // a line that runs it
	// Minimal: no line of it can be left out. Else the search was over before that was known.
	Minimal bool `json:"minimal"`
}

// Wave is the waves of one execution, dumped when it was run again. Files are below the run folder.
type Wave struct {
	ID      string `json:"id"` // of the execution
	File    string `json:"file"`
	GTKWave string `json:"gtkwave"`
	Surfer  string `json:"surfer"`
	From    uint64 `json:"from"` // device cycles
	To      uint64 `json:"to"`
	Cycle   uint64 `json:"cycle"` // of the divergence
}

// Key is that of the bucket that a record belongs to; empty for a match. Records have equal keys exactly if they have equal
// verdicts and signatures.
func Key(r *result.Record) string {
	if r.Verdict == result.Match {
		return ""
	}
	return string(r.Verdict) + " | " + r.Signature.Key()
}

// id is a name for a key that fits into a file name and a call.
func id(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:4])
}

// Bucket finds the bucket of a record; nil: it is in none.
func (t *Triage) Bucket(r *result.Record) *Bucket {
	key := Key(r)
	for i := range t.Buckets {
		if t.Buckets[i].Key == key {
			return &t.Buckets[i]
		}
	}
	return nil
}
