package bridge

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"metaroce/tandem/model/event"
)

// testTerms bear any silence that a busy machine makes.
func testTerms() Terms {
	return Terms{
		Schema: event.SchemaHash, Preset: "tiny", Params: []PresetParam{{"conns", 4}}, Seed: 7, ClockPs: 4000, QuietCycles: 5000,
		Batch: 16, Stall: time.Minute,
	}
}

// shortTerms are for tests of silence, and give it time to come soon.
func shortTerms() Terms {
	t := testTerms()
	t.Stall = 300 * time.Millisecond
	return t
}

func testHello() *Hello {
	t := testTerms()
	return &Hello{
		Protocol: Protocol, Schema: t.Schema, Preset: t.Preset, Params: []*Param{{Name: "conns", Value: 4}}, Seed: t.Seed,
		ClockPs: t.ClockPs, Simulator: "test", Ring: 4096,
	}
}

// shortDir is a directory whose path leaves room for a socket, wherever tests run.
func shortDir(t *testing.T) string {
	t.Helper()
	d, err := os.MkdirTemp("", "tb")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(d) })
	return d
}

// goDevice connects and hands the connection to f, which plays the device.
func goDevice(t *testing.T, path string, f func(c *net.UnixConn)) {
	t.Helper()
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	go f(c)
}

func frame(kind messageType, flags uint8, ack uint32, body []byte) []byte {
	b := make([]byte, headerBytes, headerBytes+len(body))
	header{kind, flags, uint32(len(body)), ack}.put(b)
	return append(b, body...)
}

func hello(t *testing.T, h *Hello) []byte {
	t.Helper()
	b, err := proto.Marshal(h)
	require.NoError(t, err)
	return frame(msgHello, flagLast, 0, b)
}

// accept listens, lets f play the device, and returns what the host makes of it.
func accept(t *testing.T, terms Terms, f func(c *net.UnixConn)) (*Device, error) {
	t.Helper()
	l, err := Listen(shortDir(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	goDevice(t, l.Path, f)
	d, err := l.Accept(context.Background(), terms, time.Minute, make(chan struct{}))
	if d != nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return d, err
}

var fake struct {
	once sync.Once
	path string
	err  error
}

// fakeDevice compiles the shim with testdata/fake_device.c, once for all tests.
func fakeDevice(t *testing.T) string {
	t.Helper()
	fake.once.Do(func() {
		var dir string
		if dir, fake.err = os.MkdirTemp("", "tb"); fake.err != nil {
			return
		}
		fake.path = filepath.Join(dir, "fake_device")
		root, err := exec.Command("verilator", "--getenv", "VERILATOR_ROOT").Output()
		if err != nil {
			root = []byte("/usr/share/verilator")
		}
		args := []string{"-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsanitize=address,undefined", "-Wl,--wrap=opendir",
			"-I../dpi", "-I" + strings.TrimSpace(string(root)) + "/include/vltstd", "-o", fake.path, "testdata/fake_device.c"}
		sources, _ := filepath.Glob("../dpi/tandem_*.c")
		out, err := exec.Command("cc", append(args, sources...)...).CombinedOutput()
		if err != nil {
			fake.err = err
			t.Logf("%s", out)
		}
	})
	require.NoError(t, fake.err, "the shim needs a C compiler and svdpi.h (Debian: apt-get install gcc verilator)")
	return fake.path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if fake.path != "" {
		_ = os.RemoveAll(filepath.Dir(fake.path))
	}
	os.Exit(code)
}
