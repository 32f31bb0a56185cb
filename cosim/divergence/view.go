package divergence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/nic/show"
)

// View is what a folder tells.
type View struct {
	Why    []string            `json:"why"`   // sentences, the most telling first
	Equal  uint64              `json:"equal"` // transactions before it, equal on both sides
	Engine string              `json:"engine"`
	Fields []Value             `json:"fields,omitempty"` // of the transaction, in the order of the record
	Events []Event             `json:"events,omitempty"` // around it, in the device's order
	Frame  *Frame              `json:"frame,omitempty"`  // that it belongs to
	Skew   []lockstep.SkewRow  `json:"skew,omitempty"`   // of all events before it
	Waves  string              `json:"waves,omitempty"`  // file in the folder
	From   uint64              `json:"wave_from,omitempty"`
	To     uint64              `json:"wave_to,omitempty"`
	Absent []string            `json:"absent,omitempty"`
	first  lockstep.Divergence // as the run told it
}

// Value is one value of the transaction.
type Value struct {
	Field  string `json:"field"`
	Device string `json:"device"`
	Model  string `json:"model"`
	Text   string `json:"text,omitempty"` // what it is
	Wrong  bool   `json:"wrong,omitempty"`
}

// Frame is the frame of the transaction, or the command.
type Frame struct {
	Xid   uint32      `json:"xid"`
	Line  string      `json:"line"`
	Parts []show.Part `json:"parts"`
}

// Read reads a kept folder. Nil without an error: it holds no divergence of device and model.
func Read(ctx context.Context, dir string) (*View, error) {
	b, err := os.ReadFile(filepath.Join(dir, journal.VerdictFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var verdict lockstep.Verdict
	if err := json.Unmarshal(b, &verdict); err != nil {
		return nil, fmt.Errorf("%s is garbled: %w", filepath.Join(dir, journal.VerdictFile), err)
	}
	d := verdict.Divergence
	if d == nil {
		return nil, nil
	}
	v := &View{Why: why(d), Equal: d.Seq, Engine: d.Kind, From: d.WaveFrom, To: d.WaveTo, first: *d}
	if _, err := os.Stat(filepath.Join(dir, journal.WaveFile)); err == nil {
		v.Waves = journal.WaveFile
	}
	j, err := journal.Open(dir)
	if err != nil {
		v.absent("events, values and frame: %v", err)
		return v, nil
	}
	v.fill(ctx, j)
	return v, nil
}

func (v *View) absent(format string, args ...any) {
	v.Absent = append(v.Absent, fmt.Sprintf(format, args...))
}

// fill adds what the journal has.
func (v *View) fill(ctx context.Context, j *journal.Journal) {
	t, err := split(j)
	if err != nil {
		v.absent("events behind transaction %d: %v", len(t.records), err)
	}
	if d := &v.first; d.DeviceRecord != "" && d.Seq < uint64(len(t.records)) {
		v.Fields = values(t.whole(int(d.Seq)), d.Fields)
	}
	v.Frame = frameOf(j, v.first.Xid)
	p, err := predict(ctx, j, t, v.first.Seq)
	if err != nil {
		v.absent("what the model in cycles predicts: %v", err)
	} else {
		v.Skew = p.rows
	}
	v.Events = events(t, &v.first, p)
}

// track is the transactions of a journal.
type track struct {
	records [][]byte
	ring    map[uint32][]byte // whole ones by number, where the journal has heads alone
}

// split cuts a journal into transactions. What stands before garbled bytes is good.
func split(j *journal.Journal) (*track, error) {
	t := &track{ring: map[uint32][]byte{}}
	for b := j.Ring; len(b) >= target.RecordBytes; {
		n := target.RecordBytes * (1 + int(b[3]))
		var h event.Head
		if len(b) < n || h.Decode(b) != nil {
			break
		}
		t.ring[h.Seq] = b[:n]
		b = b[n:]
	}
	for b := j.Records; len(b) > 0; {
		n, err := journal.Size(b, j.Meta.Config.Mode)
		if err != nil {
			return t, err
		}
		t.records = append(t.records, b[:n])
		b = b[n:]
	}
	return t, nil
}

// whole is a transaction with its state, if the journal has it.
func (t *track) whole(i int) []byte {
	if w, ok := t.ring[uint32(i)]; ok {
		return w
	}
	return t.records[i]
}

// values lists a transaction: what differs, and what is not zero.
func values(record []byte, wrong []lockstep.FieldDiff) []Value {
	info := event.Info(event.Kind(record[1]))
	differs := map[string]lockstep.FieldDiff{}
	for _, f := range wrong {
		differs[f.Field] = f
	}
	var list []Value
	for _, fields := range [][]event.FieldInfo{event.HeadFields, info.Fields} {
		for i := range fields {
			f := &fields[i]
			b := f.Bytes(record)
			d, bad := differs[f.FullName()]
			if b == nil || !bad && zero(b) || !bad && f.Group == event.GroupHead && uninteresting[f.Name] {
				continue
			}
			x := Value{Field: f.FullName(), Device: f.Format(b), Text: f.Text, Wrong: bad}
			if x.Model = x.Device; bad {
				x.Device, x.Model = d.Device, d.Model
			}
			list = append(list, x)
		}
	}
	return list
}

// uninteresting are head fields that say how a record is made.
var uninteresting = map[string]bool{"version": true, "kind": true, "parts": true, "valid": true, "digest": true}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// frameOf finds the frame of a number; nil: it is none of a frame.
func frameOf(j *journal.Journal, xid uint32) *Frame {
	frames := j.Stimulus.Data()
	if xid == 0 || uint64(xid) > uint64(len(frames)) {
		return nil
	}
	r := show.NewReader()
	b := frames[xid-1]
	p := r.Read(b)
	p.Number = int(xid)
	return &Frame{Xid: xid, Line: p.Line(), Parts: r.Parts(b)}
}
