package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"metaroce/tandem/cosim/target"
)

// MaxSocketPath is what the kernel takes for the path of a Unix socket.
const MaxSocketPath = 107

// Listener waits for one device on a socket in the run's own directory.
type Listener struct {
	Path string
	l    *net.UnixListener
}

// Listen makes the socket dir/bridge.sock, for this user only.
func Listen(dir string) (*Listener, error) {
	path := filepath.Join(dir, "bridge.sock")
	if len(path) > MaxSocketPath {
		return nil, target.Fail("host", nil, "socket path of %d bytes is too long, %d are possible: %s; choose a shorter run folder",
			len(path), MaxSocketPath, path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, target.Fail("host", err, "cannot remove the socket of an earlier run")
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, target.Fail("host", err, "cannot listen for the device")
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, target.Fail("host", err, "cannot protect the socket")
	}
	return &Listener{Path: path, l: l}, nil
}

// Close ends listening and removes the socket.
func (l *Listener) Close() error { return l.l.Close() }

// ErrPeerGone is below the failure when the device ended while it was waited for.
var ErrPeerGone = errors.New("it ended before it connected")

// Accept waits at most wait for a device and shakes hands. gone, if closed, says that the device's process has ended.
func (l *Listener) Accept(ctx context.Context, t Terms, wait time.Duration, gone <-chan struct{}) (*Device, error) {
	if err := t.fill(); err != nil {
		return nil, target.Fail("host", err, "bad terms")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-gone:
		case <-ctx.Done():
		}
		_ = l.l.SetDeadline(time.Unix(1, 0))
	}()
	c, err := l.accept(ctx, &t, wait, gone)
	if err != nil {
		return nil, err
	}
	_ = c.SetReadBuffer(1 << 20)
	d := newDevice(c, t)
	if err := d.handshake(ctx); err != nil {
		_ = d.Close()
		return nil, err
	}
	go d.write()
	return d, nil
}

// accept waits for a connection, longer where the device is not given a processor.
func (l *Listener) accept(ctx context.Context, t *Terms, wait time.Duration, gone <-chan struct{}) (*net.UnixConn, error) {
	for begin := time.Now(); ; {
		if err := l.l.SetDeadline(time.Now().Add(wait)); err != nil {
			return nil, target.Fail("host", err, "cannot listen for the device")
		}
		if !closed(gone) && ctx.Err() == nil { // looked at behind the deadline: it may have taken the place of that of the end
			if c, err := l.l.AcceptUnix(); err == nil {
				return c, nil
			}
		}
		switch {
		case closed(gone):
			return nil, target.Fail("device", ErrPeerGone, "no connection")
		case ctx.Err() != nil:
			return nil, target.Fail("host", ctx.Err(), "interrupted")
		case !t.bears(time.Since(begin), wait):
			return nil, target.Fail("device", nil, "did not connect within %v", wait)
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// handshake reads the device's hello and answers it.
func (d *Device) handshake(ctx context.Context) error {
	h, body, err := d.next(ctx)
	if err != nil {
		return err
	}
	var hello Hello
	if h.kind != msgHello {
		return d.fail("bridge", nil, "the device began with message type %d instead of its hello", h.kind)
	}
	if err := proto.Unmarshal(body, &hello); err != nil {
		return d.fail("bridge", err, "the device's hello is garbled")
	}
	d.simulator = hello.Simulator
	refusal := d.terms.check(&hello)
	w := &Welcome{
		Schema: d.terms.Schema, Seed: d.terms.Seed, ClockPs: d.terms.ClockPs, Digest: d.terms.Mode == target.ModeDigest,
		Batch: uint32(d.terms.Batch), Credit: uint32(d.terms.credit()), QuietCycles: d.terms.QuietCycles,
		StallMs: uint32(d.terms.Stall / time.Millisecond),
	}
	if refusal != nil {
		w.Refusal = strings.ReplaceAll(refusal.Error(), "\n", "; ")
	}
	b, err := proto.Marshal(w)
	if err != nil {
		return d.fail("host", err, "cannot write the welcome")
	}
	if err := d.send(msgWelcome, flagLast, b); err != nil {
		return err
	}
	if refusal != nil {
		return d.fail("bridge", nil, "refused before cycle 0: %s", w.Refusal)
	}
	return nil
}

// send writes one message; only for the side that owns writing at that time. It must not
// look at what the reader owns, the last record say.
func (d *Device) send(kind messageType, flags uint8, body []byte) error {
	b := d.out[:headerBytes]
	header{kind, flags, uint32(len(body)), d.taken.Load()}.put(b)
	b = append(b, body...)
	d.out = b
	for begin := time.Now(); len(b) > 0; {
		if err := d.conn.SetWriteDeadline(time.Now().Add(d.terms.Stall)); err != nil {
			return target.Fail("host", err, "cannot write to the device")
		}
		n, err := d.conn.Write(b)
		b = b[n:]
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return target.Fail("device", err, "closed the socket before the end of the run")
		case n == 0 && !d.terms.busy(time.Since(begin)):
			return target.Fail("device", err, "took nothing for %v", d.terms.Stall)
		}
	}
	return nil
}

// Simulator is what the device calls itself.
func (d *Device) Simulator() string { return d.simulator }

func (d *Device) fail(side string, err error, format string, args ...any) *target.Failure {
	f := target.Fail(side, err, "%s", fmt.Sprintf(format, args...))
	f.Last = d.lastRecord()
	return f
}
