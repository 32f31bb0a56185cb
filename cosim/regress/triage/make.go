package triage

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/internal/atomicfile"
)

// Read makes the triage of a run folder. What others found out about its buckets (shrunk cases, waves) is taken over from
// the triage.json that stands there, whatever results that was made of: a key means the same in all of them.
func Read(dir string) (*Triage, error) {
	f, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := f.Whole(); err != nil {
		return nil, err
	}
	records, err := f.SoundResults()
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s has no results yet: %w", f.Header.ID, err)
	}
	if err != nil {
		return nil, err
	}
	entries, err := knownOf(f.Dir)
	if err != nil {
		return nil, err
	}
	t := Make(records, entries, known.DayOf(time.UnixMilli(f.Header.Began)))
	t.Run, t.Plan, t.Digest, t.dir = f.Header.ID, f.Header.Plan, f.Header.Digest, f.Dir
	for i := range t.Buckets {
		if b := &t.Buckets[i]; b.Verdict != result.Skipped {
			b.Rerun = b.Smallest.Rerun(t.Run)
		}
	}
	return t, t.takeOver()
}

// knownOf reads the known failures that a run folder has.
func knownOf(dir string) ([]known.Entry, error) {
	path := filepath.Join(dir, known.FileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file, list := known.Parse(known.FileName, text, nil)
	if err := file.Err(); err != nil {
		return nil, fmt.Errorf("%s:\n%w", path, err)
	}
	return list, nil
}

// takeOver takes shrunk cases and waves from the file that is there.
func (t *Triage) takeOver() error {
	path := filepath.Join(t.dir, FileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old Triage
	if err == nil {
		err = json.Unmarshal(text, &old)
	}
	if err != nil {
		return fmt.Errorf("%s: %w (it can be removed: all but shrunk cases and waves is made again)", path, err)
	}
	for i := range old.Buckets {
		for k := range t.Buckets {
			if b := &t.Buckets[k]; b.Key == old.Buckets[i].Key {
				b.Shrunk, b.Waves = old.Buckets[i].Shrunk, old.Buckets[i].Waves
			}
		}
	}
	return nil
}

// Write puts the triage into its run folder.
func (t *Triage) Write() error {
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(t.dir, FileName), append(b, '\n'))
}

// Make puts records into buckets. The day is the one on which entries are known, or expired.
func Make(records []result.Record, entries []known.Entry, day known.Day) *Triage {
	records = result.Sorted(records)
	t := &Triage{Version: Version, Day: day, Cases: len(records), Counts: map[result.Verdict]int{}, Verdict: result.Worst(records), Buckets: []Bucket{}}
	for i := range entries {
		e := &entries[i]
		t.Entries = append(t.Entries, Entry{Known: Known{e.Issue, e.Expires, e.Why, e.Place}, Pattern: e.String(), State: NotRun})
	}
	at := map[string]int{}
	for i := range records {
		r := records[i].Without()
		t.Counts[r.Verdict]++
		if r.Verdict != result.Match {
			t.put(at, &r)
		}
		t.mark(entries, &r)
	}
	t.New = t.excused()
	slices.SortStableFunc(t.Buckets, before)
	return t
}

// put adds a record to the bucket of its key.
func (t *Triage) put(at map[string]int, r *result.Record) {
	key := Key(r)
	n, ok := at[key]
	if !ok {
		n = len(t.Buckets)
		at[key] = n
		t.Buckets = append(t.Buckets, Bucket{ID: id(key), Key: key, Verdict: r.Verdict, Signature: *r.Signature, First: *r, Smallest: *r, Folder: r.Folder})
	}
	b := &t.Buckets[n]
	b.Count++
	b.Last = *r
	if cmp.Or(cmp.Compare(r.Events, b.Smallest.Events), cmp.Compare(r.Cycles, b.Smallest.Cycles)) < 0 {
		b.Smallest, b.Folder = *r, r.Folder
	}
	if name := r.FullName(); !slices.Contains(b.Tests, name) {
		b.Tests = append(b.Tests, name)
	}
}

// mark notes what a record says of known failures, and the entry that it is known by: one that has not expired, if there
// is one.
func (t *Triage) mark(entries []known.Entry, r *result.Record) {
	by := -1
	for i := range entries {
		e := &entries[i]
		if ran := r.Verdict != result.Skipped && r.Verdict != result.Lost; ran && e.Asks(r) && t.Entries[i].State == NotRun {
			t.Entries[i].State = Absent
		}
		if !e.Matches(r) {
			continue
		}
		if t.Entries[i].Count == 0 {
			t.Entries[i].State = Covered // unless a record is known by it
		}
		if by < 0 || entries[by].Expires < t.Day && e.Expires >= t.Day {
			by = i
		}
	}
	if by < 0 {
		return
	}
	x := &t.Entries[by]
	x.Count++
	x.State = Seen
	if x.Expires < t.Day {
		x.State = Overdue
	}
	b := t.Bucket(r)
	b.KnownCount++
	b.Expired = b.Expired || x.State == Overdue
	if b.by == nil || x.State == Overdue {
		b.by = &x.Known
	}
}

// excused settles which buckets are known, and returns the worst verdict of all others. Where everything that ran is
// excused and nothing matched, nothing was shown.
func (t *Triage) excused() result.Verdict {
	worst := result.Match
	for i := range t.Buckets {
		b := &t.Buckets[i]
		slices.Sort(b.Tests)
		if b.KnownCount == b.Count {
			b.Known = b.by
		} else {
			b.Expired = false
		}
		if !b.Excused() && b.Verdict.Rank() > worst.Rank() {
			worst = b.Verdict
		}
	}
	if worst == result.Match && t.Counts[result.Match] == 0 {
		return result.Inconclusive
	}
	return worst
}

// Excused says whether every execution of the bucket is known and may be so on the day of the run.
func (b *Bucket) Excused() bool { return b.Known != nil && !b.Expired }

// before orders buckets: new ones before those that are known, the verdict to be known first, the most executions.
func before(x, y Bucket) int {
	rank := func(b *Bucket) int {
		if b.Excused() {
			return 1
		}
		return 0
	}
	return cmp.Or(rank(&x)-rank(&y), cmp.Compare(y.Verdict.Rank(), x.Verdict.Rank()), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Key, y.Key))
}

// CameTo is the verdict of the run; accept: of what is not known.
func (t *Triage) CameTo(accept bool) result.Verdict {
	if accept {
		return t.New
	}
	return t.Verdict
}
