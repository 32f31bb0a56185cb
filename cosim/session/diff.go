package session

import (
	"bytes"
	"fmt"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// Difference is the first place where two recorded runs part. Same is true where there is none.
type Difference struct {
	Same         bool                 `json:"same"`
	Transactions uint64               `json:"transactions"` // equal ones before it
	What         string               `json:"what,omitempty"`
	A            string               `json:"a,omitempty"` // the record of each run, in words
	B            string               `json:"b,omitempty"`
	Fields       []lockstep.FieldDiff `json:"fields,omitempty"`   // Device is A's value, Model is B's
	Stimulus     string               `json:"stimulus,omitempty"` // where the stimulus of the two runs parts; empty: nowhere
}

// RecordsEqual is true where all records are equal, whatever the stimulus was.
func (d *Difference) RecordsEqual() bool { return d.A == "" && d.B == "" }

// OnlyTime is true where the first record that differs has the same values in both runs, at another cycle.
func (d *Difference) OnlyTime() bool {
	return len(d.Fields) == 1 && d.Fields[0].Field == "head.cycle"
}

// Diff finds the first record that differs between two run folders.
func Diff(a, b string) (*Difference, error) {
	ja, err := journal.Open(a)
	if err != nil {
		return nil, err
	}
	jb, err := journal.Open(b)
	if err != nil {
		return nil, err
	}
	for _, j := range []*journal.Journal{ja, jb} {
		if err := j.Seal.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", j.Dir, err)
		}
	}
	ca, cb := ja.Meta.Config, jb.Meta.Config
	if ca.Mode != cb.Mode {
		return nil, &target.Unsupported{What: fmt.Sprintf("comparing a run in mode %v with one in mode %v", ca.Mode, cb.Mode)}
	}
	d := &Difference{Stimulus: diffStimulus(ja.Stimulus, jb.Stimulus)}
	for x, y := ja.Records, jb.Records; ; d.Transactions++ {
		if len(x) == 0 && len(y) == 0 {
			if d.Same = d.Stimulus == ""; !d.Same {
				d.What = "all records are equal, the stimulus is not: " + d.Stimulus
			}
			return d, nil
		}
		nx, err := sizeOf(ja, x)
		if err != nil {
			return nil, err
		}
		ny, err := sizeOf(jb, y)
		if err != nil {
			return nil, err
		}
		if nx == 0 || ny == 0 || !bytes.Equal(x[:nx], y[:ny]) {
			d.describe(x[:nx], y[:ny])
			return d, nil
		}
		x, y = x[nx:], y[ny:]
	}
}

func sizeOf(j *journal.Journal, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := journal.Size(b, j.Meta.Config.Mode)
	if err != nil {
		return 0, target.Fail("run folder", err, "%s/%s, byte %d", j.Dir, journal.RecordsFile, len(j.Records)-len(b))
	}
	return n, nil
}

func (d *Difference) describe(a, b []byte) {
	switch {
	case len(a) == 0:
		d.What, d.B = "the first run ends here", lockstep.Format(b)
		return
	case len(b) == 0:
		d.What, d.A = "the second run ends here", lockstep.Format(a)
		return
	}
	d.A, d.B = lockstep.Format(a), lockstep.Format(b)
	if a[1] != b[1] {
		d.What = fmt.Sprintf("%v here, %v there", event.Kind(a[1]), event.Kind(b[1]))
		return
	}
	d.Fields = lockstep.Fields(event.Kind(a[1]), a, b)
	d.What = fmt.Sprintf("%v: %s is %s here, %s there", event.Kind(a[1]), d.Fields[0].Field, d.Fields[0].Device, d.Fields[0].Model)
}

// diffStimulus says where two stimuli part.
func diffStimulus(a, b stimulus.List) string {
	for i := range min(len(a), len(b)) {
		if x, y := journal.AppendItem(nil, &a[i]), journal.AppendItem(nil, &b[i]); !bytes.Equal(x, y) {
			return fmt.Sprintf("item %d of the stimulus is another: %s here, %s there", i, itemText(&a[i]), itemText(&b[i])) + frameText(a[i].Data, b[i].Data)
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d stimulus items here, %d there", len(a), len(b))
	}
	return ""
}

// frameText says where two frames of one length part.
func frameText(a, b []byte) string {
	if len(a) != len(b) || bytes.Equal(a, b) {
		return ""
	}
	at := 0
	for a[at] == b[at] {
		at++
	}
	return fmt.Sprintf(", from byte %d on", at)
}

// itemText is an item with all in which two of a kind can differ, but the bytes of a frame.
func itemText(it *stimulus.Item) string {
	switch it.Kind {
	case stimulus.KindFrame:
		return fmt.Sprintf("frame of %d bytes after %d cycles", len(it.Data), it.Gap)
	case stimulus.KindWrite:
		return fmt.Sprintf("write of %#x to register %#x", it.Value, it.Addr)
	case stimulus.KindRead:
		return fmt.Sprintf("read of register %#x", it.Addr)
	case stimulus.KindWaitCycles:
		return fmt.Sprintf("wait of %d cycles", it.Value)
	case stimulus.KindFault, stimulus.KindLatency:
		return fmt.Sprintf("%v %#x to %#x", it.Kind, it.Lo, it.Hi)
	case stimulus.KindStall:
		return fmt.Sprintf("stall of %v, %d permille, at most %d cycles", it.Port, it.Permille, it.Run)
	}
	return it.Kind.String()
}
