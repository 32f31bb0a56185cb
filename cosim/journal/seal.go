package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"metaroce/tandem/cosim/target"
)

// SealFile is written last of all. A folder without it, or with a file that is not as it says, tells nothing about the
// device: what is missing or changed was missing or changed on this side.
const SealFile = "seal.json"

// sealed are the files that a replay or a comparison depends on. Those that were not written are sealed as missing.
var sealed = []string{RunFile, StimulusFile, RecordsFile, RingFile, EndingFile}

// Seal is the end mark of a run folder.
type Seal struct {
	// Failure is why the run said nothing about the device, where it did not; empty: it ended with a comparison.
	Failure     string              `json:"failure,omitempty"`
	Unsupported bool                `json:"unsupported,omitempty"` // Failure is that of a target which cannot do this
	Files       map[string]FileSeal `json:"files"`
}

// FileSeal is one file as it was when the run ended.
type FileSeal struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// WriteSeal ends a run folder.
func WriteSeal(dir string, s Seal) error {
	s.Files = map[string]FileSeal{}
	for _, name := range sealed {
		f, err := sealOf(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return target.Fail("run folder", err, "cannot seal it")
		}
		s.Files[name] = f
	}
	return writeJSON(filepath.Join(dir, SealFile), s)
}

func sealOf(path string) (FileSeal, error) {
	f, err := os.Open(path)
	if err != nil {
		return FileSeal{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return FileSeal{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// CheckSeal reads the end mark of a folder and holds every file against it. What it returns is the run's own end.
func CheckSeal(dir string) (*Seal, error) {
	path := filepath.Join(dir, SealFile)
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && live(dir):
		return nil, target.Fail("run folder", nil, "folder is unfinished: a run still writes %s; wait for its end", dir)
	case errors.Is(err, os.ErrNotExist):
		return nil, target.Fail("run folder", nil, "folder is unfinished: the run that wrote %s was broken off before its end mark (%s); run it again", dir, SealFile)
	case err != nil:
		return nil, target.Fail("run folder", err, "cannot read its end mark")
	}
	var s Seal
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, target.Fail("run folder", err, "folder is damaged: %s is garbled", path)
	}
	for _, name := range sealed {
		if err := s.check(dir, name); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

func (s *Seal) check(dir, name string) error {
	path := filepath.Join(dir, name)
	want, had := s.Files[name]
	got, err := sealOf(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && !had:
		return nil
	case err != nil:
		return target.Fail("run folder", err, "folder is damaged: cannot read %s", name)
	case !had:
		return target.Fail("run folder", nil, "folder is damaged: %s was not there when the run ended", path)
	case got.Bytes != want.Bytes:
		return target.Fail("run folder", nil, "folder is damaged: %s has %d bytes, the run wrote %d", path, got.Bytes, want.Bytes)
	case got != want:
		return target.Fail("run folder", nil, "folder is damaged: %s has SHA-256 %.16s…, the run wrote %.16s…", path, got.SHA256, want.SHA256)
	}
	return nil
}

// Err is the failure that a run recorded about itself, or nil.
func (s *Seal) Err() error {
	switch {
	case s.Unsupported:
		return &target.Unsupported{What: "the recorded run ended with: " + s.Failure}
	case s.Failure != "":
		return target.Fail("run folder", nil, "the recorded run says nothing about its device, it ended with: %s", s.Failure)
	}
	return nil
}

// live tells whether a process holds the folder (Lock).
func live(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
