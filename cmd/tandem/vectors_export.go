package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/vectors/export"
	"metaroce/tandem/vectors/mrv"
)

func (a *app) vectorsExport() *cobra.Command {
	as, out, only := "", "", []string(nil)
	c := &cobra.Command{Use: "export [FILE...]", Short: "writes vectors as pcapng, JSON or a Verilog bench",
		Long: `pcapng: the frames of each vector with a comment on what becomes of them; a file for each vector in the folder -o, or one
file if there is one vector with frames. json: all of them in one file. verilog: a folder with a self-checking bench, its memories and
run.sh, which runs in Icarus and Verilator with neither this program nor a socket: OUT/run.sh rtl

Vectors whose names would be one file are refused. All is written, or nothing is changed.`,
		Example: "  tandem vectors export --as json -o set.json my.mrv\n  tandem vectors export --as verilog -o out --only 'directed/*' vectors/golden\n  tandem vectors export --as pcapng -o gaps.pcapng --only directed/gaps vectors/golden",
		RunE: func(c *cobra.Command, args []string) error {
			write := map[string]func(string, *vectorSet) (int, error){"verilog": exportVerilog, "json": exportJSON, "pcapng": exportCaptures}[as]
			var errs []error
			if write == nil {
				errs = append(errs, fmt.Errorf("--as %q: want pcapng, json or verilog", as))
			}
			if out == "" {
				errs = append(errs, errors.New("-o is missing: where to write"))
			}
			if strings.HasSuffix(out, ".mrv") {
				errs = append(errs, fmt.Errorf("-o %q: .mrv is what is exported, not what comes of it", out))
			}
			if len(errs) > 0 {
				return usage(c, "%w", errors.Join(errs...))
			}
			s, err := readSome(a.orGolden(args), only)
			if err != nil {
				return err
			}
			n, err := write(out, s)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %s\n", out, plural(n, "vector"))
			if left := len(s.list) - n; left > 0 {
				fmt.Fprintf(a.out, "note: without frames, because they are of engines: %s\n", plural(left, "vector"))
			}
			return nil
		}}
	c.Flags().StringVar(&as, "as", "", "form: pcapng, json or verilog")
	c.Flags().StringVarP(&out, "output", "o", "", "file or folder to write")
	c.Flags().StringArrayVar(&only, "only", nil, "export only vectors of this `name`, which may hold *; may be given again")
	complete(c, "as", "pcapng", "json", "verilog")
	return c
}

func exportVerilog(out string, s *vectorSet) (int, error) {
	var errs []error
	for _, v := range s.list {
		errs = append(errs, vector.Supported(v, vector.RTL))
	}
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	return len(s.list), export.Verilog(out, s.list)
}

// exportJSON has one header for all.
func exportJSON(out string, s *vectorSet) (int, error) {
	var b bytes.Buffer
	if err := vectorsJSON(&b, s); err != nil {
		return 0, err
	}
	return len(s.list), atomicfile.Write(out, b.Bytes())
}

// vectorsJSON writes vectors whole.
func vectorsJSON(w io.Writer, s *vectorSet) error {
	if len(s.headers) > 1 {
		return fmt.Errorf("the files were made by %d programs or models (tandem vectors show says which): take them one at a time", len(s.headers))
	}
	return export.JSON(w, s.headers[0], s.list)
}

func exportCaptures(out string, s *vectorSet) (int, error) {
	var list []*mrv.Vector
	var errs []error
	for _, v := range s.list {
		if vector.IsBlock(v.Kind) {
			continue
		}
		list = append(list, v)
		errs = append(errs, vector.Supported(v, vector.RTL))
	}
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	switch len(list) {
	case 0:
		return 0, &target.Unsupported{What: "there are no frames in vectors of engines"}
	case 1:
		var b bytes.Buffer
		if err := export.Pcapng(&b, list[0]); err != nil {
			return 0, err
		}
		return 1, atomicfile.Write(out, b.Bytes())
	}
	return len(list), export.Captures(out, list)
}
