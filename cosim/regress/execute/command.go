package execute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// ResultVariable names the environment variable with the path of a file that a command may write: a JSON object of
// Told, which says more than an exit code can.
const ResultVariable = "TANDEM_RESULT"

// BinsVariable names the environment variable with the path of a file that a command may write: functional bins, as the Encode of
// package cover has them. It is there where bins are counted.
const BinsVariable = "TANDEM_BINS"

// Told is what a command may say of itself.
type Told struct {
	Signature *result.Signature `json:"signature,omitempty"`
	Line      string            `json:"line,omitempty"`
	Events    uint64            `json:"events,omitempty"`
	Cycles    uint64            `json:"cycles,omitempty"`
}

// outputFile has what a command printed, outputLimit bytes of it at most: a command that never stops talking must not
// fill the disk.
const (
	outputFile  = "output.log"
	outputLimit = 16 << 20
)

// killWait is how long a command that was killed may take to close its pipes.
const killWait = 2 * time.Second

// command runs a case that is a program.
func (e *Env) command(ctx context.Context, c *plan.Case, r result.Record) result.Record {
	dir := filepath.Join(e.Work, "command")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return failed(r, "run folder", err)
	}
	out, err := os.Create(filepath.Join(dir, outputFile))
	if err != nil {
		return failed(r, "run folder", err)
	}
	defer out.Close()
	w := &output{file: out, beat: e.beat}
	argv := e.argv(c, dir)
	told := filepath.Join(dir, "told.json")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Args[0] = c.Command[0] // under the name that it was called by
	cmd.Dir, cmd.Stdout, cmd.Stderr = e.Root, w, w
	bins := filepath.Join(dir, "bins")
	cmd.Env = append(os.Environ(), ResultVariable+"="+told)
	if e.Cover {
		cmd.Env = append(cmd.Env, BinsVariable+"="+bins)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = killWait
	e.beat(Beat{Phase: "run"})
	err = cmd.Run()
	r = judgeCommand(r, argv[0], err, w.last())
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	if r, err = listen(r, told); err != nil {
		r = failed(r, "command", err)
	}
	if e.Cover && r.Verdict == result.Match {
		if r, err = e.binsOf(r, bins); err != nil {
			r = failed(r, "command", err)
		}
	}
	r.Line = strings.ReplaceAll(r.Line, e.Work, "...")
	if e.Keep == "always" || e.Keep == "failure" && r.Verdict != result.Match {
		name := filepath.Join(e.Tests, r.ID())
		if err := Move(dir, filepath.Join(e.Run, name)); err != nil {
			return failed(r, "run folder", err)
		}
		r.Folder = name
	}
	return r
}

// argv is the command with its places (plan.Places) filled.
func (e *Env) argv(c *plan.Case, folder string) []string {
	value := map[string]string{
		"seed": strconv.FormatUint(uint64(c.Seed), 10), "seedhex": c.Seed.String(), "seed31": strconv.FormatUint(uint64(c.Seed)>>33, 10),
		"preset": c.Preset, "folder": folder,
	}
	argv := make([]string, len(c.Command))
	for i, word := range c.Command {
		argv[i] = plan.Place.ReplaceAllStringFunc(word, func(m string) string { return value[m[1:len(m)-1]] })
	}
	if argv[0] == "tandem" && e.Program != "" {
		argv[0] = e.Program
	}
	return argv
}

// judgeCommand makes a verdict of how a command ended.
func judgeCommand(r result.Record, program string, err error, last string) result.Record {
	name := filepath.Base(program)
	s := result.Signature{Engine: name, Field: result.Normalise(last)}
	var exit *exec.ExitError
	switch {
	case err == nil:
		r.Verdict = result.Match
		return r
	case errors.Is(err, exec.ErrWaitDelay):
		return failed(r, name, fmt.Errorf("%s ended with exit code 0, and what it started has its output open still: wait for it, or send its output elsewhere", name))
	case !errors.As(err, &exit):
		return failed(r, name, err)
	}
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		s.Kind = "signal " + w.Signal().String()
		return Fail(r, result.Crash, s, fmt.Sprintf("%s was ended by signal %d (%v): %s", name, w.Signal(), w.Signal(), last))
	}
	code := exit.ExitCode()
	v := result.Crash
	if code >= int(lockstep.Diverged) && code <= int(lockstep.Unsupported) {
		v = result.Of(lockstep.Result(code))
	}
	s.Kind = fmt.Sprintf("exit %d", code)
	return Fail(r, v, s, fmt.Sprintf("%s ended with exit code %d: %s", name, code, last))
}

// binsOf takes over the bins that a command wrote, if it wrote some.
func (e *Env) binsOf(r result.Record, path string) (result.Record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	bins := cover.NewAll()
	if err == nil {
		err = bins.Add(bytes.NewReader(text))
	}
	if err != nil {
		return r, fmt.Errorf("the file %s that the command wrote cannot be read: %w", BinsVariable, err)
	}
	return e.cover(r, bins)
}

// listen adds what the command said in its file, if it wrote one.
func listen(r result.Record, path string) (result.Record, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	var t Told
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err = d.Decode(&t)
	}
	if err != nil {
		return r, fmt.Errorf("the file %s that the command wrote cannot be read: %w", ResultVariable, err)
	}
	r.Events, r.Cycles = t.Events, t.Cycles
	if r.Verdict == result.Match {
		return r, nil
	}
	if t.Signature != nil && t.Signature.Kind != "" {
		r.Signature = t.Signature
	}
	if t.Line != "" {
		r.Line = result.Plain(t.Line)
	}
	return r, nil
}

// output keeps what a command prints, up to the limit, and its last line.
type output struct {
	mu   sync.Mutex
	file *os.File
	beat func(Beat)
	n    int
	tail []byte
}

// Write never fails for want of room behind the limit: the command is not to blame.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := outputLimit - o.n; room > 0 {
		if _, err := o.file.Write(b[:min(room, len(b))]); err != nil {
			return 0, err
		}
		if len(b) >= room {
			fmt.Fprintf(o.file, "\n[the rest is left out: more than %d bytes]\n", outputLimit)
		}
	}
	o.n += len(b)
	o.tail = append(o.tail, b...)
	o.tail = o.tail[max(0, len(o.tail)-4096):]
	o.beat(Beat{Phase: "output", Events: uint64(o.n)})
	return len(b), nil
}

// last is the last line that says something.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := strings.Split(result.Plain(strings.ToValidUTF8(string(o.tail), "?")), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(lines[i]); s != "" {
			return s
		}
	}
	return "it printed nothing"
}
