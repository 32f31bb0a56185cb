package yosys

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/internal/glob"
)

// Files are the modules of the device, relative to the checkout, package first.
func Files(root string) ([]string, error) {
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
	if err != nil {
		return nil, target.Fail("build", err, "cannot list the RTL")
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := strings.HasPrefix(list[i], "rtl/gen/"), strings.HasPrefix(list[j], "rtl/gen/")
		return a && !b || a == b && list[i] < list[j]
	})
	return list, nil
}

// Script is one run of Yosys. FILES stands for the sources, DIR for the folder of the results.
type Script string

// Read is how every script begins that starts from the sources.
const Read = "read_verilog -sv -Irtl/gen -Irtl/common FILES\n"

// Make runs scripts one behind the other and returns the folder with what they wrote. If a folder of the same sources,
// scripts and Yosys is there, it is taken. say is told before Yosys runs.
func Make(ctx context.Context, root, name string, scripts []Script, say func()) (string, error) {
	files, err := Files(root)
	if err != nil {
		return "", err
	}
	key, err := key(root, files, scripts)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "build", "mutants", name+"-"+key)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	say()
	return dir, makeIn(ctx, root, dir, files, scripts)
}

// makeIn works beside the final place and moves the result there in one step.
func makeIn(ctx context.Context, root, dir string, files []string, scripts []Script) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return target.Fail("build", err, "cannot make a folder for the mutants")
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "work-")
	if err != nil {
		return target.Fail("build", err, "cannot make a folder for the mutants")
	}
	defer os.RemoveAll(work)
	fill := strings.NewReplacer("FILES", strings.Join(files, " "), "DIR", work)
	for _, s := range scripts {
		if err := run(ctx, root, work, fill.Replace(string(s))); err != nil {
			return err
		}
	}
	if err := os.Rename(work, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // else another process was faster
			return target.Fail("build", err, "cannot keep the mutants")
		}
	}
	return nil
}

// key is over everything that the results depend on.
func key(root string, files []string, scripts []Script) (string, error) {
	version, err := exec.Command("yosys", "-V").Output()
	if err != nil {
		return "", target.Fail("build", err, "yosys does not run; install it (Debian: apt-get install yosys)")
	}
	headers, err := glob.In(filepath.Join(root, "rtl"), "*/*.svh")
	if err != nil {
		return "", target.Fail("build", err, "cannot list the RTL")
	}
	all := append([]string(nil), headers...)
	for _, f := range files {
		all = append(all, filepath.Join(root, f))
	}
	h := sha256.New()
	for _, f := range all {
		b, err := os.ReadFile(f)
		if err != nil {
			return "", target.Fail("build", err, "cannot read the RTL")
		}
		rel, err := filepath.Rel(root, f)
		if err != nil {
			return "", target.Fail("build", err, "cannot read the RTL")
		}
		fmt.Fprintf(h, "%s %d\n%s", rel, len(b), b)
	}
	fmt.Fprintf(h, "%s%q", version, scripts)
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

func run(ctx context.Context, root, work, script string) error {
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

// Load reads the list of mutants of a folder.
func Load(dir, name string) ([]Mutant, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, target.Fail("build", err, "cannot read the mutants")
	}
	list, err := ParseList(string(b))
	if err != nil {
		return nil, target.Fail("build", err, "Yosys wrote a list that cannot be read")
	}
	return list, nil
}
