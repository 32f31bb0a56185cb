package history

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/result"
)

func TestSeen(t *testing.T) {
	s := open(t)
	crash := rec("a/x", 1, result.Crash, 1)
	require.NoError(t, s.Add(run("late", 300), []result.Record{crash, rec("a/x", 2, result.Crash, 1), rec("a/y", 1, result.Match, 1)}))
	require.NoError(t, s.Add(run("early", 100), []result.Record{crash}))
	require.NoError(t, s.Add(run("between", 200), []result.Record{rec("a/x", 1, result.Timeout, 1)}))
	got, err := s.Seen(result.Crash, crash.Signature)
	require.NoError(t, err)
	assert.Equal(t, Seen{2, "early", "late"}, got)
	got, err = s.Seen(result.Crash, &result.Signature{Kind: "other"})
	require.NoError(t, err)
	assert.Equal(t, Seen{}, got)
	got, err = s.Seen(result.Timeout, rec("", 0, result.Timeout, 1).Signature)
	require.NoError(t, err)
	assert.Equal(t, Seen{1, "between", "between"}, got)
}
