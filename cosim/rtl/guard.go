package rtl

import (
	"os"
	"os/exec"
	"syscall"
)

// guard leads a process group and ends all of it when this process ends, however it does: kill -9 runs no code of ours,
// but it closes our end of a pipe. Killing only the first child would not do: verilator starts make, that compilers.
type guard struct {
	cmd *exec.Cmd
	end *os.File // of the pipe; nobody else has it
}

func newGuard() (*guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", "read -r line; kill -KILL 0")
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil, err
	}
	return &guard{cmd, w}, nil
}

// member makes a command one of the group.
func (g *guard) member(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.cmd.Process.Pid}
	cmd.Cancel = g.kill
}

func (g *guard) kill() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// close ends what is left of the group.
func (g *guard) close() {
	_ = g.kill()
	_ = g.cmd.Wait()
	_ = g.end.Close()
}
