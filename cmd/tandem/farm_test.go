//go:build farm

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestFarm drives regressions on a Slurm of this machine: munged, slurmctld and slurmd with a configuration, ports on
// loopback and a key of their own, under whatever user the test has. Where they cannot be started, it fails: `make
// test-farm` says that it tests a farm.
func TestFarm(t *testing.T) {
	s := startSlurm(t)
	files, err := filepath.Glob(filepath.Join("testdata", "farm", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files { // one after the other: they stop daemons, and wait for an empty queue
		t.Run(filepath.Base(file), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Files: []string{file}, UpdateScripts: *rewrite, RequireExplicitExec: true,
				Setup: func(e *testscript.Env) error {
					e.Setenv("SLURM_CONF", s.conf)
					e.Setenv("HOME", e.WorkDir)
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"code": code, "appears": appears, "says": says, "released": released, "bare": bare, "daemon": s.daemon, "idle": s.idle,
				},
			})
		})
	}
}

// slurm is a cluster of one node.
type slurm struct {
	t       *testing.T
	conf    string
	dir     string
	daemons map[string]*exec.Cmd
}

// slurmConf is its configuration.
const slurmConf = `
ClusterName=loop
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[3]s/munge/socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=%[4]d
SlurmdPort=%[5]d
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MaxArraySize=21
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,defer_batch
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=regress Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

func startSlurm(t *testing.T) *slurm {
	t.Helper()
	// paths of sockets are short, and munged wants no folder above its own that others may write to without a sticky bit
	dir, err := os.MkdirTemp("/tmp", "tandem-slurm-")
	require.NoError(t, err)
	s := &slurm{t: t, dir: dir, conf: filepath.Join(dir, "slurm.conf"), daemons: map[string]*exec.Cmd{}}
	t.Cleanup(func() {
		for _, name := range []string{"slurmd", "slurmctld", "munged"} {
			s.end(name)
		}
		if t.Failed() {
			t.Logf("logs of the daemons: %s", dir)
			return
		}
		require.NoError(t, os.RemoveAll(dir))
	})
	require.NoError(t, os.Chmod(dir, 0o755))
	for _, name := range []string{"munge", "state", "spool"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "munge", "key"), []byte(strings.Repeat("tandem loopback!", 8)), 0o600))
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	require.NoError(t, err)
	text := fmt.Sprintf(slurmConf, host, me.Username, dir, freePort(t), freePort(t))
	require.NoError(t, os.WriteFile(s.conf, []byte(text), 0o644))
	t.Setenv("SLURM_CONF", s.conf)
	s.begin("munged")
	s.until("munged answers", func() error {
		_, err := os.Stat(filepath.Join(dir, "munge", "socket"))
		return err
	})
	s.begin("slurmctld")
	s.begin("slurmd")
	s.until("the node is idle", s.nodeIdle)
	return s
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// begin starts a daemon in the foreground.
func (s *slurm) begin(name string) {
	s.t.Helper()
	m := filepath.Join(s.dir, "munge")
	args := map[string][]string{
		"munged":    {"--foreground", "--force", "--socket=" + m + "/socket", "--key-file=" + m + "/key", "--pid-file=" + m + "/pid", "--seed-file=" + m + "/seed", "--log-file=" + m + "/log"},
		"slurmctld": {"-D", "-f", s.conf}, "slurmd": {"-D", "-f", s.conf},
	}[name]
	path, err := exec.LookPath(name)
	if err != nil {
		path = filepath.Join("/usr/sbin", name) // not everybody's PATH has it
	}
	cmd := exec.Command(path, args...)
	log, err := os.OpenFile(filepath.Join(s.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(s.t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	require.NoError(s.t, cmd.Start(), "scripts/need.sh installs it")
	s.daemons[name] = cmd
}

// end ends a daemon, whatever state it is in.
func (s *slurm) end(name string) {
	cmd := s.daemons[name]
	if cmd == nil {
		return
	}
	delete(s.daemons, name)
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		_ = cmd.Process.Kill()
		<-ended
	}
}

// until waits for a condition, and says what the daemons said where it does not come.
func (s *slurm) until(what string, is func() error) {
	s.t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = is(); err == nil {
			return
		}
	}
	text := ""
	for _, name := range []string{"munged", "slurmctld", "slurmd"} {
		b, _ := os.ReadFile(filepath.Join(s.dir, name+".log"))
		text += fmt.Sprintf("\n== %s\n%s", name, b[max(0, len(b)-2000):])
	}
	s.t.Fatalf("Slurm cannot be started here: within a minute not %s: %v%s", what, err, text)
}

// nodeIdle tells whether the node takes jobs and has none.
func (s *slurm) nodeIdle() error {
	out, err := exec.Command("sinfo", "--noheader", "--format=%T").CombinedOutput()
	if state := strings.TrimSpace(string(out)); err == nil && state != "idle" {
		err = errors.New("the node is " + state)
	}
	return err
}

// daemon does something to one: daemon begin|end|kill|pause|go NAME.
func (s *slurm) daemon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: daemon begin|end|kill|pause|go NAME")
	}
	signal := map[string]syscall.Signal{"pause": syscall.SIGSTOP, "go": syscall.SIGCONT}
	switch args[0] {
	case "begin":
		s.begin(args[1])
	case "end":
		s.end(args[1])
	case "kill":
		_ = s.daemons[args[1]].Process.Kill()
		s.end(args[1])
	default:
		ts.Check(s.daemons[args[1]].Process.Signal(signal[args[0]]))
	}
}

// idle waits until nothing is queued or runs.
func (s *slurm) idle(ts *testscript.TestScript, _ bool, _ []string) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := exec.Command("squeue", "--noheader").CombinedOutput()
		if err == nil && len(out) == 0 {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("still queued: %s %v", out, err)
		}
	}
}
