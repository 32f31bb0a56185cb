package bridge

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

func TestHandshakeNamesEveryDifference(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *Hello)
		want   string
	}{
		{"protocol", func(h *Hello) { h.Protocol = 9 }, "bridge protocol is 9 in the device, 1 here"},
		{"schema", func(h *Hello) { h.Schema = 5 }, "schema (model/spec) is 0000000000000005 in the device"},
		{"schema, what to do", func(h *Hello) { h.Schema = 5 }, " here (bin/tandem and the simulator are of different model/spec: make build)"},
		{"preset", func(h *Hello) { h.Preset = "full" }, "preset is full in the device, tiny here"},
		{"parameter", func(h *Hello) { h.Params[0].Value = 9 }, "parameter conns is 9 in the device, 4 here"},
		{"parameter missing", func(h *Hello) { h.Params = nil }, "parameter conns is missing in the device"},
		{"parameter unknown", func(h *Hello) { h.Params = append(h.Params, &Param{Name: "lanes", Value: 2}) }, "parameter lanes is 2 in the device, unknown here"},
		{"seed", func(h *Hello) { h.Seed = 8 }, "seed is 8 in the device, 7 here"},
		{"clock", func(h *Hello) { h.ClockPs = 1 }, "clock period in ps is 1 in the device"},
		{"ring", func(h *Hello) { h.Ring = 2 }, "ring of whole transactions is 2 in the device"},
		{"two at once", func(h *Hello) { h.Seed, h.ClockPs = 8, 1 }, "seed is 8 in the device, 7 here; clock period"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := testHello()
			c.change(h)
			answer := make(chan []byte, 1)
			_, err := accept(t, testTerms(), func(conn *net.UnixConn) {
				_, _ = conn.Write(hello(t, h))
				b, _ := io.ReadAll(conn)
				answer <- b
			})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "refused before cycle 0")
			b := <-answer
			require.Greater(t, len(b), headerBytes, "the device is told")
			var w Welcome
			require.NoError(t, proto.Unmarshal(b[headerBytes:], &w))
			assert.Contains(t, w.Refusal, c.want)
		})
	}
}

func TestHandshakeAgrees(t *testing.T) {
	d, err := accept(t, testTerms(), func(c *net.UnixConn) { _, _ = c.Write(hello(t, testHello())) })
	require.NoError(t, err)
	assert.Equal(t, "test", d.Simulator())
}

// record is a head that Next takes: kind window, in sequence.
func record(seq uint32, parts byte) []byte {
	b := make([]byte, target.RecordBytes*(1+int(parts)))
	b[0], b[1], b[3] = 1, byte(event.KindWindow), parts
	binary.LittleEndian.PutUint32(b[4:], seq)
	binary.LittleEndian.PutUint64(b[8:], uint64(seq)*3)
	return b
}

func terminate(t *testing.T, m *Terminate) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	require.NoError(t, err)
	return frame(msgTerminate, flagLast, 0, b)
}

func TestDeviceGoesWrong(t *testing.T) {
	good := frame(msgRecords, 0, 0, record(0, 2))
	for _, c := range []struct {
		name string
		send [][]byte
		want string
	}{
		{"garbage at once", [][]byte{[]byte("GET / HTTP/1.1\r\n\r\n")}, "garbage on the socket: bytes 47 45 54"},
		{"garbage behind records", [][]byte{good, []byte("################")}, "garbage on the socket"},
		{"type of the host", [][]byte{frame(msgWelcome, 0, 0, nil)}, "garbage on the socket: message type 16"},
		{"huge message", [][]byte{{'T', 'D', 'M', '1', 2, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0}}, "a message of 2147483647 bytes"},
		{"second hello", [][]byte{frame(msgHello, 0, 0, nil)}, "message type 1 from the device in the middle of a run"},
		{"closed inside a message", [][]byte{good, frame(msgRecords, 0, 0, record(1, 2))[:100]}, "device: closed the socket inside a message"},
		{"closed", [][]byte{good}, "device: closed the socket before the end of the run"},
		{"record missing", [][]byte{good, frame(msgRecords, 0, 0, record(2, 2))}, "record 2 came where record 1 was due"},
		{"record cut", [][]byte{frame(msgRecords, 0, 0, record(0, 2)[:70])}, "ends inside record 0"},
		{"rest behind a record", [][]byte{frame(msgRecords, 0, 0, append(record(0, 2), 1, 2, 3))}, "ends inside a record, 3 bytes"},
		{"count wrong", [][]byte{good, terminate(t, &Terminate{Transactions: 2})}, "counts differ at the end: the device sent 2"},
		{"digest wrong", [][]byte{good, terminate(t, &Terminate{Transactions: 1, Digest: 1})}, "counts differ at the end"},
		{"terminate garbled", [][]byte{frame(msgTerminate, 0, 0, []byte{0xff, 0xff})}, "last message is garbled"},
		{"it says why", [][]byte{frame(msgFail, 0, 0, []byte("out of memory"))}, "device: out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := accept(t, testTerms(), func(conn *net.UnixConn) {
				_, _ = conn.Write(hello(t, testHello()))
				for _, b := range c.send {
					_, _ = conn.Write(b)
				}
				_ = conn.CloseWrite()
				_, _ = io.Copy(io.Discard, conn)
			})
			require.NoError(t, err)
			for err == nil {
				_, err = d.Next(context.Background())
			}
			require.ErrorContains(t, err, c.want)
			var f *target.Failure
			require.ErrorAs(t, err, &f)
			assert.NotContains(t, f.Error(), "\n", "one line")
		})
	}
}

