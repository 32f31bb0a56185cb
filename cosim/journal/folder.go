package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// Files of a run folder.
const (
	RunFile      = "run.json"
	StimulusFile = "stimulus.bin"
	RecordsFile  = "records.bin"
	RingFile     = "ring.bin"    // last transactions whole, after a divergence in mode digest
	EndingFile   = "ending.json" // there only if the device reached its end
	VerdictFile  = "verdict.json"
	WaveFile     = "wave.fst"
)

// Version of the folder's form.
const Version = 1

// Meta says what a run was made of.
type Meta struct {
	Version  int           `json:"version"`
	Name     string        `json:"name"`
	Device   string        `json:"device"`
	Schema   string        `json:"schema"` // hash of model/spec, hex
	Config   target.Config `json:"config"`
	Plusargs []string      `json:"plusargs,omitempty"`
	Rerun    string        `json:"rerun,omitempty"`
}

// SchemaText is this program's schema hash as Meta has it.
func SchemaText() string { return fmt.Sprintf("%016x", event.SchemaHash) }

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// FolderName is the run folder of a name and a seed: name-seed, with nothing in it that a shell would mind.
func FolderName(name string, seed uint64) string {
	s := strings.Trim(unsafeName.ReplaceAllString(name, "-"), "-.")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-.")
	}
	if s == "" {
		s = "run"
	}
	return fmt.Sprintf("%s-%d", s, seed)
}

// Create makes the folder of a run, empty of what an earlier run of that name left, and writes what goes in.
func Create(dir string, m Meta, items stimulus.List) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return target.Fail("run folder", err, "cannot make it")
	}
	for _, f := range []string{SealFile, RunFile, StimulusFile, RecordsFile, RingFile, EndingFile, VerdictFile, WaveFile, "sim.log", "plain.log"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return target.Fail("run folder", err, "cannot clear it of an earlier run")
		}
	}
	m.Version, m.Schema = Version, SchemaText()
	if err := writeJSON(filepath.Join(dir, RunFile), m); err != nil {
		return err
	}
	return WriteStimulus(filepath.Join(dir, StimulusFile), items)
}

// WriteStimulus writes a stimulus as the bench reads it.
func WriteStimulus(path string, items stimulus.List) error {
	n := 0
	for i := range items {
		n += ItemSize(&items[i])
	}
	b := make([]byte, 0, n)
	for i := range items {
		b = AppendItem(b, &items[i])
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		return target.Fail("run folder", err, "cannot write the stimulus")
	}
	return nil
}

// WriteVerdict writes the verdict of a run.
func WriteVerdict(dir string, v any) error { return writeJSON(filepath.Join(dir, VerdictFile), v) }

// WriteEnding notes that the device reached its end.
func WriteEnding(dir string, e target.Ending) error {
	return writeJSON(filepath.Join(dir, EndingFile), e)
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return target.Fail("run folder", err, "cannot write %s", filepath.Base(path))
	}
	if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
		return target.Fail("run folder", err, "cannot write %s", filepath.Base(path))
	}
	return nil
}

// Journal is a run folder that was read.
type Journal struct {
	Dir      string
	Meta     Meta
	Stimulus stimulus.List
	Records  []byte         // whole transactions
	Ring     []byte         // of a second look, or nil
	Ending   *target.Ending // nil: the run ended before the device did
	Seal     *Seal
}

// Open reads a run folder. A journal of another schema cannot be understood and is refused, as is one that is unfinished
// or was changed since.
func Open(dir string) (*Journal, error) {
	j := &Journal{Dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, RunFile))
	if err != nil {
		return nil, target.Fail("run folder", err, "%s is no run folder", dir)
	}
	if err := json.Unmarshal(b, &j.Meta); err != nil {
		return nil, target.Fail("run folder", err, "%s is garbled", filepath.Join(dir, RunFile))
	}
	if j.Meta.Version != Version {
		return nil, target.Fail("run folder", nil, "%s has form %d, this program reads %d", dir, j.Meta.Version, Version)
	}
	if j.Meta.Schema == "" { // that of a regression has this name too
		return nil, target.Fail("run folder", nil, "%s is no folder of a single run; of a regression, name that of an execution in its tests or reruns", dir)
	}
	if j.Meta.Schema != SchemaText() {
		return nil, target.Fail("run folder", nil, "%s was recorded with schema %s of model/spec, this program has %s: run it again",
			dir, j.Meta.Schema, SchemaText())
	}
	if j.Seal, err = CheckSeal(dir); err != nil {
		return nil, err
	}
	if b, err = os.ReadFile(filepath.Join(dir, StimulusFile)); err != nil {
		return nil, target.Fail("run folder", err, "cannot read the stimulus")
	}
	if j.Stimulus, err = DecodeItems(b); err != nil {
		return nil, target.Fail("run folder", err, "%s", filepath.Join(dir, StimulusFile))
	}
	if j.Records, err = os.ReadFile(filepath.Join(dir, RecordsFile)); err != nil {
		return nil, target.Fail("run folder", err, "cannot read the records")
	}
	if j.Ring, err = os.ReadFile(filepath.Join(dir, RingFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, target.Fail("run folder", err, "cannot read the second look")
	}
	return j, j.readEnding()
}

func (j *Journal) readEnding() error {
	path := filepath.Join(j.Dir, EndingFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return target.Fail("run folder", err, "cannot read the ending")
	}
	if err := json.Unmarshal(b, &j.Ending); err != nil {
		return target.Fail("run folder", err, "%s is garbled", path)
	}
	return nil
}

// Size of the transaction at the front of b in a journal of that mode; an error where none can stand there.
func Size(b []byte, m target.Mode) (int, error) {
	if len(b) < target.RecordBytes {
		return 0, fmt.Errorf("cut short: %d bytes left, a record has %d", len(b), target.RecordBytes)
	}
	e := event.Info(event.Kind(b[1]))
	if e == nil || b[0] != event.RecordVersion || int(b[3]) != e.Parts {
		return 0, fmt.Errorf("no record of this schema: % x", b[:4])
	}
	size := target.RecordBytes
	if m == target.ModeFull {
		size *= 1 + e.Parts
	}
	if len(b) < size {
		return 0, fmt.Errorf("cut short: %d bytes left of a %v record of %d", len(b), e.Kind, size)
	}
	return size, nil
}
