package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChanged: the folder of a simulator is named by what it is made of; what the run did not have cannot have changed.
func TestChanged(t *testing.T) {
	then := map[string]string{"tiny": "/a/build/sim/tiny-0123/mr_bench", "small": "/a/build/sim/small-4567/mr_bench"}
	assert.False(t, changed(then, nil))
	assert.False(t, changed(nil, then))
	assert.False(t, changed(then, map[string]string{"tiny": "/elsewhere/sim/tiny-0123/mr_bench"}))
	assert.False(t, changed(then, map[string]string{"full": "/a/build/sim/full-89ab/mr_bench"}))
	assert.True(t, changed(then, map[string]string{"full": "/a/build/sim/full-89ab/mr_bench", "tiny": "/a/build/sim/tiny-89ab/mr_bench"}))
}