func TestFailureNamesTheLastRecord(t *testing.T) {
	d, err := accept(t, testTerms(), func(c *net.UnixConn) {
		_, _ = c.Write(hello(t, testHello()))
		_, _ = c.Read(make([]byte, 200)) // the welcome
		_, _ = c.Write(frame(msgRecords, 0, 0, append(record(0, 2), record(1, 2)...)))
		_ = c.Close()
	})
	require.NoError(t, err)
	for err == nil {
		_, err = d.Next(context.Background())
	}
	assert.ErrorContains(t, err, "last record: window op 0, number 1, cycle 3")
}

func TestSilentDevice(t *testing.T) {
	d, err := accept(t, shortTerms(), func(c *net.UnixConn) { _, _ = c.Write(hello(t, testHello())) })
	require.NoError(t, err)
	_, err = d.Next(context.Background())
	assert.ErrorContains(t, err, "device: was silent for 300ms")
}

// A device that waits for a processor is not to blame; one that sleeps is.
func TestBusyMachine(t *testing.T) {
	terms := testTerms()
	terms.Stall = 50 * time.Millisecond
	asked := 0
	terms.Runs = func() bool { asked++; return asked < 4 }
	d, err := accept(t, terms, func(c *net.UnixConn) { _, _ = c.Write(hello(t, testHello())) })
	require.NoError(t, err)
	_, err = d.Next(context.Background())
	assert.ErrorContains(t, err, "device: was silent for 50ms")
	assert.Equal(t, 4, asked)

	terms.Runs = func() bool { return true }
	d, err = accept(t, terms, func(c *net.UnixConn) { _, _ = c.Write(hello(t, testHello())) })
	require.NoError(t, err)
	_, err = d.Next(context.Background())
	assert.ErrorContains(t, err, "device: was silent", "but not for ever")
}

// What a device says while it is looked at counts, though it sleeps by then.
func TestSpokeWhileLookedAt(t *testing.T) {
	terms := testTerms()
	terms.Stall = 50 * time.Millisecond
	conns := make(chan *net.UnixConn, 1)
	asked := 0
	terms.Runs = func() bool {
		if asked++; asked == 1 {
			_, _ = (<-conns).Write(frame(msgAlive, 0, 0, nil))
		}
		return false
	}
	d, err := accept(t, terms, func(c *net.UnixConn) {
		_, _ = c.Write(hello(t, testHello()))
		conns <- c
	})
	require.NoError(t, err)
	_, err = d.Next(context.Background())
	assert.ErrorContains(t, err, "device: was silent for 50ms")
	assert.Equal(t, 2, asked)
}

// A deadline that has passed hides nothing that was said before it.
func TestReadWhatIsThere(t *testing.T) {
	conns := make(chan *net.UnixConn, 1)
	d, err := accept(t, testTerms(), func(c *net.UnixConn) {
		_, _ = c.Write(hello(t, testHello()))
		conns <- c
	})
	require.NoError(t, err)
	_, err = d.readWhatIsThere()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing is there")
	c := <-conns
	_, err = c.Write([]byte("words"))
	require.NoError(t, err)
	require.NoError(t, c.CloseWrite())
	require.NoError(t, d.conn.SetReadDeadline(time.Unix(1, 0)))
	n, err := d.readWhatIsThere()
	require.NoError(t, err)
	assert.Equal(t, 5, n)
	_, err = d.readWhatIsThere()
	assert.ErrorIs(t, err, io.EOF)
}

func TestDeviceThatTakesNothing(t *testing.T) {
	d, err := accept(t, shortTerms(), func(c *net.UnixConn) {
		_, _ = c.Write(hello(t, testHello()))
		for err := error(nil); err == nil; { // alive, as often as it can, but it never reads
			_, err = c.Write(frame(msgAlive, 0, 0, nil))
		}
	})
	require.NoError(t, err)
	items := stimulus.List{}
	for range 100 {
		items = append(items, stimulus.Item{Kind: stimulus.KindFrame, Data: make([]byte, 60000)})
	}
	d.Apply(items)
	for err == nil {
		_, err = d.Next(context.Background())
	}
	assert.ErrorContains(t, err, "device: took nothing for 300ms")
}

