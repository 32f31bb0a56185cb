package bridge

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/protobuf/proto"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// Device is a connected device. Next, Fetch, Finish and the like belong to one goroutine; Close to any.
type Device struct {
	conn      *net.UnixConn
	terms     Terms
	simulator string

	in         []byte // what was read: in[r:w] not yet taken
	r, w       int
	lastHead   [target.RecordBytes]byte
	haveHead   bool
	ending     target.Ending
	ended      bool
	received   uint64
	digest     uint64
	creditMark uint64

	out   []byte
	taken atomic.Uint32 // transactions handed to the reader and given back
	used  atomic.Uint32 // stimulus bytes the device has used

	stalled atomic.Bool // the device takes nothing

	mu       sync.Mutex // guards the fields below
	pending  []stimulus.List
	finish   bool
	messages []message
	wake     chan struct{}
	quit     chan struct{}
	closing  sync.Once
}

type message struct {
	kind messageType
	body []byte
}

func newDevice(c *net.UnixConn, t Terms) *Device {
	return &Device{
		conn: c, terms: t, in: make([]byte, headerBytes+2*maxMessage),
		out: make([]byte, 0, headerBytes+stimulusChunk+journalItemMax), wake: make(chan struct{}, 1), quit: make(chan struct{}),
	}
}

// Close ends the connection. The device sees the end of the socket within its next 256 cycles.
func (d *Device) Close() error {
	err := error(nil)
	d.closing.Do(func() {
		close(d.quit)
		err = d.conn.Close()
	})
	return err
}

// next reads one message. The body holds until the call after.
func (d *Device) next(ctx context.Context) (header, []byte, error) {
	for {
		if d.w-d.r >= headerBytes {
			h, err := parseHeader(d.in[d.r:])
			if err != nil {
				return h, nil, d.fail("device", nil, "%v", err)
			}
			if whole := headerBytes + int(h.length); d.w-d.r >= whole {
				body := d.in[d.r+headerBytes : d.r+whole]
				d.r += whole
				d.used.Store(h.ack)
				return h, body, nil
			}
		}
		if d.r > 0 {
			copy(d.in, d.in[d.r:d.w])
			d.w -= d.r
			d.r = 0
		}
		if err := d.read(ctx); err != nil {
			return header{}, nil, err
		}
	}
}

func (d *Device) read(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return d.fail("host", err, "interrupted")
	}
	if d.stalled.Load() {
		return d.fail("device", nil, "took nothing for %v", d.terms.Stall)
	}
	begin := time.Now()
	n, err := d.readOnce(d.terms.Stall)
	for busy := true; busy && n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil; {
		if busy = d.terms.busy(time.Since(begin)); busy {
			n, err = d.readOnce(d.terms.Stall)
		} else { // it may have spoken and gone to sleep before it was looked at
			n, err = d.readWhatIsThere()
		}
	}
	if n > 0 {
		return nil
	}
	if ctx.Err() != nil {
		return d.fail("host", ctx.Err(), "interrupted")
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return d.fail("device", nil, "was silent for %v", d.terms.Stall)
	case errors.Is(err, io.EOF) && d.w > 0:
		return d.fail("device", nil, "closed the socket inside a message")
	default:
		return d.fail("device", err, "closed the socket before the end of the run")
	}
}

// readOnce waits for bytes.
func (d *Device) readOnce(wait time.Duration) (int, error) {
	if err := d.conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return 0, err
	}
	n, err := d.conn.Read(d.in[d.w:])
	d.w += n
	return n, err
}

// readWhatIsThere does not wait, and no deadline keeps it from bytes that are there: behind one that has passed, a read
// takes nothing at all, and on a busy machine every deadline can pass before its read begins.
func (d *Device) readWhatIsThere() (int, error) {
	if err := d.conn.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	raw, err := d.conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	n, now := 0, error(nil)
	err = raw.Read(func(fd uintptr) bool {
		n, now = syscall.Read(int(fd), d.in[d.w:])
		return true
	})
	switch {
	case err != nil:
		return 0, err
	case errors.Is(now, syscall.EAGAIN) || errors.Is(now, syscall.EINTR):
		return 0, os.ErrDeadlineExceeded
	case now != nil:
		return 0, now
	case n == 0:
		return 0, io.EOF
	}
	d.w += n
	return n, nil
}

