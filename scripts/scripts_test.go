package scripts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// machine is a PATH of its own, on which need.sh finds only what a test puts there.
type machine struct {
	t   *testing.T
	bin string
}

// newMachine has the few plain commands that the script uses, and these of its tools.
func newMachine(t *testing.T, tools ...string) *machine {
	m := &machine{t: t, bin: t.TempDir()}
	for _, name := range []string{"mktemp", "rm", "tail", "cat", "env", "touch", "chmod"} {
		real, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(real, filepath.Join(m.bin, name)))
	}
	for _, name := range tools {
		m.command(name, "exit 0")
	}
	return m
}

func (m *machine) command(name, body string) {
	m.t.Helper()
	text := "#!/bin/bash\n" + body + "\n"
	require.NoError(m.t, os.WriteFile(filepath.Join(m.bin, name), []byte(text), 0o755))
}

// user says who runs the script: 0 is root.
func (m *machine) user(id string) { m.command("id", "echo "+id) }

// need runs need.sh and returns what it printed and its exit code.
func (m *machine) need(args ...string) (string, int) {
	m.t.Helper()
	cmd := exec.Command("/bin/bash", append([]string{"need.sh"}, args...)...)
	cmd.Env = []string{"PATH=" + m.bin, "NEED_INCLUDE=" + m.bin, "NEED_SBIN=" + m.bin + "/sbin", "TMPDIR=" + m.t.TempDir()}
	out, err := cmd.CombinedOutput()
	return string(out), exitCode(m.t, err)
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return 0
}

var everything = []string{"verilator", "g++", "zlib.h", "iverilog", "yosys", "z3", "tshark", "fst2vcd"}

func TestNeedIsSilentWhenAllIsThere(t *testing.T) {
	m := newMachine(t, everything...)
	m.user("1000")
	out, code := m.need()
	assert.Zero(t, code)
	assert.Empty(t, out)
}

func TestNeedNamesThePackagesWhenItMayNotInstall(t *testing.T) {
	m := newMachine(t, "verilator", "g++", "iverilog", "z3", "tshark", "fst2vcd")
	m.user("1000")
	m.command("apt-get", "touch "+m.bin+"/called")
	out, code := m.need()
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "apt-get install zlib1g-dev yosys\n")
	assert.NoFileExists(t, m.bin+"/called")
}

func TestNeedInstallsAsRoot(t *testing.T) {
	m := newMachine(t, "verilator", "g++", "zlib.h", "iverilog", "z3", "tshark", "fst2vcd")
	m.user("0")
	m.command("apt-get", `echo "$*" >> `+m.bin+`/log; if [ "$1" = install ]; then echo "#!/bin/bash" > `+m.bin+`/yosys; chmod +x `+m.bin+`/yosys; fi`)
	out, code := m.need()
	assert.Zero(t, code, out)
	log, err := os.ReadFile(m.bin + "/log")
	require.NoError(t, err)
	assert.Equal(t, "update\ninstall -y --no-install-recommends yosys\n", string(log))
	out, code = m.need()
	assert.Zero(t, code)
	assert.Empty(t, out, "the second time there is nothing to do")
}

// TestNeedDaemons: they are asked for by name, and are there also where no PATH leads.
func TestNeedDaemons(t *testing.T) {
	m := newMachine(t, "sbatch", "munged")
	m.user("1000")
	out, code := m.need("--check", "sbatch", "munged", "slurmctld", "slurmd")
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "apt-get install slurmctld slurmd\n")
	require.NoError(t, os.Mkdir(m.bin+"/sbin", 0o755))
	m.command("sbin/slurmctld", "exit 0")
	m.command("sbin/slurmd", "exit 0")
	out, code = m.need("sbatch", "munged", "slurmctld", "slurmd")
	assert.Zero(t, code, out)
}

func TestNeedUsesSudoThatAsksNothing(t *testing.T) {
	m := newMachine(t, everything[1:]...)
	m.user("1000")
	m.command("sudo", `[ "$1" = -n ] || exit 1; shift; "$@"`)
	m.command("true", "exit 0")
	m.command("apt-get", `if [ "$1" = install ]; then echo > `+m.bin+`/verilator; chmod +x `+m.bin+`/verilator; fi`)
	out, code := m.need("verilator")
	assert.Zero(t, code, out)
}

func TestNeedTellsWhatFailed(t *testing.T) {
	m := newMachine(t)
	m.user("0")
	m.command("apt-get", `[ "$1" = update ] || { echo "E: no network" >&2; exit 100; }`)
	out, code := m.need("tshark")
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "apt-get install -y --no-install-recommends tshark")
	assert.Contains(t, out, "E: no network")

	m.command("apt-get", "exit 0") // says that all is well, and installs nothing
	out, code = m.need("tshark")
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "still not to be found: tshark")
}

func TestNeedCheckNeverInstalls(t *testing.T) {
	m := newMachine(t)
	m.user("0")
	m.command("apt-get", "touch "+m.bin+"/called")
	out, code := m.need("--check", "yosys")
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "yosys")
	assert.NoFileExists(t, m.bin+"/called")
}

func TestNeedKnowsWhatItIsAskedFor(t *testing.T) {
	m := newMachine(t)
	m.user("0")
	out, code := m.need("vcs")
	assert.Equal(t, 2, code)
	assert.Contains(t, out, `no package is known for command "vcs"`)
}

func TestStagePassesTheExitCodeOn(t *testing.T) {
	out, err := exec.Command("/bin/bash", "stage.sh", "some stage", "/bin/bash", "-c", "echo inside; exit 3").CombinedOutput()
	assert.Equal(t, 3, exitCode(t, err))
	assert.Contains(t, string(out), "inside\n-- some stage: FAILED with 3 after ")
	out, err = exec.Command("/bin/bash", "stage.sh", "good", "true").CombinedOutput()
	assert.Zero(t, exitCode(t, err))
	assert.Contains(t, string(out), "-- good: ok, ")
}

// TestGotestDoesNotTrustAnEmptyRun: the package has tests, and none of them has that name.
func TestGotestDoesNotTrustAnEmptyRun(t *testing.T) {
	out, err := exec.Command("/bin/bash", "gotest.sh", "--min", "1", "-run", "TestThatIsNotThere", "./scripts/testcount").CombinedOutput()
	assert.Equal(t, 1, exitCode(t, err))
	assert.Contains(t, string(out), "only 0 tests passed")
	out, err = exec.Command("/bin/bash", "gotest.sh", "--min", "1", "./scripts/testcount").CombinedOutput()
	assert.Zero(t, exitCode(t, err), string(out))
	assert.True(t, strings.HasSuffix(string(out), "none skipped\n"), string(out))
}