func TestInterrupt(t *testing.T) {
	d, err := accept(t, testTerms(), func(c *net.UnixConn) { _, _ = c.Write(hello(t, testHello())) })
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = d.Next(ctx)
	assert.ErrorContains(t, err, "host: interrupted")
	assert.ErrorIs(t, err, context.Canceled)
}

func TestNoDevice(t *testing.T) {
	l, err := Listen(shortDir(t))
	require.NoError(t, err)
	_, err = l.Accept(context.Background(), testTerms(), 50*time.Millisecond, make(chan struct{}))
	assert.ErrorContains(t, err, "device: did not connect within 50ms")

	l, err = Listen(shortDir(t))
	require.NoError(t, err)
	gone := make(chan struct{})
	close(gone)
	_, err = l.Accept(context.Background(), testTerms(), time.Minute, gone)
	assert.ErrorIs(t, err, ErrPeerGone)
}

// A device that waits for a processor before it connects is waited for, but not for ever.
func TestBusyStart(t *testing.T) {
	l, err := Listen(shortDir(t))
	require.NoError(t, err)
	defer l.Close()
	terms := testTerms()
	asked := 0
	terms.Runs = func() bool {
		if asked++; asked == 3 {
			goDevice(t, l.Path, func(c *net.UnixConn) { _, _ = c.Write(hello(t, testHello())) })
		}
		return true
	}
	d, err := l.Accept(context.Background(), terms, 10*time.Millisecond, make(chan struct{}))
	require.NoError(t, err)
	defer d.Close()
	assert.GreaterOrEqual(t, asked, 3)

	_, err = l.Accept(context.Background(), terms, 10*time.Millisecond, make(chan struct{}))
	assert.ErrorContains(t, err, "device: did not connect within 10ms")
}

func TestSocket(t *testing.T) {
	dir := shortDir(t)
	l, err := Listen(dir)
	require.NoError(t, err)
	info, err := os.Stat(l.Path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, l.Close())
	_, err = os.Stat(l.Path)
	assert.ErrorIs(t, err, os.ErrNotExist, "no socket is left behind")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "bridge.sock"), nil, 0o600))
	l, err = Listen(dir)
	require.NoError(t, err, "what an earlier run left is no obstacle")
	require.NoError(t, l.Close())

	_, err = Listen(filepath.Join(dir, strings.Repeat("x", MaxSocketPath)))
	require.ErrorContains(t, err, "is too long, 107 are possible")
	assert.ErrorContains(t, err, "choose a shorter run folder")
}

func TestTerms(t *testing.T) {
	for _, n := range []int{-1, 1025} {
		terms := testTerms()
		terms.Batch = n
		assert.ErrorContains(t, terms.fill(), "1 to 1024 are possible")
	}
	for _, n := range []int{1, 256, 1024} {
		terms := testTerms()
		terms.Batch = n
		require.NoError(t, terms.fill())
		assert.Equal(t, target.RingTransactions, terms.credit()+n, "what is on its way fits the ring")
	}
}

// Reading takes no memory per record: a run of a million records would stand still collecting it.
func TestNextDoesNotAllocate(t *testing.T) {
	const batches, each = 400, 64
	var all [][]byte
	for n := range batches {
		var b []byte
		for i := range each {
			b = append(b, record(uint32(n*each+i), 2)...)
		}
		all = append(all, frame(msgRecords, 0, 0, b))
	}
	d, err := accept(t, testTerms(), func(c *net.UnixConn) {
		_, _ = c.Write(hello(t, testHello()))
		for _, b := range all {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, c)
	})
	require.NoError(t, err)
	n := testing.AllocsPerRun(batches-10, func() {
		if _, err := d.Next(context.Background()); err != nil {
			t.Error(err)
		}
	})
	assert.Less(t, n, 1.0, "allocations a batch of %d records, the writer's own included", each)
}

func FuzzFromDevice(f *testing.F) {
	f.Add(frame(msgRecords, 0, 0, record(0, 2)))
	f.Add([]byte("TDM1"))
	f.Add(frame(msgTerminate, 1, 0, []byte{8, 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &Device{terms: testTerms(), in: make([]byte, headerBytes+2*maxMessage), wake: make(chan struct{}, 1)}
		d.w = copy(d.in, b)
		for d.w-d.r >= headerBytes {
			h, err := parseHeader(d.in[d.r:])
			if err != nil || d.w-d.r < headerBytes+int(h.length) {
				return
			}
			_, body, err := d.next(context.Background())
			require.NoError(t, err)
			_ = d.count(body)
			_ = d.terminate(body)
		}
	})
}
