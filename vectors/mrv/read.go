package mrv

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// maxFile bounds a file: what is larger was not made by this program.
const maxFile = 1 << 30

// Newer is a file of a form that this program does not know yet.
type Newer struct{ File, Program uint32 }

// Error names both versions.
func (n *Newer) Error() string {
	return fmt.Sprintf("form %d of .mrv; this program reads forms up to %d: use a newer one, or generate the vectors again", n.File, n.Program)
}

// ReadFile reads a file by name. Errors name it.
func ReadFile(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// Read reads a whole file. It returns a file only if every byte of it is right.
func Read(r io.Reader) (*File, error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(guardBytes)
	if _, err := readGuard(head, 0); len(head) > 0 && err != nil { // before a gigabyte of something else is read
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, &Error{maxFile, fmt.Sprintf("more than %d bytes", maxFile)}
	}
	return Decode(b)
}

// Decode reads the bytes of a file.
func Decode(b []byte) (*File, error) {
	list, err := unpack(b)
	if err != nil {
		return nil, err
	}
	content, err := inflate(list, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	d := &decoder{file: &File{}, sum: sha256.New()}
	for i, c := range content {
		if at, err := d.chunk(c); err != nil {
			var n *Newer
			if errors.As(err, &n) {
				return nil, err
			}
			return nil, &Error{list[i].at, fmt.Sprintf("chunk %d, byte %d of its content: %v", i, at, err)}
		}
	}
	if d.stage != afterTail {
		return nil, &Error{int64(len(b)), "the content ends in the middle: its last message is missing"}
	}
	return d.file, nil
}
