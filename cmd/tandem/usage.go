package main

import (
	"fmt"
	"regexp"

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

// parserName is what strconv says of itself in front of what is wrong.
var parserName = regexp.MustCompile(`strconv\.\w+: parsing (".*"|[^:]*): `)

// refuseUnknown has a command that only holds others refuse a word that is none of them: cobra would print help and
// call that a success.
func refuseUnknown(c *cobra.Command) {
	if !c.HasSubCommands() || c.Runnable() {
		return
	}
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(c, "unknown command %q for %q", args[0], c.CommandPath())
		}
		return c.Help()
	}
}