// Next returns the next batch of records, whole transactions, valid until the call after; io.EOF behind the last one,
// when the counts of both sides agree.
func (d *Device) Next(ctx context.Context) ([]byte, error) {
	if d.ended {
		return nil, io.EOF
	}
	d.credit()
	for {
		h, body, err := d.next(ctx)
		if err != nil {
			return nil, err
		}
		switch h.kind {
		case msgRecords:
			d.wakeWriter()
			return body, d.count(body)
		case msgAlive:
			d.wakeWriter()
		case msgFail:
			return nil, d.fail("device", nil, "%s", body)
		case msgTerminate:
			return nil, d.terminate(body)
		default:
			return nil, d.fail("bridge", nil, "message type %d from the device in the middle of a run", h.kind)
		}
	}
}

// count walks a batch: whole transactions, in sequence, each folded into the digest.
func (d *Device) count(b []byte) error {
	for at := 0; at < len(b); {
		if len(b)-at < target.RecordBytes {
			return d.fail("bridge", nil, "a batch ends inside a record, %d bytes behind the last whole one", len(b)-at)
		}
		head := b[at : at+target.RecordBytes]
		if seq := binary.LittleEndian.Uint32(head[4:]); seq != uint32(d.received) {
			return d.fail("bridge", nil, "record %d came where record %d was due", seq, d.received)
		}
		d.digest = target.HeadsDigest(d.digest, head)
		d.received++
		size := target.RecordBytes
		if d.terms.Mode == target.ModeFull {
			size *= 1 + int(head[3])
		}
		if len(b)-at < size {
			return d.fail("bridge", nil, "a batch ends inside record %d", d.received-1)
		}
		if at += size; at == len(b) {
			copy(d.lastHead[:], head)
			d.haveHead = true
		}
	}
	return nil
}

// credit gives back what the caller has worked off, when it is worth a message.
func (d *Device) credit() {
	d.taken.Store(uint32(d.received))
	if d.received-d.creditMark >= uint64(d.terms.credit())/4 {
		d.creditMark = d.received
		d.post(msgCredit, nil)
	}
}

func (d *Device) terminate(body []byte) error {
	var t Terminate
	if err := proto.Unmarshal(body, &t); err != nil {
		return d.fail("bridge", err, "the device's last message is garbled")
	}
	if t.Transactions != d.received || t.Digest != d.digest {
		return d.fail("bridge", nil, "counts differ at the end: the device sent %d transactions with digest %016x, %d with %016x came",
			t.Transactions, t.Digest, d.received, d.digest)
	}
	d.ending = target.Ending{Cycles: t.Cycles, Transactions: t.Transactions, Digest: t.Digest, Hung: t.Hung}
	d.ended = true
	b, err := proto.Marshal(&TerminateAck{Transactions: d.received, Digest: d.digest})
	if err != nil {
		return d.fail("host", err, "cannot write the last count")
	}
	d.post(msgTerminateAck, b)
	return io.EOF
}

// End is valid after io.EOF.
func (d *Device) End() target.Ending { return d.ending }

// Fetch asks for the last transactions whole and returns them, oldest first, those of the last batch among them: it is not
// given back before. It ends the run.
func (d *Device) Fetch(ctx context.Context) ([]byte, error) {
	d.post(msgFetch, nil)
	var whole []byte
	for {
		h, body, err := d.next(ctx)
		if err != nil {
			return nil, err
		}
		switch h.kind {
		case msgRing:
			whole = append(whole, body...)
			if h.flags&flagLast != 0 {
				return whole, nil
			}
		case msgFail:
			return nil, d.fail("device", nil, "%s", body)
		}
	}
}

// lastRecord names the newest record for a failure.
func (d *Device) lastRecord() string {
	if !d.haveHead {
		return ""
	}
	le := binary.LittleEndian
	return fmt.Sprintf("%s op %d, number %d, cycle %d, xid %#x", event.Kind(d.lastHead[1]), d.lastHead[2],
		le.Uint32(d.lastHead[4:]), le.Uint64(d.lastHead[8:]), le.Uint32(d.lastHead[16:]))
}
