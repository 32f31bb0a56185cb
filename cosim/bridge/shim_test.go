package bridge

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// shim is a running fake device.
type shim struct {
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	asks   asks
	answer io.Writer
	done   chan struct{}
}

// asks gets what a device says on its output, one at a time.
type asks chan string

func (a asks) Write(b []byte) (int, error) {
	a <- string(b)
	return len(b), nil
}

func startShim(t *testing.T, socket string, args ...string) *shim {
	t.Helper()
	s := &shim{cmd: exec.Command(fakeDevice(t), append([]string{socket}, args...)...), stderr: &bytes.Buffer{}, asks: make(asks, 1), done: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.asks, s.stderr
	var err error
	s.answer, err = s.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.done
	})
	return s
}

// ends waits for the end and returns exit code and last words.
func (s *shim) ends(t *testing.T) (int, string) {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		t.Fatal("the device did not end")
	}
	return s.cmd.ProcessState.ExitCode(), strings.TrimSpace(s.stderr.String())
}

// runs tells whether the device waits for a processor or a disk.
func (s *shim) runs() bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	_, state, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(state, "R") || strings.HasPrefix(state, "D")
}

func acceptShim(t *testing.T, terms Terms, args ...string) (*Device, *shim) {
	t.Helper()
	l, err := Listen(shortDir(t))
	require.NoError(t, err)
	defer l.Close()
	s := startShim(t, l.Path, args...)
	terms.Runs = s.runs
	d, err := l.Accept(context.Background(), terms, time.Minute, s.done)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d, s
}

func drain(t *testing.T, d *Device) []byte {
	t.Helper()
	var all []byte
	for {
		b, err := d.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, b...)
	}
}

func TestShimSendsEverything(t *testing.T) {
	const cycles = 9000 // more than the ring, and no multiple of any batch
	for _, mode := range []target.Mode{target.ModeFull, target.ModeDigest} {
		for _, batch := range []int{1, 16, 64, 256, 1024} {
			t.Run(fmt.Sprintf("%v %d", mode, batch), func(t *testing.T) {
				terms := testTerms()
				terms.Mode, terms.Batch = mode, batch
				d, s := acceptShim(t, terms, fmt.Sprintf("cycles=%d", cycles))
				d.Finish()
				b := drain(t, d)
				size := 192
				if mode == target.ModeDigest {
					size = 64
				}
				require.Len(t, b, cycles*size)
				for i := range cycles {
					r := b[i*size:]
					require.Equal(t, uint32(i), binary.LittleEndian.Uint32(r[4:]))
					require.Equal(t, uint64(i), binary.LittleEndian.Uint64(r[8:]))
					state := make([]byte, 104)
					for k := range 100 {
						state[k] = byte(i + k)
					}
					require.Equal(t, event.Digest(state), binary.LittleEndian.Uint64(r[28:]), "digest of the shim")
					if mode == target.ModeFull {
						require.Equal(t, state[:100], r[64:164])
					}
				}
				assert.Equal(t, uint64(cycles), d.End().Transactions)
				code, words := s.ends(t)
				assert.Equal(t, 0, code, words)
			})
		}
	}
}

func TestShimUsesStimulusAhead(t *testing.T) {
	d, s := acceptShim(t, testTerms(), "cycles=10")
	var items stimulus.List
	beats := uint64(0)
	for i := range 3000 { // more than the window, in several pieces, with a wait in between
		beats += uint64(1+i%2000+63) / 64
		items = append(items, stimulus.Item{Kind: stimulus.KindFrame, Data: make([]byte, 1+i%2000)})
		if i%1000 == 999 {
			items = append(items, stimulus.Item{Kind: stimulus.KindWaitIdle})
			d.Apply(items)
			items = nil
		}
	}
	d.Finish()
	drain(t, d)
	code, words := s.ends(t)
	assert.Equal(t, 0, code, words)
	assert.GreaterOrEqual(t, d.End().Cycles, beats, "every beat of every frame took a cycle")
}

func TestShimKeepsWithinTheCredit(t *testing.T) {
	terms := testTerms()
	d, _ := acceptShim(t, terms, "cycles=1000000")
	d.Finish()
	_, err := d.Next(context.Background())
	require.NoError(t, err)
	got := terms.Batch // nothing of it is given back, and nothing of what follows
	for idle := 0; idle < 3; {
		h, body, err := d.next(context.Background())
		require.NoError(t, err)
		got += len(body) / 192
		if idle++; h.kind == msgRecords {
			idle = 0
		}
	}
	assert.LessOrEqual(t, got, target.RingTransactions, "transactions on their way")
	assert.Greater(t, got, target.RingTransactions/2)
}

