package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"metaroce/tandem/cosim/regress/farm"
)

// launch is the launcher that --launcher names.
func (f *regressFlags) launch() (farm.Launcher, error) {
	kind, rest, given := strings.Cut(f.launcher, ":")
	words := strings.Fields(rest)
	if f.launcher == "local" {
		return &farm.Local{Workers: f.workers}, nil
	}
	exe, err := os.Executable() // another machine has another /proc/self
	switch {
	case err != nil:
		return nil, err
	case kind == "exec" && len(words) > 0:
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, fmt.Errorf("--launcher exec: %w; the first word is a program that waits for the end of the command behind it", err)
		}
		return &farm.Local{Workers: f.workers, Prefix: words, Program: exe}, nil
	case kind == "slurm" && (!given || len(words) > 0):
		if err := farm.CheckWords(words); err != nil {
			return nil, fmt.Errorf("--launcher slurm: %w", err)
		}
		return &farm.Slurm{Workers: f.workers, Words: words, Program: exe}, nil
	}
	return nil, fmt.Errorf("--launcher %q: want local, slurm, slurm: and options of sbatch, or exec: and a command", f.launcher)
}
