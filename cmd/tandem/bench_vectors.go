package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/vector"
)

func (a *app) benchVectors() *cobra.Command {
	g := &gate{}
	packets, rounds := 100_000, 5
	c := g.flags(&cobra.Command{Use: "vectors", Short: "how fast vectors are made, how large they are, how fast they are read back and checked",
		Long: fmt.Sprintf(`Makes a vector of mixed traffic with what must be seen, writes it, reads it back and checks it against the model. Bounds, for 100,000
packets: %d packets a second of one core, a file of %d MiB, and %v of processor time to read back and check.`, vector.LeastRate, vector.MostBytes>>20, vector.MostCheck),
		Example: "  tandem bench vectors --check",
		RunE: func(*cobra.Command, []string) error {
			stop := a.waiting("measuring")
			f, err := vector.Measure(a.ctx, packets, rounds)
			stop()
			if err != nil {
				return err
			}
			if !g.json {
				fmt.Fprintf(a.out, "%d packets: made at %.0f packets/s of a core, %d bytes, read back and checked in %.2f s of processor time\n",
					f.Packets, f.Rate(), f.Bytes, f.Check.Seconds())
			}
			return a.conclude(g, "bench vectors", f.Missing(), f)
		}})
	c.Flags().IntVar(&packets, "packets", packets, "packets of the vector; the bounds are about 100,000")
	c.Flags().IntVar(&rounds, "rounds", rounds, "rounds; the best counts")
	atLeast(c, 1, "packets", "rounds")
	return c
}
