package run

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/internal/atomicfile"
)

// Files of a run folder.
const (
	HeaderFile   = "run.json"
	CasesFile    = "cases.jsonl"
	PlanFile     = "plan.yaml"
	PlanFolder   = "plan.d"
	TestplanFile = "testplan.json"
	ResultsFile  = "results.jsonl"
	LatestLink   = "latest"
)

// Version of the folder's form.
const Version = 1

// States of a run.
const (
	Running     = "running"     // or its runner was killed
	Interrupted = "interrupted" // it told so, and can go on
	Done        = "done"
)

// Header says what a run is made of and what it came to.
type Header struct {
	Version  int         `json:"version"`
	ID       string      `json:"id"` // name of the folder
	Plan     string      `json:"plan"`
	About    string      `json:"about,omitempty"`
	From     string      `json:"from,omitempty"` // the run whose cases these are, and which of them
	Base     result.Seed `json:"base"`
	Args     []string    `json:"args,omitempty"` // of the call
	Keep     string      `json:"keep"`
	Waves    int         `json:"waves,omitempty"`    // executions of each cause that are dumped at the end
	Revision string      `json:"revision,omitempty"` // of the sources of this program
	Dirty    bool        `json:"dirty,omitempty"`    // with changes on top
	Program  string      `json:"program"`            // SHA-256 of this program
	Root     string      `json:"root,omitempty"`     // the checkout
	// Binaries are the simulators of this run, by preset; their folders are named by content.
	Binaries map[string]string `json:"binaries,omitempty"`
	Cases    int               `json:"cases"`

	Host     string `json:"host"`
	Launcher string `json:"launcher"`
	Workers  int    `json:"workers"`
	Began    int64  `json:"began_ms"`
	Ended    int64  `json:"ended_ms,omitempty"`
	Wall     int64  `json:"wall_ms,omitempty"` // of all sessions of the run together

	State   string                 `json:"state"`
	Verdict result.Verdict         `json:"verdict,omitempty"`
	Counts  map[result.Verdict]int `json:"counts,omitempty"`
	Events  uint64                 `json:"events,omitempty"`
	Cycles  uint64                 `json:"cycles,omitempty"`
	Digest  string                 `json:"digest,omitempty"` // of the results without times
	Notes   []string               `json:"notes,omitempty"`  // what went wrong with the running itself
}

// Folder is a run folder.
type Folder struct {
	Dir    string // absolute
	Header Header
	lock   *os.File
}

// create makes the folder of a new run in dir: NAME-1, NAME-2 and so on.
func create(dir, name string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for n := lastNumber(dir, name) + 1; ; n++ {
		id := fmt.Sprintf("%s-%d", name, n)
		path := filepath.Join(dir, id)
		err := os.Mkdir(path, 0o755)
		if errors.Is(err, os.ErrExist) { // another runner was faster
			continue
		}
		if err != nil {
			return nil, err
		}
		f := &Folder{Dir: path, Header: Header{Version: Version, ID: id}}
		if err := os.Mkdir(filepath.Join(path, shard.Folder), 0o755); err != nil {
			return nil, err
		}
		return f, f.hold()
	}
}

// lastNumber is the highest number of a run of that name.
func lastNumber(dir, name string) int {
	form := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `-([1-9][0-9]{0,8})$`)
	last := 0
	entries, _ := os.ReadDir(dir) // none that can be read: Mkdir will say why
	for _, e := range entries {
		if m := form.FindStringSubmatch(e.Name()); m != nil {
			n, _ := strconv.Atoi(m[1])
			last = max(last, n)
		}
	}
	return last
}

// hold keeps other runners off this folder, as long as this process lives.
func (f *Folder) hold() error {
	lock, err := os.Open(f.Dir)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return fmt.Errorf("%s: another runner is at it (%w)", f.Dir, err)
	}
	f.lock = lock
	return nil
}

// Close lets go of the folder.
func (f *Folder) Close() {
	if f.lock != nil {
		_ = f.lock.Close()
	}
}

// Open reads the header of a run folder.
func Open(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // latest is a link, and names change
		dir = real
	}
	f := &Folder{Dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, HeaderFile))
	if err != nil {
		return nil, fmt.Errorf("%s is no run of a regression: %w", dir, err)
	}
	if err := json.Unmarshal(b, &f.Header); err != nil {
		return nil, fmt.Errorf("%s is damaged: it is cut short or was changed (%w): its results and cases may be whole; take %s from a copy of the folder, or remove the folder and run the plan again",
			filepath.Join(dir, HeaderFile), err, HeaderFile)
	}
	if f.Header.Version != Version {
		return nil, fmt.Errorf("%s has form %d, this program reads %d", dir, f.Header.Version, Version)
	}
	if f.Header.ID == "" { // that of a single run has this name too
		return nil, fmt.Errorf("%s is no run of a regression but of a single scenario: `tandem replay %s` checks it again", dir, dir)
	}
	return f, nil
}

