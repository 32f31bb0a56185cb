package shrink

// Minimal finds a part of 0..n-1 for which test holds and from which no single one can be left out (delta debugging: parts
// are left out from halves down to single ones, and then single ones until none can be). Test is taken to hold for all of
// them; parts keep their order. Where test is no function of the part alone, the last one for which it held is returned.
func Minimal(n int, test func(keep []int) bool) []int {
	keep := make([]int, n)
	for i := range keep {
		keep[i] = i
	}
	for size := (n + 1) / 2; size > 1; size = (size + 1) / 2 {
		for at := 0; at < len(keep); {
			if !leaveOut(&keep, at, size, test) {
				at += size
			}
		}
		if size == 2 {
			break
		}
	}
	at := 0
	for tried := 0; tried < len(keep); {
		if at >= len(keep) {
			at = 0
		}
		if leaveOut(&keep, at, 1, test) {
			tried = 0
		} else {
			tried++
			at++
		}
	}
	return keep
}

// leaveOut takes size of them out from at on, if test holds for the others.
func leaveOut(keep *[]int, at, size int, test func([]int) bool) bool {
	end := min(at+size, len(*keep))
	rest := append(append(make([]int, 0, len(*keep)), (*keep)[:at]...), (*keep)[end:]...)
	if !test(rest) {
		return false
	}
	*keep = rest
	return true
}
