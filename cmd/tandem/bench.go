package main

import "github.com/spf13/cobra"

func (a *app) bench() *cobra.Command {
	c := &cobra.Command{Use: "bench", Short: "measures against bounds", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return usage(c, "nothing to measure: name a bench") }}
	c.AddCommand(a.benchRTL())
	return c
}
