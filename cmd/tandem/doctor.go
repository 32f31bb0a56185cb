package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
)

// need is something of the machine that a command depends on.
type need struct {
	Name    string `json:"name"`
	For     string `json:"for"`
	Package string `json:"package"` // Debian's name
	Found   bool   `json:"found"`
	// Optional: no problem where it is missing, but for what it is for.
	Optional bool   `json:"optional,omitempty"`
	Version  string `json:"version,omitempty"`

	args []string // that print the version
	file string   // a header instead of a command
}

func needs() []need {
	return []need{
		{Name: "verilator", For: "run, bench and bugs on RTL", Package: "verilator", args: []string{"--version"}},
		{Name: "g++", For: "run, bench and bugs on RTL", Package: "g++", args: []string{"--version"}},
		{Name: "make", For: "run, bench and bugs on RTL", Package: "make", args: []string{"--version"}},
		{Name: "zlib.h", For: "waves after a divergence (run --wave)", Package: "zlib1g-dev", file: "/usr/include/zlib.h"},
		{Name: "iverilog", For: "make test: golden vectors, RTL lint", Package: "iverilog", args: []string{"-V"}},
		{Name: "yosys", For: "make test: netlists, RTL lint; make prove", Package: "yosys", args: []string{"-V"}},
		{Name: "z3", For: "make test: proofs", Package: "z3", args: []string{"--version"}},
		{Name: "tshark", For: "make test: the dissector", Package: "tshark", args: []string{"--version"}},
		{Name: "fst2vcd", For: "make test: wave dumps; gtkwave opens them", Package: "gtkwave", args: []string{"--help"}},
		{Name: "sbatch", For: "regress --launcher slurm; make test-farm", Package: "slurm-client", Optional: true, args: []string{"--version"}},
		{Name: "slurmctld", For: "make test-farm", Package: "slurmctld", Optional: true, args: []string{"-V"}},
		{Name: "slurmd", For: "make test-farm", Package: "slurmd", Optional: true, args: []string{"-V"}},
		{Name: "munged", For: "make test-farm", Package: "munge", Optional: true, args: []string{"--version"}},
		{Name: "chromium", For: "make test-report: the page in a browser", Package: "chromium", Optional: true, args: []string{"--version"}},
	}
}

// health is what doctor found out.
type health struct {
	Program  string   `json:"go"`
	Machine  string   `json:"machine"`
	Cores    int      `json:"cores"`
	Checkout string   `json:"checkout,omitempty"`
	Needs    []need   `json:"needs"`
	Problems []string `json:"problems"`
	Install  string   `json:"install,omitempty"`  // one line that installs what is missing
	Optional string   `json:"optional,omitempty"` // and one for what is optional
}

func (a *app) doctor() *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: "doctor", Short: "what this machine has, what each command needs, and what to install", Args: noArgs, Example: "  tandem doctor",
		Long: "Looks for the tools that commands need and prints their versions. Exits with 2 if something is missing that is not optional. The model needs none of them: tandem run --dut model.",
		RunE: func(*cobra.Command, []string) error {
			h := a.examine()
			if asJSON {
				if err := a.json(h); err != nil {
					return err
				}
			} else {
				a.printHealth(h)
			}
			if len(h.Problems) > 0 {
				return &status{result: lockstep.BenchFailed}
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func (a *app) examine() *health {
	h := &health{Program: runtime.Version(), Machine: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Problems: []string{}}
	var packages, optional []string
	for _, n := range needs() {
		n.look(a.ctx)
		switch {
		case n.Found:
		case n.Optional:
			optional = append(optional, n.Package)
		default:
			packages = append(packages, n.Package)
			h.Problems = append(h.Problems, fmt.Sprintf("%s is missing: needed for %s", n.Name, n.For))
		}
		h.Needs = append(h.Needs, n)
	}
	if optional != nil {
		h.Optional = "apt-get install " + strings.Join(optional, " ")
	}
	if packages != nil {
		h.Install = "apt-get install " + strings.Join(packages, " ")
	}
	h.Checkout = a.checkout
	if h.Checkout == "" {
		root, err := rtl.FindRoot()
		if err != nil {
			h.Problems = append(h.Problems, err.Error())
			return h
		}
		h.Checkout = root
	}
	if !rtl.IsRoot(h.Checkout) {
		h.Problems = append(h.Problems, fmt.Sprintf("--root %s: no checkout: no go.mod of metaroce/tandem is in it", h.Checkout))
		return h
	}
	if err := writable(filepath.Join(h.Checkout, "build")); err != nil {
		h.Problems = append(h.Problems, fmt.Sprintf("simulators are built in build/: %v", err))
	}
	return h
}

// daemons is where Debian has them.
const daemons = "/usr/sbin"

// look finds a tool and asks it for its version.
func (n *need) look(ctx context.Context) {
	if n.file != "" {
		_, err := os.Stat(n.file)
		n.Found = err == nil
		return
	}
	path, err := exec.LookPath(n.Name)
	if err != nil { // daemons: not everybody's PATH has their folder
		path = filepath.Join(daemons, n.Name)
		if _, err := os.Stat(path); err != nil {
			return
		}
	}
	n.Found = true
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, path, n.args...).Output() // some print their version and fail
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	n.Version = line
}

// writable tries what a build does first.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

func (a *app) printHealth(h *health) {
	fmt.Fprintf(a.out, "%s, %s, %d cores\n", h.Program, h.Machine, h.Cores)
	if h.Checkout != "" {
		fmt.Fprintf(a.out, "checkout %s\n", h.Checkout)
	}
	for _, n := range h.Needs {
		state := "missing"
		if n.Found {
			state = "found"
		} else if n.Optional {
			state = "none"
		}
		fmt.Fprintf(a.out, "  %s %-10s %-46s %s\n", a.paint(n.Found || n.Optional, fmt.Sprintf("%-7s", state)), n.Name, n.For, n.Version)
	}
	for _, p := range h.Problems {
		fmt.Fprintf(a.out, "problem: %s\n", p)
	}
	if h.Optional != "" {
		fmt.Fprintf(a.out, "optional: %s\n", h.Optional)
	}
	switch {
	case h.Install != "":
		fmt.Fprintf(a.out, "install: %s\n", h.Install)
	case len(h.Problems) == 0:
		fmt.Fprintln(a.out, "nothing is missing")
	}
}
