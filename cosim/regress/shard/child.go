package shard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/process"
	"metaroce/tandem/cosim/regress/result"
)

// child is the worker of a supervisor.
type child struct {
	cmd     *exec.Cmd
	tree    *process.Tree
	in      io.WriteCloser
	orders  *lineWriter
	answers chan answer
	gone    chan struct{} // closed when it has ended and all it said is in answers
	err     error         // valid then: of its end
	talk    error         // valid then: what it said could not be read
}

// Command is a call of this program (Self) under its own name, or of another.
func Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	if program == Self {
		cmd.Args[0] = os.Args[0]
	}
	return cmd
}

// begin starts a worker with a session of its own, so that all it starts can be found.
func begin(program string, args []string, env *execute.Env, work string, log *os.File) (*child, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	c := &child{cmd: cmd, tree: process.New(cmd.Process.Pid), in: in, orders: &lineWriter{w: in}, answers: make(chan answer, 64), gone: make(chan struct{})}
	go c.listen(r)
	return c, c.orders.put(order{Env: env, Work: work})
}

// lastWait is how long answers may still be on their way when the worker has ended. What it started may hold the pipe open.
const lastWait = time.Second

// listen passes answers on until the worker has ended and all that it said is read.
func (c *child) listen(r *os.File) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.err = c.cmd.Wait()
		_ = r.SetReadDeadline(time.Now().Add(lastWait))
	}()
	c.talk = lines(r, func(a *answer) error {
		c.answers <- *a
		return nil
	})
	if errors.Is(c.talk, os.ErrDeadlineExceeded) {
		c.talk = nil
	}
	if c.talk != nil { // nothing it says can be relied on any more
		_ = c.cmd.Process.Kill()
	}
	<-ended
	_ = r.Close()
	close(c.answers)
	close(c.gone)
}

// end asks the worker to end, waits for it, and ends what it left.
func (c *child) end() {
	_ = c.in.Close()
	go func() { // nobody waits for the last answers
		for range c.answers {
		}
	}()
	<-c.gone
	c.tree.Kill(false)
}

// kill ends the worker and all it started.
func (c *child) kill() {
	c.tree.Kill(false)
	c.end()
}

// killedKind is the fate of a worker that somebody killed: no mistake in it ends it so.
var killedKind = "signal " + syscall.SIGKILL.String()

// fate is how the worker ended, in a word for the signature and in a line for people.
func (c *child) fate(log string) (kind, line string) {
	if c.talk != nil {
		return "garbled", fmt.Sprintf("the worker's answer could not be read: %v", c.talk)
	}
	said := telling(log)
	var e *exec.ExitError
	if errors.As(c.err, &e) {
		if w, ok := e.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			return "signal " + w.Signal().String(), fmt.Sprintf("the worker was ended by signal %d (%v): %s", w.Signal(), w.Signal(), said)
		}
		return fmt.Sprintf("exit %d", e.ExitCode()), fmt.Sprintf("the worker ended with exit code %d: %s", e.ExitCode(), said)
	}
	return "early end", "the worker ended without an answer: " + said
}

// openings are how lines begin that say why a process ended. What follows them is a stack.
var openings = []string{"panic: ", "fatal error: ", "runtime: out of memory", "SIG", "unexpected fault address", "%Error", "Assertion failed", "terminate called"}

const nothingSaid = "it said nothing"

// telling is the line of a log that says why; the last one where none does.
func telling(log string) string {
	last := nothingSaid
	for line := range strings.SplitSeq(log, "\n") {
		line = strings.TrimSpace(line)
		for _, o := range openings {
			if strings.HasPrefix(line, o) {
				return strings.ToValidUTF8(line, "?")
			}
		}
		if line != "" {
			last = line
		}
	}
	return strings.ToValidUTF8(last, "?")
}

// LastWords is what the log of a shard says last, of a shard that did not come to its end.
func LastWords(file string) string {
	f, err := os.Open(PathsOf(file).Log)
	if err != nil {
		return "there is no log"
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "the log cannot be read"
	}
	return telling(since(f, max(0, size-4096)))
}

// mostLog is how much of a log is looked at, and kept.
const mostLog = 256 << 10

// since reads what was written to a log from an offset on; of much of it, the beginning.
func since(log *os.File, from int64) string {
	b := make([]byte, mostLog)
	n, err := log.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return string(bytes.TrimRight(b[:n], "\x00"))
}

// crashed is the record of a case whose worker ended.
func crashed(r result.Record, kind, line string) result.Record {
	_, said, _ := strings.Cut(line, ": ")
	if said == nothingSaid {
		said = ""
	}
	return execute.Fail(r, result.Crash, result.Signature{Engine: "worker", Kind: kind, Field: result.Normalise(said)}, line)
}
