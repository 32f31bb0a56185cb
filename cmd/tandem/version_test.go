package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVersion: the linker's word counts.
func TestVersion(t *testing.T) {
	defer func(r string) { revision = r }(revision)
	for given, want := range map[string]string{"0123abcd": "tandem 0123abcd, go", "0123abcd-dirty": "tandem 0123abcd-dirty, go"} {
		revision = given
		var out bytes.Buffer
		assert.Zero(t, run([]string{"version"}, &out, &out))
		assert.Contains(t, out.String(), want)
	}
}
