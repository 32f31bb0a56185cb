package rtl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
)

var cFlags = []string{"-std=c99", "-O3", "-Wall", "-Wextra", "-Werror"}

// build is one simulator: a preset, options and what follows from them.
type build struct {
	opt     *Options
	params  preset.Params
	root    string
	src     *sources
	version string
}

// Build returns the simulator's binary, building it unless the cache has it. Two processes that want the same one wait
// for each other; a build that is stopped leaves nothing behind that the next would take.
func Build(ctx context.Context, p preset.Params, opt *Options) (string, error) {
	if opt.Binary != "" {
		return opt.Binary, nil
	}
	b, dir, err := locate(p, opt)
	if err != nil {
		return "", err
	}
	cache := filepath.Dir(dir)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", target.Fail("build", err, "cannot make the cache of simulators")
	}
	binary := filepath.Join(dir, binaryFile)
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(binary); err == nil { // another process was faster
		return binary, nil
	}
	if err := b.make(ctx, cache, dir); err != nil {
		return "", err
	}
	return binary, nil
}

// Path is where the simulator of the sources as they are now is, or will be once it is built.
func Path(p preset.Params, opt *Options) (string, error) {
	if opt.Binary != "" {
		return opt.Binary, nil
	}
	_, dir, err := locate(p, opt)
	return filepath.Join(dir, binaryFile), err
}

const binaryFile = "mr_bench"

// locate finds the sources of a simulator, and its place in the cache.
func locate(p preset.Params, opt *Options) (b *build, dir string, err error) {
	b = &build{opt: opt, params: p, root: opt.Root}
	if b.root == "" {
		if b.root, err = FindRoot(); err != nil {
			return nil, "", err
		}
	}
	if b.root, err = filepath.Abs(b.root); err != nil {
		return nil, "", target.Fail("build", err, "cannot find the checkout")
	}
	if b.src, err = find(b.root); err != nil {
		return nil, "", err
	}
	if b.version, err = Version(); err != nil {
		return nil, "", err
	}
	key, err := b.key()
	if err != nil {
		return nil, "", err
	}
	cache := opt.CacheDir
	if cache == "" {
		cache = filepath.Join(b.root, "build", "sim")
	}
	return b, filepath.Join(cache, p.Name+"-"+key), nil
}

// make builds beside the final place and moves the binary there in one step.
func (b *build) make(ctx context.Context, cache, dir string) error {
	sweep(cache)
	work, unlock, err := workFolder(cache)
	if err != nil {
		return target.Fail("build", err, "cannot make a folder for the build")
	}
	defer unlock()
	defer os.RemoveAll(work)
	logFile, err := os.Create(filepath.Join(work, "build.log"))
	if err != nil {
		return target.Fail("build", err, "cannot write the log of the build")
	}
	defer logFile.Close()
	if b.opt.Log != nil {
		fmt.Fprintf(b.opt.Log, "building the simulator of preset %s (%s)%s\n", b.params.Name, b.version, b.opt.extra())
	}
	objects, err := b.compileC(ctx, work, logFile)
	if err == nil {
		err = b.verilate(ctx, work, logFile, objects)
	}
	if err != nil && ctx.Err() != nil {
		return target.Fail("build", ctx.Err(), "interrupted while building the simulator")
	}
	if err != nil {
		keep := filepath.Join(cache, "failed-"+filepath.Base(dir)+".log")
		_ = os.Rename(logFile.Name(), keep)
		return target.Fail("build", err, "the simulator does not build: %s, see %s", firstError(keep), keep)
	}
	final := work + doneSuffix
	if err := os.Mkdir(final, 0o755); err != nil {
		return target.Fail("build", err, "cannot keep the simulator")
	}
	defer os.RemoveAll(final)
	err = b.keepSources(final)
	err = errors.Join(err, os.Rename(filepath.Join(work, "obj", binaryFile), filepath.Join(final, binaryFile)),
		os.Rename(logFile.Name(), filepath.Join(final, "build.log")), os.Rename(final, dir))
	if err != nil {
		return target.Fail("build", err, "cannot keep the simulator")
	}
	return nil
}

// SourceFolder, beside a simulator that counts, has the sources that its points are in.
const SourceFolder = "src"

