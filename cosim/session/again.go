package session

import "fmt"

// RunsDir is where run folders go if nobody says otherwise.
const RunsDir = "runs"

// AgainFlags end every line that repeats a run: its seed, and where run folders and checkout are, if that was said. A seed
// has 16 hexadecimal digits as everywhere; without 0x the flag would take them for another number.
func AgainFlags(seed uint64, runs, root string) string {
	return fmt.Sprintf(" --seed 0x%016x", seed) + PlaceFlags(runs, root)
}

// PlaceFlags are those of AgainFlags that say where: run folders, and checkout.
func PlaceFlags(runs, root string) string {
	s := ""
	if runs != "" && runs != RunsDir {
		s = " --runs " + ShellWord(runs)
	}
	return s + RootFlag(root)
}

// RootFlag is the flag that names a checkout; root empty: nobody named one, and it is found again.
func RootFlag(root string) string {
	if root == "" {
		return ""
	}
	return " --root " + ShellWord(root)
}
