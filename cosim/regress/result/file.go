package result

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"metaroce/tandem/internal/atomicfile"
)

// Append adds the record as one line.
func (r *Record) Append(b []byte) ([]byte, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // people read these files
	if err := e.Encode(r); err != nil {
		return b, err
	}
	return append(b, line.Bytes()...), nil
}

// Decode reads one line and refuses what no writer of this program makes.
func Decode(line []byte) (Record, error) {
	var r Record
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("more than one record on the line")
	}
	return r, r.check()
}

// check says what is wrong with a record, all of it.
func (r *Record) check() error {
	var errs []error
	if r.Name == "" {
		errs = append(errs, errors.New("no name"))
	}
	if r.Verdict.Rank() < 0 {
		errs = append(errs, fmt.Errorf("verdict %q unknown", r.Verdict))
	}
	if r.Verdict != Match && r.Signature == nil {
		errs = append(errs, fmt.Errorf("verdict %q without a signature", r.Verdict))
	}
	if r.Iteration < 0 || r.Copy < 0 {
		errs = append(errs, errors.New("negative iteration or copy"))
	}
	return errors.Join(errs...)
}

// Read reads records until the end. A last line without its end was being written when the writer was killed: it is
// left out, and torn tells so. Anything else that is garbled is an error with its line.
func Read(name string, in io.Reader) (list []Record, torn bool, err error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return list, len(line) > 0, nil
		case err != nil:
			return list, false, fmt.Errorf("%s: %w", name, err)
		}
		r, err := Decode(line)
		if err != nil {
			return list, false, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		list = append(list, r)
	}
}

// ReadFile reads a file of records; a torn one is an error here, because results files are written in one step.
func ReadFile(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, torn, err := Read(path, f)
	if err == nil && torn {
		err = fmt.Errorf("%s:%d: the file is cut off", path, len(list)+1)
	}
	return list, err
}

// WriteFile sorts records and writes them in one step: a reader sees the old file or the whole new one.
func WriteFile(path string, list []Record) error {
	var b []byte
	var err error
	for _, r := range Sorted(list) {
		if b, err = r.Append(b); err != nil {
			return err
		}
	}
	return atomicfile.Write(path, b)
}

// Sorted is a sorted copy.
func Sorted(list []Record) []Record {
	s := slices.Clone(list)
	slices.SortFunc(s, func(a, b Record) int { return Compare(&a, &b) })
	return s
}

// DigestOf is the SHA-256, in hexadecimal digits, of the sorted records with their times put away: equal for equal runs,
// wherever they ran.
func DigestOf(list []Record) (string, error) {
	h := sha256.New()
	for _, r := range Sorted(list) {
		w := r.Without()
		line, err := w.Append(nil)
		if err != nil {
			return "", err
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
