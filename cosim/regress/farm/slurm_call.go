package farm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// job names an array: its number, and where there are several clusters, which.
type job struct{ id, cluster string }

// parseJob reads what sbatch --parsable prints: NUMBER or NUMBER;CLUSTER.
func parseJob(out string) (job, error) {
	lines := strings.Fields(out)
	if len(lines) > 0 {
		id, cluster, _ := strings.Cut(lines[len(lines)-1], ";") // plugins of a site may talk before
		if n, err := strconv.ParseUint(id, 10, 32); err == nil && n > 0 {
			return job{id, cluster}, nil
		}
	}
	return job{}, fmt.Errorf("sbatch printed %q, which is no number of a job", out)
}

// args puts the cluster before arguments, where there are several.
func (j job) args(list ...string) []string {
	if j.cluster != "" {
		return append([]string{"--clusters=" + j.cluster}, list...)
	}
	return list
}

// refusal is a command of Slurm that ended with an error.
type refusal struct {
	command, said string
	err           error
}

func (r *refusal) Error() string {
	if errors.Is(r.err, exec.ErrNotFound) || errors.Is(r.err, os.ErrNotExist) {
		return r.command + " is not to be found: Slurm's commands have to be on this machine (Debian: slurm-client)"
	}
	if r.said == "" {
		return fmt.Sprintf("%s: %v", r.command, r.err)
	}
	return fmt.Sprintf("%s: %s", r.command, r.said)
}

func (r *refusal) Unwrap() error { return r.err }

// call runs a command of Slurm. Ctrl-C does not reach it: what it was to do is decided here.
func (s *Slurm) call(ctx context.Context, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeoutCause(ctx, s.limits().call, fmt.Errorf("no answer for %v", s.limits().call))
	defer stop()
	path := name
	if s.bin != "" {
		path = filepath.Join(s.bin, name)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	for _, v := range append(os.Environ(), s.env...) {
		if !strings.HasPrefix(v, "SQUEUE_") { // they change what is printed
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.WaitDelay = time.Second // what it left running may hold its pipes
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) { // it ended well itself
		return string(out), nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return string(out), &refusal{name, sentences(said.String(), name), err}
}

// sentences are the lines of what a command complains of, without its name before each.
func sentences(text, name string) string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(strings.TrimPrefix(line, name+": "), "error: ")
		if line != "" {
			list = append(list, line)
		}
	}
	return strings.ToValidUTF8(strings.Join(list[max(0, len(list)-3):], "; "), "?")
}

// says tells whether a command's complaint has one of these words in it.
func says(err error, words ...string) bool {
	var r *refusal
	if !errors.As(err, &r) {
		return false
	}
	for _, w := range words {
		if strings.Contains(strings.ToLower(r.said), w) {
			return true
		}
	}
	return false
}

// passing tells whether a complaint may be gone in a while: the controller is away, busy or starting.
func passing(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || says(err, "unable to contact slurm controller", "timed out", "connection refused", "connection failure",
		"temporarily", "zero bytes", "not responding", "try again", "not available right now", "transport endpoint", "connection reset", "in standby mode")
}

// unknown tells whether the controller does not know a job, or not any more.
func unknown(err error) bool {
	return says(err, "invalid job id", "job/step already completing or completed")
}

// row is what the queue says of a task.
type row struct{ state, node, reason string }

// queue asks for the tasks of the array, by number.
func (a *array) queue(ctx context.Context) (map[int]row, error) {
	out, err := a.call(ctx, "squeue", a.job.args("--noheader", "--array", "--states=all", "--jobs="+a.job.id, "--format=%K|%T|%N|%r")...)
	if unknown(err) {
		return map[int]row{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseQueue(out), nil
}

// parseQueue reads rows of NUMBER|STATE|NODES|REASON; what is none is passed over.
func parseQueue(out string) map[int]row {
	rows := map[int]row{}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(f) != 4 {
			continue
		}
		if n, err := strconv.Atoi(f[0]); err == nil && n > 0 {
			rows[n] = row{f[1], f[2], strings.Trim(f[3], "()")}
		}
	}
	return rows
}

// over tells whether a task in this state does not run and never will.
func (r *row) over() bool {
	switch r.state {
	case "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED", "REVOKED":
		return true
	}
	return false
}

// advice says what can be done about an end.
var advice = map[string]string{
	"TIMEOUT":       "its time limit is too short for a shard: a longer --time",
	"OUT_OF_MEMORY": "more memory: --mem",
	"CANCELLED":     "somebody cancelled it",
	"NODE_FAIL":     "its node went down",
	"BOOT_FAIL":     "its node did not start",
	"COMPLETED":     "it ended in good order, and nothing of that is to be seen in its files: is the run folder on a disk that its node shares?",
}

// past asks the accounting how tasks ended that the queue has forgotten. Not every site has one.
func (a *array) past(ctx context.Context) map[int]row {
	out, err := a.call(ctx, "sacct", a.job.args("--noheader", "--parsable2", "--allocations", "--jobs="+a.job.id, "--format=JobID,State,NodeList")...)
	if err != nil {
		return nil
	}
	rows := map[int]row{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 3 {
			continue
		}
		_, number, _ := strings.Cut(f[0], "_")
		state, _, _ := strings.Cut(f[1], " ") // CANCELLED by 1000
		if n, err := strconv.Atoi(number); err == nil {
			rows[n] = row{state, f[2], ""}
		}
	}
	return rows
}

// cancel cancels an array, or one task of it, or what else words choose of it.
func (a *array) cancel(j job, task string, words ...string) error {
	_, err := a.call(context.Background(), "scancel", append(j.args(words...), j.id+task)...)
	return err
}