// keepSources copies them: those of the checkout go on.
func (b *build) keepSources(dir string) error {
	if b.opt.Coverage == NoCoverage {
		return nil
	}
	for _, rel := range slices.Concat(b.src.verilog, b.src.headers) {
		text, err := os.ReadFile(b.path(rel))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, SourceFolder, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) compileC(ctx context.Context, work string, out *os.File) ([]string, error) {
	svdpi := filepath.Join(verilatorRoot(ctx), "include", "vltstd")
	var objects []string
	for _, rel := range b.src.c {
		object := filepath.Join(work, strings.TrimSuffix(filepath.Base(rel), ".c")+".o")
		args := append([]string(nil), cFlags...)
		args = append(args, "-I"+filepath.Join(b.root, dpiDir), "-I"+svdpi, "-c", b.path(rel), "-o", object)
		if err := b.run(ctx, work, out, "cc", args...); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

func verilatorRoot(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "verilator", "--getenv", "VERILATOR_ROOT").Output()
	if err != nil {
		return "/usr/share/verilator"
	}
	return strings.TrimSpace(string(out))
}

// flags are those of Verilator that the binary depends on.
func (b *build) flags() []string {
	f := []string{
		"--cc", "--exe", "--build", "--top-module", "mr_bench", "--prefix", "Vmr_bench", "-o", "mr_bench", "-O3",
		"--x-assign", "fast", "--x-initial", "unique", "--no-timing", "-Wno-fatal", "-Wno-DECLFILENAME",
		"-MAKEFLAGS", "OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O2",
	}
	if b.opt.Trace {
		f = append(f, "--trace-fst")
	}
	f = append(f, b.opt.Coverage.flags()...)
	f = append(f, fmt.Sprintf("-GPreset=%q", b.params.Name))
	for _, p := range presetParams(&b.params) {
		f = append(f, fmt.Sprintf("-G%s=%d", p.SV, p.Value))
	}
	for _, name := range sortedKeys(b.opt.Parameters) {
		f = append(f, fmt.Sprintf("-G%s=%d", name, b.opt.Parameters[name]))
	}
	for _, d := range b.opt.Defines {
		f = append(f, "+define+"+d)
	}
	return f
}

func sortedKeys(m map[string]int) []string {
	var s []string
	for k := range m {
		s = append(s, k)
	}
	sort.Strings(s)
	return s
}

// notCounted keeps the bench out of coverage.
const notCounted = "`verilator_config\ncoverage_off -file \"" + dpiDir + "/*\"\n"

// verilate runs Verilator and the compiler. It runs in the checkout, so that points of coverage have names that are the
// same on every machine.
func (b *build) verilate(ctx context.Context, work string, out *os.File, objects []string) error {
	args := append(b.flags(), "-j", "2", "--Mdir", filepath.Join(work, "obj"), "-CFLAGS", "-I"+filepath.Join(b.root, dpiDir))
	for _, d := range b.src.includes {
		args = append(args, "+incdir+"+d)
	}
	if b.opt.Coverage != NoCoverage {
		config := filepath.Join(work, "coverage.vlt")
		if err := os.WriteFile(config, []byte(notCounted), 0o644); err != nil {
			return err
		}
		args = append(args, config)
	}
	for _, rel := range b.src.verilog {
		if p, ok := b.opt.Sources[rel]; ok {
			rel = p
		}
		args = append(args, rel)
	}
	return b.run(ctx, b.root, out, "verilator", append(append(args, filepath.Join(b.root, b.src.main)), objects...)...)
}

func (b *build) run(ctx context.Context, dir string, out *os.File, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = os.Environ()
	if _, err := exec.LookPath("ccache"); err == nil {
		cmd.Env = append(cmd.Env, "OBJCACHE=ccache")
	}
	g, err := newGuard()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer g.close()
	g.member(cmd)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// firstError is the line of a build's log that says what was wrong first; the last line where none says so.
func firstError(log string) string {
	b, err := os.ReadFile(log)
	if err != nil {
		return "no log"
	}
	last := "nothing in the log"
	for line := range strings.SplitSeq(string(b), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "%Error") || strings.Contains(line, " error: ") {
			return line
		}
		if line != "" {
			last = line
		}
	}
	return last
}
