package endpoint

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

const cacheLine = 64 // bytes

// TestCacheLines holds what stands side by side for speed: whoever adds a field to what every packet needs finds out here.
func TestCacheLines(t *testing.T) {
	end := func(of any, name string) int {
		f, ok := reflect.TypeOf(of).FieldByName(name)
		require.True(t, ok, name)
		return int(f.Offset + f.Type.Size())
	}
	require.Equal(t, cacheLine, size[Front]())
	require.LessOrEqual(t, end(conn{}, "rows"), cacheLine)
	require.LessOrEqual(t, end(sender{}, "next"), 5*cacheLine)
	require.LessOrEqual(t, end(NIC{}, "filled"), cacheLine)
	for name, bytes := range map[string]int{"conn": size[conn](), "rxPath": size[rxPath](), "sender": size[sender]()} {
		require.Zero(t, bytes%cacheLine, name)
	}
	slots, _ := reflect.TypeOf(streamBlock{}).FieldByName("slots")
	require.Zero(t, slots.Offset%cacheLine)
}
