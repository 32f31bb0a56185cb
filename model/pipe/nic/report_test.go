package nic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReport shows a message of 4 MB at its sender and at its receiver, and holds the table against the loads.
func TestReport(t *testing.T) {
	_, w := oneFlow(t, Default(1), 4096, 4<<20)
	for i := range w.m {
		d := w.m[i].(*Device)
		report := d.Report()
		t.Log("\n" + report)
		lines := strings.Split(strings.TrimSpace(report), "\n")
		used := 0
		for _, l := range d.Loads() {
			if l.Packets > 0 {
				used++
				require.True(t, strings.HasPrefix(lines[used], l.Stage.String()), report)
			}
		}
		require.Len(t, lines, used+2, "a head and a foot")
	}
}

func TestOccupancy(t *testing.T) {
	require.Zero(t, (&Load{Busy: 5}).Occupancy(0))
	require.EqualValues(t, 500, (&Load{Busy: 5}).Occupancy(10))
}
