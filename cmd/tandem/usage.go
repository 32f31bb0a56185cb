package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"metaroce/tandem/cosim/regress/result"
)

// usage is a mistake in the call: what is wrong, and where to read on.
func usage(c *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+" (see %s --help)", append(args, c.CommandPath())...)
}

// exactly wants n arguments, named.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usage(c, "%s: want %v", plural(len(args), "argument"), names)
		}
		return nil
	}
}

// many is no limit of arguments.
const many = 1 << 30

// between wants so many arguments, and says what they are.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage(c, "%s: want %s", plural(len(args), "argument"), what)
		}
		return nil
	}
}

// parserName is what strconv says of itself in front of what is wrong.
var parserName = regexp.MustCompile(`strconv\.\w+: parsing (".*"|[^:]*): `)

// refuseUnknown has a command that only holds others refuse a word that is none of them: cobra would print help and
// call that a success. It names those that are near, and those that somebody may mean by the word (SuggestFor).
func refuseUnknown(c *cobra.Command) {
	if !c.HasSubCommands() || c.Runnable() {
		return
	}
	c.SuggestionsMinimumDistance = 2
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		var near string
		if names := c.SuggestionsFor(args[0]); len(names) > 0 {
			near = "; near it: " + strings.Join(names, ", ")
		}
		return usage(c, "unknown command %q for %q%s", args[0], c.CommandPath(), near)
	}
}

// leastOf is the annotation of a flag with the least number that it takes where it is given.
const leastOf = "least"

// atLeast says what the numbers of flags must not fall short of.
func atLeast(c *cobra.Command, least int, flags ...string) {
	for _, f := range flags {
		c.Flags().Lookup(f).Annotations = map[string][]string{leastOf: {strconv.Itoa(least)}}
	}
}

// sound refuses flags that were given and say nothing: an empty text, which would count as not given, and too small a number.
func sound(c *cobra.Command, _ []string) error {
	var errs []error
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			errs = append(errs, fmt.Errorf("--%s is empty: give it a value, or leave it out", f.Name))
		}
		if least := f.Annotations[leastOf]; least != nil {
			n, err := strconv.ParseInt(f.Value.String(), 10, 64)
			want, _ := strconv.ParseInt(least[0], 10, 64) // atLeast wrote it
			if err == nil && n < want {
				errs = append(errs, fmt.Errorf("--%s %d: want a number from %d", f.Name, n, want))
			}
		}
	})
	if len(errs) > 0 {
		return usage(c, "%w", errors.Join(errs...))
	}
	return nil
}

// plural is a number of things.
var plural = result.Plural
