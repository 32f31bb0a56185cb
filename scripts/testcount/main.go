package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	min := flag.Int("min", 1, "fewer passed tests than this are a failure")
	flag.Parse()
	t := newTally()
	if err := t.read(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	bad := t.verdict(*min)
	for _, line := range bad {
		fmt.Fprintln(os.Stderr, "testcount:", line)
	}
	if len(bad) > 0 {
		for _, line := range t.stray {
			fmt.Fprintln(os.Stderr, line)
		}
		os.Exit(1)
	}
	fmt.Printf("%d tests passed in %d packages, none skipped\n", t.passed, t.packages)
}
