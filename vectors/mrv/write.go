package mrv

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Write writes a file. Ids are filled in. Equal files give equal bytes, for any number of workers.
func Write(w io.Writer, f *File, workers int) error {
	b, err := Encode(f, workers)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Encode makes the bytes of a file.
func Encode(f *File, workers int) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var chunks [][]byte
	var now []byte
	e := &encoder{emit: func(delimited []byte) {
		now = append(now, delimited...)
		if len(now) >= chunkBytes {
			chunks, now = append(chunks, now), make([]byte, 0, chunkBytes+chunkBytes/8)
		}
	}}
	e.header(&f.Header)
	for _, v := range f.Vectors {
		v.ID = v.Identify()
		e.whole(v)
	}
	e.values(entryTail, uint64(len(f.Vectors)))
	return pack(append(chunks, now), workers)
}

// whole writes one vector with its end.
func (e *encoder) whole(v *Vector) {
	emit, sum := e.emit, sha256.New()
	e.emit = func(b []byte) {
		sum.Write(b)
		emit(b)
	}
	e.vector(v)
	for i := range v.Items {
		if v.Items[i].Packet != nil {
			e.packet(&v.Items[i])
		} else {
			e.item(&v.Items[i])
		}
	}
	for i := range v.Acts {
		e.msg = appendAct(e.msg[:0], &v.Acts[i])
		e.put(entryAct)
	}
	for i := range v.Steps {
		e.step(&v.Steps[i])
	}
	p := newPredictor(v)
	for i := range v.Want.Fates {
		e.fate(&v.Want.Fates[i], p.packet(uint32(i+1)))
	}
	for i := range v.Want.Segments {
		e.segment(&v.Want.Segments[i], p)
	}
	for i := range v.Sees {
		e.see(&v.Sees[i])
	}
	e.emit = emit
	b := putUint(nil, 1, uint64(len(v.Items)))
	b = putUint(b, 2, uint64(v.Events()))
	b = putUint(b, 3, uint64(len(v.Steps)))
	e.msg = putBytes(b, 4, sum.Sum(nil)[:16])
	e.put(entryEnd)
}

// check finds what cannot be written.
func (f *File) check() error {
	var errs []error
	seen := map[string]bool{}
	for _, v := range f.Vectors {
		if v.Name == "" {
			errs = append(errs, errors.New("mrv: a vector without a name"))
		}
		if !utf8.ValidString(v.Name) || strings.ContainsFunc(v.Name, unicode.IsControl) {
			errs = append(errs, fmt.Errorf("mrv: the name %q: want UTF-8 without control characters, because lists and JSON have it too", v.Name))
		}
		if seen[v.Name] {
			errs = append(errs, fmt.Errorf("two vectors are called %q: a file holds a name once; one of a text is called as the text is: copy it under another name, or make a file of each", v.Name))
		}
		seen[v.Name] = true
		for i := range v.Steps {
			if len(v.Steps[i].Before) != len(v.Steps[i].After) {
				errs = append(errs, fmt.Errorf("mrv: %s: step %d has %d bytes before and %d after", v.Name, i, len(v.Steps[i].Before), len(v.Steps[i].After)))
			}
		}
		for i := range v.Items {
			if n := len(v.Items[i].Data); n > maxEntry/2 {
				errs = append(errs, fmt.Errorf("mrv: %s: item %d has %d bytes", v.Name, i, n))
			}
		}
	}
	return errors.Join(errs...)
}

// Whole is a digest over all that a vector says, Expected one over what must be seen.
func Whole(v *Vector) string { return digest(v, 0) }

// Expected is a digest over what must be seen, or over the steps of a block.
func Expected(v *Vector) string { return digest(v, entryStep) }

// digest is that over a vector's messages from a kind on.
func digest(v *Vector, from protowire.Number) string {
	sum := sha256.New()
	e := &encoder{}
	e.emit = func(b []byte) {
		_, n := protowire.ConsumeVarint(b)
		if field, _, m := protowire.ConsumeTag(b[max(n, 0):]); m > 0 && field >= from && field != entryEnd {
			sum.Write(b)
		}
	}
	e.whole(v)
	return string(sum.Sum(nil))
}
