package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/nic/capture"
	"metaroce/tandem/nic/show"
)

func (a *app) wire() *cobra.Command {
	c := &cobra.Command{Use: "wire", Short: "reads and writes captures", Long: `Reads pcap and pcapng files of Ethernet frames, and writes the frames of a scenario into one, for instance for
Wireshark with docs/dissector/metaroce.lua.`}
	c.AddCommand(a.wireRead("show", "a line for each packet of a capture", (*show.Packet).Line, "\n"),
		a.wireRead("decode", "every field of every packet of a capture", (*show.Packet).Text, ""), a.wireWrite())
	return c
}

func (a *app) wireRead(name, short string, text func(*show.Packet) string, end string) *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: name + " FILE", Short: short, Args: exactly("FILE"), Example: "  tandem wire " + name + " capture.pcapng",
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			// what could be read is shown, whatever follows it
			c, fault := capture.Read(f)
			list := []*show.Packet{}
			r := show.NewReader()
			for _, frame := range c.Frames {
				list = append(list, r.Read(frame))
			}
			if asJSON {
				err = a.json(list)
			} else {
				for _, p := range list {
					if _, err = io.WriteString(a.out, text(p)+end); err != nil {
						break
					}
				}
			}
			return errors.Join(err, unread(args[0], fault))
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print packets as JSON")
	return c
}

// unread is the error of a capture that was not read to its end: of another link type, or broken.
func unread(name string, fault error) error {
	if fault == nil {
		return nil
	}
	err := fmt.Errorf("%s: %w", name, fault)
	var e *capture.Error
	if errors.As(fault, &e) && e.Foreign {
		return &status{result: lockstep.Unsupported, err: err}
	}
	return err
}

func (a *app) wireWrite() *cobra.Command {
	out, name, seed, random := "", "tiny", uint64(1), 0
	c := &cobra.Command{Use: "write [SCENARIO]", Short: "writes the frames of a scenario, or of random traffic, into a pcapng file",
		Example: "  tandem wire write in-order -o in-order.pcapng\n  tandem wire write --random 500 --seed 3 -o random.pcapng", Args: between(0, 1, "one scenario"), ValidArgsFunction: completeScenario,
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" || (len(args) == 1) == (random > 0) {
				return usage(c, "want a scenario or --random N, and -o FILE")
			}
			if _, ok := preset.ByName(name); !ok {
				return fmt.Errorf("--preset %q: want tiny, small or full", name)
			}
			job, err := suite.FromSeed(name, seed, random, false)
			if err == nil && random == 0 {
				f, lerr := load(args[0])
				if lerr != nil {
					return lerr
				}
				job, err = suite.FromScenario(f, scenarioName(args[0]), name, seed)
			}
			if err != nil {
				return err
			}
			prog, _, err := job.Make(a.ctx)
			if err != nil {
				return err
			}
			return a.writeCapture(out, prog.Items.Data())
		}}
	c.Flags().StringVarP(&out, "output", "o", "", "the `file`")
	c.Flags().StringVar(&name, "preset", "tiny", "table sizes")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of what the scenario leaves open, or of random traffic")
	c.Flags().IntVar(&random, "random", 0, "random traffic of so many packets instead of a scenario")
	return c
}

func (a *app) writeCapture(name string, frames [][]byte) error {
	var b bytes.Buffer
	w, err := capture.NewWriter(&b)
	if err != nil {
		return err
	}
	for i, frame := range frames {
		if err := w.Write(frame, time.Duration(i)*time.Microsecond); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := atomicfile.Write(name, b.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s\n", name, plural(len(frames), "frame"))
	return nil
}