func TestShimSecondLook(t *testing.T) {
	for _, cycles := range []int{20, 12000} {
		terms := testTerms()
		terms.Mode = target.ModeDigest
		d, s := acceptShim(t, terms, fmt.Sprintf("cycles=%d", cycles))
		d.Finish()
		var oldest, last uint32
		for got := 0; got < cycles/2; {
			b, err := d.Next(context.Background())
			require.NoError(t, err)
			got += len(b) / 64
			oldest, last = binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[len(b)-60:])
		}
		for idle := 0; idle < 3 && cycles > target.RingTransactions; { // nothing is given back: the device goes as far as it may
			h, _, err := d.next(context.Background())
			require.NoError(t, err)
			if idle++; h.kind == msgRecords {
				idle = 0
			}
		}
		whole, err := d.Fetch(context.Background())
		require.NoError(t, err)
		require.Zero(t, len(whole)%192)
		n := len(whole) / 192
		assert.LessOrEqual(t, n, target.RingTransactions)
		first := binary.LittleEndian.Uint32(whole[4:])
		assert.LessOrEqual(t, first, oldest, "the newest transactions that came are still there")
		assert.Greater(t, int(first)+n, int(last))
		assert.Equal(t, byte(first), whole[64], "with its state")
		code, words := s.ends(t)
		assert.Equal(t, 0, code, words)
	}
}

// Every way in which the host can go, seen from the device: it ends, names the host, and its code is 2.
func TestShimOutlivesNoHost(t *testing.T) {
	for _, c := range []struct {
		name string
		host func(c *net.UnixConn)
		want string
	}{
		{"closes", func(c *net.UnixConn) { _ = c.Close() }, "the host closed the socket"},
		{"is silent", func(*net.UnixConn) {}, "the host was silent for"},
		{"sends garbage", func(c *net.UnixConn) { _, _ = c.Write(bytes.Repeat([]byte{0x55}, 64)) }, "garbage on the socket: bytes 55 55 55 55"},
		{"sends a huge message", func(c *net.UnixConn) { // in one piece: the writer may have a last one under way
			_, _ = c.Write(append(frame(msgCredit, 0, 0, nil)[:8:8], bytes.Repeat([]byte{0xff}, 8)...))
		}, "garbage on the socket: a message of 4294967295 bytes"},
		{"sends an unknown type", func(c *net.UnixConn) { _, _ = c.Write(frame(99, 0, 0, nil)) }, "message type 99 from the host"},
		{"sends a garbled count", func(c *net.UnixConn) { _, _ = c.Write(frame(msgTerminateAck, 0, 0, []byte{0xff})) }, "last message is garbled"},
		{"welcomes twice", func(c *net.UnixConn) { _, _ = c.Write(frame(msgWelcome, 0, 0, nil)) }, "second welcome"},
		{"counts otherwise", func(c *net.UnixConn) { _, _ = c.Write(frame(msgTerminateAck, 0, 0, []byte{8, 1})) }, ""},
		{"sends an unknown item", func(c *net.UnixConn) {
			_, _ = c.Write(frame(msgStimulus, 0, 0, append([]byte{77}, make([]byte, 39)...)))
		}, "item of kind 77"},
		{"sends half an item", func(c *net.UnixConn) { _, _ = c.Write(frame(msgStimulus, flagLast, 0, make([]byte, 39))) }, "stimulus ends inside an item"},
		{"sends a giant item", func(c *net.UnixConn) {
			b := make([]byte, 40)
			b[0] = 1
			binary.LittleEndian.PutUint32(b[32:], 1<<30)
			_, _ = c.Write(frame(msgStimulus, flagLast, 0, b))
		}, "an item with 1073741824 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms := testTerms()
			if c.want == "" || strings.Contains(c.want, "silent") {
				terms = shortTerms()
			}
			d, s := acceptShim(t, terms, "cycles=100000000")
			d.closing.Do(func() { close(d.quit) }) // the writer is ours now
			t.Cleanup(func() { _ = d.conn.Close() })
			require.NoError(t, d.conn.SetDeadline(time.Time{}))
			c.host(d.conn)
			go func() { _, _ = io.Copy(io.Discard, d.conn) }()
			code, words := s.ends(t)
			if c.want == "" { // a count before the end is kept, and found wrong or never used
				return
			}
			assert.Equal(t, 2, code)
			assert.Contains(t, words, c.want)
			assert.NotContains(t, words, "\n", "one line")
		})
	}
}

