package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usage is a mistake in the call: what is wrong, and where to read on.
func usage(c *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+" (see %s --help)", append(args, c.CommandPath())...)
}

// exactly wants n arguments, named.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usage(c, "%d arguments: want %v", len(args), names)
		}
		return nil
	}
}
