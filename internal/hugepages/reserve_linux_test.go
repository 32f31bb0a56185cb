package hugepages

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var kept []byte

// TestReserve: what the heap makes afterwards lies where huge pages were asked for.
func TestReserve(t *testing.T) {
	if err := Reserve(64 << 20); err != nil {
		require.Contains(t, err.Error(), "invalid argument", "a system without huge pages says so")
		return
	}
	kept = make([]byte, 16<<20)
	var middle uintptr
	_, err := fmt.Sscanf(fmt.Sprintf("%p", &kept[len(kept)/2]), "0x%x", &middle)
	require.NoError(t, err)
	require.Contains(t, flagsAt(t, middle), " hg", "VmFlags of the block")
}

// flagsAt is the line of flags of the mapping that an address is in.
func flagsAt(t *testing.T, addr uintptr) string {
	file, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer file.Close()
	inside := false
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= addr && addr < to
		} else if inside && strings.HasPrefix(lines.Text(), "VmFlags:") {
			return lines.Text()
		}
	}
	return ""
}
