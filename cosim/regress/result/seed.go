package result

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Seed is the seed of a test. People type it: it is written as 16 hexadecimal digits.
type Seed uint64

// Derive is the seed of one iteration: the first 8 bytes, most significant first, of the SHA-256 of the five
// coordinates. Nothing else goes in, so neither selection, order nor the number of iterations moves a seed.
// Each text is preceded by its length: ("a", "bc") and ("ab", "c") are two tests.
func Derive(base Seed, suite, test, variant string, iteration int) Seed {
	b := binary.BigEndian.AppendUint64(nil, uint64(base))
	for _, s := range []string{suite, test, variant} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(iteration))
	sum := sha256.Sum256(b)
	return Seed(binary.BigEndian.Uint64(sum[:8]))
}

// String is 16 hexadecimal digits.
func (s Seed) String() string { return fmt.Sprintf("%016x", uint64(s)) }

// MarshalText writes it into JSON and YAML.
func (s Seed) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads 16 hexadecimal digits: fewer may be one that was cut off.
func (s *Seed) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("seed %q: want 16 hexadecimal digits", b)
	}
	*s = Seed(n)
	return nil
}

// ParseSeed reads a seed as a person writes it: 16 hexadecimal digits, 0x and hexadecimal digits, or a decimal number.
func ParseSeed(text string) (Seed, error) {
	var s Seed
	if s.UnmarshalText([]byte(text)) == nil {
		return s, nil
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("seed %q: want 16 hexadecimal digits, 0x..., or a number below 2^64", text)
	}
	return Seed(n), nil
}

// RandomSeed draws a seed that nobody used before.
func RandomSeed() (Seed, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, err
	}
	return Seed(binary.BigEndian.Uint64(b[:])), nil
}