// Whole says whether what every run has from its beginning is there: without its cases nothing can be run again, and nobody
// can say whether the results are all.
func (f *Folder) Whole() error {
	if _, err := os.Stat(f.path(CasesFile)); err != nil {
		return fmt.Errorf("%s is damaged: %s is not there: was the folder copied in part? (%w)", f.Dir, CasesFile, err)
	}
	return nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.Dir, name) }

func (f *Folder) writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(f.path(name), append(b, '\n'))
}

// writeHeader writes run.json as it is known now.
func (f *Folder) writeHeader() error { return f.writeJSON(HeaderFile, &f.Header) }

// writeCases writes what has to have a result.
func (f *Folder) writeCases(cases []plan.Case) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range cases {
		if err := e.Encode(&cases[i]); err != nil {
			return err
		}
	}
	return atomicfile.Write(f.path(CasesFile), []byte(b.String()))
}

// Cases reads what has to have a result.
func (f *Folder) Cases() ([]plan.Case, error) {
	in, err := os.Open(f.path(CasesFile))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d := json.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	var list []plan.Case
	for {
		var c plan.Case
		err := d.Decode(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.path(CasesFile), len(list)+1, err)
		}
		list = append(list, c)
	}
	if len(list) != f.Header.Cases {
		return nil, fmt.Errorf("%s has %d cases, the header says %d: it was changed", f.path(CasesFile), len(list), f.Header.Cases)
	}
	return list, nil
}

// Covergroups are the names of those that the testplan asks for; nil: it asks for none.
func (f *Folder) Covergroups() ([]string, error) {
	path := f.path(TestplanFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if f.Header.From != "" { // it runs others again, without a plan
			return nil, nil
		}
		return nil, fmt.Errorf("%s is damaged: %s is not there: was the folder copied in part?", f.Dir, TestplanFile)
	}
	var tp plan.Testplan
	if err == nil {
		err = json.Unmarshal(text, &tp)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var names []string
	for _, g := range tp.Covergroups {
		names = append(names, g.Name)
	}
	return names, nil
}

// Check holds results against the header of a run that has ended.
func (f *Folder) Check(list []result.Record) error {
	if len(list) != f.Header.Cases {
		return fmt.Errorf("%s is damaged: %s has %d executions, %s says %d", f.Dir, ResultsFile, len(list), HeaderFile, f.Header.Cases)
	}
	digest, err := result.DigestOf(list)
	if err == nil && digest != f.Header.Digest {
		err = fmt.Errorf("%s is damaged: %s has digest %.16s, the run ended with %.16s: it was changed since", f.Dir, ResultsFile, digest, f.Header.Digest)
	}
	return err
}

// Results reads the results of a run.
func (f *Folder) Results() ([]result.Record, error) { return result.ReadFile(f.path(ResultsFile)) }

// SoundResults reads the results of a run, and holds those of one that has ended against its header: what was changed since is
// no result.
func (f *Folder) SoundResults() ([]result.Record, error) {
	list, err := f.Results()
	if err == nil && f.Header.Digest != "" {
		err = f.Check(list)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// writePlan keeps the texts of the plan.
func (f *Folder) writePlan(p *plan.Plan) error {
	for i, name := range p.Files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		to := f.path(PlanFile)
		if i > 0 {
			to = f.path(filepath.Join(PlanFolder, fmt.Sprintf("%d-%s", i, filepath.Base(name))))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
		}
		if err := atomicfile.Write(to, text); err != nil {
			return err
		}
	}
	return f.writeJSON(TestplanFile, p.Mapped())
}

// KnownFile is where the folder has its known failures, if it has some.
func (f *Folder) KnownFile() string { return f.path(known.FileName) }

// CopyKnown takes over a file of known failures.
func (f *Folder) CopyKnown(from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return atomicfile.Write(f.KnownFile(), text)
}

// linkLatest points the link beside the runs to this one. A file system without links does without; a folder of that name, as
// copies make that follow links, would be taken for the run begun last for ever.
func (f *Folder) linkLatest() error {
	link := filepath.Join(filepath.Dir(f.Dir), LatestLink)
	if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is no link, and does not mean %s: remove it, or name the run", link, f.Header.ID)
	}
	next := fmt.Sprintf("%s.%d", link, os.Getpid())
	if os.Symlink(f.Header.ID, next) == nil && os.Rename(next, link) != nil {
		_ = os.Remove(next)
	}
	return nil
}
