package rtl

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"metaroce/tandem/cosim/bridge"
	"metaroce/tandem/cosim/target"
)

// process is a child in a group of its own.
type process struct {
	cmd  *exec.Cmd
	log  string
	gone chan struct{} // closed when it has ended
	err  error         // valid then
}

func start(dir, binary string, args []string) (*process, error) {
	return startLogged(dir, "sim.log", binary, args)
}

func startLogged(dir, log, binary string, args []string) (*process, error) {
	p := &process{cmd: exec.Command(binary, args...), log: filepath.Join(dir, log), gone: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, target.Fail("run folder", err, "cannot write the simulator's log")
	}
	defer out.Close()
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches us, and we end it
	if err := p.cmd.Start(); err != nil {
		return nil, target.Fail("device", err, "cannot start the simulator")
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.gone)
	}()
	return p, nil
}

// runs tells whether the process, which has one thread, runs or waits for a processor or a disk.
func (p *process) runs() bool { return strings.Contains("RD", p.state()) }

// state is the letter of /proc/PID/stat; "-": there is no such process any more.
func (p *process) state() string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, rest, ok := strings.Cut(string(b), ") ")
	if err != nil || !ok || rest == "" {
		return "-"
	}
	return rest[:1]
}

// ends waits for the end. A process that waits for a processor, or has ended and nobody had the time to tell (Z, -), is not
// late: the machine is too busy. Nor is one that sleeps while we got no processor ourselves, since it may wait for what we
// have not sent yet: so the time is counted in looks, between which all of us had a turn, and not by the clock alone.
func (p *process) ends(wait time.Duration) bool {
	asleep := 0
	for range bridge.BusyFactor * looks {
		select {
		case <-p.gone:
			return true
		case <-time.After(wait / looks):
		}
		if strings.Contains("RDZ-", p.state()) {
			asleep = 0
		} else if asleep++; asleep == looks {
			return false
		}
	}
	return false
}

// looks at a process while it has to end.
const looks = 20

// kill ends the group and waits for it.
func (p *process) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.gone
}

// cpu is the processor time that it took; valid when it has ended.
func (p *process) cpu() time.Duration {
	<-p.gone
	if p.cmd.ProcessState == nil {
		return 0
	}
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// memory is the most bytes that it held at once; valid when it has ended.
func (p *process) memory() int64 {
	<-p.gone
	if p.cmd.ProcessState == nil {
		return 0
	}
	u, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return u.Maxrss << 10 // Linux counts it in KiB
}

// fate is how it ended, in words.
func (p *process) fate() string {
	var e *exec.ExitError
	how := "ended"
	if errors.As(p.err, &e) {
		how = fmt.Sprintf("ended with exit code %d", e.ExitCode())
		if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			how = fmt.Sprintf("was killed by signal %d (%v)", s.Signal(), s.Signal())
		}
	}
	if l := p.lastLine(); l != "" {
		how += ": " + l
	}
	return how
}

// lastLine is what the simulator said last, its notice of $finish apart.
func (p *process) lastLine() string {
	last := ""
	for l := range strings.SplitSeq(p.tail(), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasSuffix(l, "Verilog $finish") {
			last = l
		}
	}
	return last
}

// tail is the end of the log.
func (p *process) tail() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b[max(0, len(b)-4096):]))
}
