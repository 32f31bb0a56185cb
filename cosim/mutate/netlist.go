package mutate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"metaroce/tandem/cosim/target"
)

// netlistModule is the name of the mutated top.
const netlistModule = "mr_rx_netlist"

const topFile = "rtl/top/mr_rx_top.sv"

// netlist is the mutated device: the list of mutants, and sources for a simulator.
type netlist struct {
	mutants []Mutant
	sources map[string]string // replacements for rtl.Options
}

// makeNetlist lets Yosys choose and apply the mutants, unless the cache has them.
func makeNetlist(ctx context.Context, root string, count int, seed uint64, log io.Writer) (*netlist, error) {
	files, err := rtlFiles(root)
	if err != nil {
		return nil, target.Fail("build", err, "cannot list the RTL")
	}
	key, err := key(root, files, count, seed)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, "build", "mutants", key)
	if _, err := os.Stat(filepath.Join(dir, "netlist.v")); err != nil {
		if log != nil {
			fmt.Fprintf(log, "choosing and applying %d mutants (Yosys)\n", count)
		}
		if err := yosys(ctx, root, dir, files, count, seed); err != nil {
			return nil, err
		}
	}
	return load(root, dir, files)
}

// rtlFiles are the modules of the device, package first.
func rtlFiles(root string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(filepath.Join(root, "rtl"), func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "tb" || d.Name() == "formal" || d.Name() == "lint"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".sv"):
			rel, err := filepath.Rel(root, path)
			list = append(list, rel)
			return err
		}
		return nil
	})
	sort.Slice(list, func(i, j int) bool {
		a, b := strings.HasPrefix(list[i], "rtl/gen/"), strings.HasPrefix(list[j], "rtl/gen/")
		return a && !b || a == b && list[i] < list[j]
	})
	return list, err
}

// key is over everything that the netlist depends on.
func key(root string, files []string, count int, seed uint64) (string, error) {
	version, err := exec.Command("yosys", "-V").Output()
	if err != nil {
		return "", target.Fail("build", err, "yosys does not run; install it (Debian: apt-get install yosys)")
	}
	headers, err := filepath.Glob(filepath.Join(root, "rtl", "*", "*.svh"))
	if err != nil {
		return "", target.Fail("build", err, "cannot list the RTL")
	}
	h := sha256.New()
	for _, f := range headers {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			return "", target.Fail("build", err, "cannot list the RTL")
		}
		files = append(files[:len(files):len(files)], rel)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			return "", target.Fail("build", err, "cannot read the RTL")
		}
		fmt.Fprintf(h, "%s %d\n%s", f, len(b), b)
	}
	fmt.Fprintf(h, "%s %d %d\n%s%s", version, count, seed, chooseScript, applyScript)
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// Two runs: the list is a script, and Yosys reads a script whole before it runs any of it.
//
// What is not about mutants is about speed: with enables of memories that are one bit instead of a vector of equal ones
// (opt_reduce, splitnets @en), and nets split where their drivers change (splitnets -driver), the simulator is twenty
// times as fast, because no statement a bit is written and no bits of one vector seem to depend on each other.
const chooseScript = `read_verilog -sv -Irtl/gen -Irtl/common %s
hierarchy -check -top mr_rx_top
proc
setattr -mod -set keep_hierarchy 1 *_step
opt_clean
flatten
opt_reduce
opt_clean
rename mr_rx_top ` + netlistModule + `
cd ` + netlistModule + `
select -set en t:$memwr_v2 %%ci1:+[EN]
splitnets @en
opt_clean -purge
cd ..
write_ilang %s/plain.il
cd ` + netlistModule + `
mutate -list %d -seed %d -ctrl mutsel 8 1 -o %s/list.ys
`

const applyScript = `read_ilang %s/plain.il
cd ` + netlistModule + `
script %s/list.ys
splitnets -driver
opt_clean -purge
cd ..
write_verilog -noattr %s/netlist.v
`

// yosys works beside the final place and moves the result there in one step.
func yosys(ctx context.Context, root, dir string, files []string, count int, seed uint64) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return target.Fail("build", err, "cannot make a folder for the mutants")
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "work-")
	if err != nil {
		return target.Fail("build", err, "cannot make a folder for the mutants")
	}
	defer os.RemoveAll(work)
	choose := fmt.Sprintf(chooseScript, strings.Join(files, " "), work, count, seed, work)
	apply := fmt.Sprintf(applyScript, work, work, work)
	for _, script := range []string{choose, apply} {
		if err := runYosys(ctx, root, work, script); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(work, "plain.il")); err != nil {
		return target.Fail("build", err, "cannot clear up behind Yosys")
	}
	if err := os.Rename(work, dir); err != nil && !os.IsExist(err) {
		if _, there := os.Stat(filepath.Join(dir, "netlist.v")); there != nil {
			return target.Fail("build", err, "cannot keep the mutants")
		}
	}
	return nil
}

func runYosys(ctx context.Context, root, work, script string) error {
	file := filepath.Join(work, "run.ys")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		return target.Fail("build", err, "cannot write a script for Yosys")
	}
	cmd := exec.CommandContext(ctx, "yosys", "-q", "-s", file)
	cmd.Dir = root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return target.Fail("host", ctx.Err(), "interrupted while Yosys ran")
		}
		return target.Fail("build", err, "Yosys cannot make the mutants: %s", lastLine(out.String()))
	}
	return nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// load reads the mutants and makes the replacements: the netlist brings every module but the package, so that all other
// files are replaced by nothing, and the top's file by the wrapper.
func load(root, dir string, files []string) (*netlist, error) {
	list, err := os.ReadFile(filepath.Join(dir, "list.ys"))
	if err != nil {
		return nil, target.Fail("build", err, "cannot read the mutants")
	}
	n := &netlist{sources: map[string]string{}}
	if n.mutants, err = parseList(string(list)); err != nil {
		return nil, target.Fail("build", err, "Yosys wrote a list that cannot be read")
	}
	top, err := os.ReadFile(filepath.Join(root, topFile))
	if err != nil {
		return nil, target.Fail("build", err, "cannot read the RTL")
	}
	text, err := wrapper(string(top))
	if err != nil {
		return nil, target.Fail("build", err, "cannot wrap %s", topFile)
	}
	verilog, err := os.ReadFile(filepath.Join(dir, "netlist.v"))
	if err != nil {
		return nil, target.Fail("build", err, "cannot read the mutants")
	}
	empty, wrapped := filepath.Join(dir, "empty.sv"), filepath.Join(dir, "wrapper.sv")
	for path, content := range map[string]string{empty: "// the netlist has this module\n", wrapped: string(verilog) + text} {
		if old, err := os.ReadFile(path); err == nil && string(old) == content {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return nil, target.Fail("build", err, "cannot write the sources of the mutants")
		}
	}
	for _, f := range files {
		if !strings.HasPrefix(f, "rtl/gen/") {
			n.sources[f] = empty
		}
	}
	n.sources[topFile] = wrapped
	return n, nil
}
