package result

import "fmt"

// Plural is a number of things, for people: 1 run, 2 runs.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
