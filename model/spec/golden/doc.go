// Package golden reads the text files of vectors/golden/wire, which say how fields, packets and records look in bytes.
// Tests of the codec, of the records, of the layers and of the dissector hold themselves against them.
package golden

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// Value is one field and its value.
type Value struct {
	Name string
	Big  *big.Int
}

// Entry is one case: "header NAME CASE", "packet NAME CASE" or "record NAME CASE" and what stands below it.
type Entry struct {
	What    string
	Name    string
	Case    string
	Line    int
	Values  []Value
	Payload []byte // packets
	Bytes   []byte // hex or udp
}

// Get returns the value of a field; missing fields are an error of the caller's file.
func (e *Entry) Get(name string) (*big.Int, bool) {
	for _, v := range e.Values {
		if v.Name == name {
			return v.Big, true
		}
	}
	return nil, false
}

// String names the entry in reports.
func (e *Entry) String() string {
	return fmt.Sprintf("%s %s %s (line %d)", e.What, e.Name, e.Case, e.Line)
}

// Parse reads a whole file. Every entry has bytes, or it is an error.
func Parse(text string) ([]Entry, error) {
	var out []Entry
	for i, raw := range strings.Split(text, "\n") {
		f := strings.Fields(raw)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if raw[0] != ' ' {
			if len(f) != 3 {
				return nil, fmt.Errorf("golden: line %d: %q is not WHAT NAME CASE", i+1, raw)
			}
			out = append(out, Entry{What: f[0], Name: f[1], Case: f[2], Line: i + 1})
			continue
		}
		if len(out) == 0 || len(f) != 2 {
			return nil, fmt.Errorf("golden: line %d: %q is not a field and its value below an entry", i+1, raw)
		}
		if err := out[len(out)-1].take(f[0], f[1]); err != nil {
			return nil, fmt.Errorf("golden: line %d: %w", i+1, err)
		}
	}
	for i := range out {
		if out[i].Bytes == nil {
			return nil, fmt.Errorf("golden: %s has no bytes", &out[i])
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("golden: no entry")
	}
	return out, nil
}

func (e *Entry) take(name, value string) error {
	var err error
	switch name {
	case "hex", "udp":
		e.Bytes, err = hex.DecodeString(value)
	case "payload":
		if value != "-" {
			e.Payload, err = hex.DecodeString(value)
		}
	default:
		v, ok := new(big.Int).SetString(value, 16)
		if !ok {
			return fmt.Errorf("%s %q is not hexadecimal", name, value)
		}
		e.Values = append(e.Values, Value{name, v})
	}
	return err
}
