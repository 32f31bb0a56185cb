package bridge

import (
	"errors"
	"os"
	"time"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/vectors/stimulus"
)

const (
	stimulusChunk  = 64 << 10  // bytes a message, about
	stimulusWindow = 512 << 10 // bytes sent and not yet used by the device
	journalItemMax = journal.ItemBytes + journal.MaxFrame + 8
	aliveEvery     = 200 * time.Millisecond
)

// Apply queues stimulus. It does not wait.
func (d *Device) Apply(items stimulus.List) {
	d.mu.Lock()
	d.pending = append(d.pending, items)
	d.mu.Unlock()
	d.wakeWriter()
}

// Finish says that no stimulus follows.
func (d *Device) Finish() {
	d.mu.Lock()
	d.finish = true
	d.mu.Unlock()
	d.wakeWriter()
}

func (d *Device) post(kind messageType, body []byte) {
	d.mu.Lock()
	d.messages = append(d.messages, message{kind, body})
	d.mu.Unlock()
	d.wakeWriter()
}

func (d *Device) wakeWriter() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// write is the only writer after the handshake: messages first, stimulus as far as the window allows, a sign of life
// when nothing else goes out. It must never wait for the reader: a device that cannot send would not read either.
func (d *Device) write() {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	w := stimulusWriter{d: d, chunk: make([]byte, 0, stimulusChunk+journalItemMax)}
	for {
		err := d.writeMessages()
		for err == nil && w.more() {
			err = w.send()
			if err == nil {
				err = d.writeMessages()
			}
		}
		if err != nil {
			// A socket that is closed the reader sees too, behind the device's last words. Only it cannot see a
			// device that talks and does not listen.
			if errors.Is(err, os.ErrDeadlineExceeded) {
				d.stalled.Store(true)
			}
			return
		}
		select {
		case <-d.quit:
			return
		case <-d.wake:
		case <-tick.C:
			d.post(msgCredit, nil)
		}
	}
}

func (d *Device) writeMessages() error {
	for {
		d.mu.Lock()
		if len(d.messages) == 0 {
			d.mu.Unlock()
			return nil
		}
		m := d.messages[0]
		n := copy(d.messages, d.messages[1:])
		d.messages = d.messages[:n]
		d.mu.Unlock()
		if err := d.send(m.kind, flagLast, m.body); err != nil {
			return err
		}
	}
}

// stimulusWriter encodes items into messages of whole items.
type stimulusWriter struct {
	d     *Device
	list  stimulus.List
	at    int
	sent  uint32
	last  bool // the device knows that nothing follows
	chunk []byte
}

// more reports whether there is something to send that the window has room for.
func (w *stimulusWriter) more() bool {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	for w.at == len(w.list) && len(w.d.pending) > 0 {
		w.list, w.at = w.d.pending[0], 0
		n := copy(w.d.pending, w.d.pending[1:])
		w.d.pending = w.d.pending[:n]
	}
	if w.at == len(w.list) {
		return w.d.finish && !w.last
	}
	return w.sent-w.d.used.Load() < stimulusWindow
}

func (w *stimulusWriter) send() error {
	w.chunk = w.chunk[:0]
	for w.at < len(w.list) && len(w.chunk) < stimulusChunk {
		w.chunk = journal.AppendItem(w.chunk, &w.list[w.at])
		w.at++
	}
	w.d.mu.Lock()
	w.last = w.d.finish && w.at == len(w.list) && len(w.d.pending) == 0
	w.d.mu.Unlock()
	w.sent += uint32(len(w.chunk))
	flags := uint8(0)
	if w.last {
		flags = flagLast
	}
	return w.d.send(msgStimulus, flags, w.chunk)
}
