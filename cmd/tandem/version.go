package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "prints the versions of program, wire format and records", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			toolchain, revision := "unknown", "unknown"
			if b, ok := debug.ReadBuildInfo(); ok {
				toolchain = b.GoVersion
				for _, s := range b.Settings {
					if s.Key == "vcs.revision" {
						revision = s.Value
					}
				}
			}
			fmt.Fprintf(a.out, "tandem %s, %s\nwire format %d, UDP port %d\nrecords %d, schema %016x\n", revision, toolchain, preset.Version, preset.UDPPort,
				event.RecordVersion, event.SchemaHash)
			return nil
		}}
}
