package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// revision is that of the sources, set by the linker (Makefile), with dirtySuffix behind it where they were changed.
var revision string

const dirtySuffix = "-dirty"

// builtFrom is the revision that this program was built from, and whether there were changes on top; empty: nobody said.
func builtFrom() (name string, dirty bool) {
	if name, dirty = strings.CutSuffix(revision, dirtySuffix); name != "" {
		return name, dirty
	}
	b, _ := debug.ReadBuildInfo() // nil in no program that was built with modules
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			name = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	return name, dirty
}

func (a *app) version() *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: "version", Short: "prints the versions of program, wire format and records", Args: noArgs, Example: "  tandem version\n  tandem version --json",
		RunE: func(*cobra.Command, []string) error {
			built, dirty := builtFrom()
			switch {
			case built == "":
				built = "unknown"
			case dirty:
				built += dirtySuffix
			}
			if asJSON {
				return a.json(struct {
					Tandem  string `json:"tandem"` // revision of the sources
					Go      string `json:"go"`
					Wire    int    `json:"wire"` // version of the wire format
					UDPPort int    `json:"udp_port"`
					Records int    `json:"records"` // version of the records
					Schema  string `json:"schema"`  // hash of their layout
				}{built, runtime.Version(), preset.Version, preset.UDPPort, event.RecordVersion, fmt.Sprintf("%016x", event.SchemaHash)})
			}
			fmt.Fprintf(a.out, "tandem %s, %s\nwire format %d, UDP port %d\nrecords %d, schema %016x\n", built, runtime.Version(), preset.Version, preset.UDPPort,
				event.RecordVersion, event.SchemaHash)
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}
