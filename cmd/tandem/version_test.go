package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVersion: the linker's word counts.
func TestVersion(t *testing.T) {
	defer func(r string) { revision = r }(revision)
	for given, want := range map[string]string{"0123abcd": "tandem 0123abcd, go", "0123abcd-dirty": "tandem 0123abcd-dirty, go"} {
		revision = given
		var out bytes.Buffer
		assert.Zero(t, run([]string{"version"}, &out, &out))
		assert.Contains(t, out.String(), want)
		out.Reset()
		assert.Zero(t, run([]string{"version", "--json"}, &out, &out))
		var v map[string]any
		require.NoError(t, json.Unmarshal(out.Bytes(), &v))
		assert.Equal(t, given, v["tandem"])
		assert.Len(t, v["schema"], 16)
	}
}