// TestShimPollsBehindItsLook: a host that is silent for too long, then speaks and goes to sleep just before the device looks
// whether it runs, has spoken: the device polls once more. One that has not is given up at its first look.
func TestShimPollsBehindItsLook(t *testing.T) {
	d, s := acceptShim(t, shortTerms(), "do=ask")
	_, err := d.Next(context.Background()) // it has the terms, and waits for stimulus
	require.NoError(t, err)
	d.closing.Do(func() { close(d.quit) }) // the writer is ours now
	t.Cleanup(func() { _ = d.conn.Close() })
	go func() { _, _ = io.Copy(io.Discard, d.conn) }()
	look := func(host func()) {
		select {
		case <-s.asks:
		case <-s.done:
			t.Fatalf("the device did not wait for a host that had spoken: %s", s.stderr)
		}
		host()
		_, err := s.answer.Write([]byte{'.'})
		require.NoError(t, err)
	}
	for range 3 {
		look(func() {
			require.NoError(t, d.conn.SetWriteDeadline(time.Time{}))
			_, err := d.conn.Write(frame(msgCredit, 0, 0, nil))
			require.NoError(t, err)
		})
	}
	look(func() {})
	code, words := s.ends(t)
	assert.Equal(t, 2, code)
	assert.Contains(t, words, "the host was silent for")
}

func TestShimRefuses(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"schema=1", "schema (model/spec) is 0000000000000001 in the device"},
		{"preset=full", "preset is full in the device, tiny here"},
		{"conns=9", "parameter conns is 9 in the device, 4 here"},
		{"seed=9", "seed is 9 in the device, 7 here"},
		{"clock=9", "clock period in ps is 9 in the device, 4000 here"},
	} {
		t.Run(c.arg, func(t *testing.T) {
			l, err := Listen(shortDir(t))
			require.NoError(t, err)
			s := startShim(t, l.Path, c.arg)
			_, err = l.Accept(context.Background(), testTerms(), time.Minute, s.done)
			require.ErrorContains(t, err, c.want)
			code, words := s.ends(t)
			assert.Equal(t, 2, code)
			assert.Contains(t, words, "refused by the host: "+c.want)
		})
	}
}

func TestShimSocketPath(t *testing.T) {
	s := startShim(t, filepath.Join(shortDir(t), strings.Repeat("x", 120)))
	code, words := s.ends(t)
	assert.Equal(t, 2, code)
	assert.Contains(t, words, "is too long, 107 are possible")

	s = startShim(t, filepath.Join(shortDir(t), "nobody"))
	code, words = s.ends(t)
	assert.Equal(t, 2, code)
	assert.Contains(t, words, "cannot connect to the host")
	assert.Contains(t, words, "No such file or directory")
}

// The other direction with a real process: the host names the device, the cause and the last record.
func TestShimGoesWrong(t *testing.T) {
	for _, c := range []struct {
		name, want string
		terms      Terms
		args       []string
		signal     syscall.Signal
	}{
		{"exits", "device: closed the socket before the end of the run", testTerms(), []string{"at=500", "do=exit"}, 0},
		{"stalls", "device: was silent for 300ms", shortTerms(), []string{"at=500", "do=stall"}, 0},
		{"killed", "device: closed the socket before the end of the run", testTerms(), []string{"cycles=100000000"}, syscall.SIGKILL},
		{"stopped", "device: was silent for 300ms", shortTerms(), []string{"cycles=100000000"}, syscall.SIGSTOP},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, s := acceptShim(t, c.terms, c.args...)
			d.Finish()
			got, err := 0, error(nil)
			for b := []byte(nil); err == nil; b, err = d.Next(context.Background()) {
				if got += len(b); got > 1000 && c.signal != 0 {
					require.NoError(t, s.cmd.Process.Signal(c.signal))
					c.signal = 0
				}
			}
			assert.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "(last record: window op 0, number ")
		})
	}
}

// TestHostKilled kills a host process: the device that it left behind ends by itself.
func TestHostKilled(t *testing.T) {
	const env = "TANDEM_TEST_HOST"
	if dir := os.Getenv(env); dir != "" { // the host
		l, err := Listen(dir)
		require.NoError(t, err)
		d, err := l.Accept(context.Background(), testTerms(), time.Minute, make(chan struct{}))
		require.NoError(t, err)
		for {
			_, err := d.Next(context.Background())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "ran"), nil, 0o600))
		}
	}
	dir := shortDir(t)
	host := exec.Command(os.Args[0], "-test.run=^TestHostKilled$")
	host.Env = append(os.Environ(), env+"="+dir)
	require.NoError(t, host.Start())
	appears := func(path string) {
		require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, 10*time.Millisecond, path)
	}
	path := filepath.Join(dir, "bridge.sock")
	appears(path)
	s := startShim(t, path, "cycles=100000000")
	appears(filepath.Join(dir, "ran"))
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	code, words := s.ends(t)
	assert.Equal(t, 2, code)
	assert.Contains(t, words, "the host closed the socket before the end of the run")
}
