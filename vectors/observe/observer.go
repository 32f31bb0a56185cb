package observe

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
)

// mostBreaches is where the list of breaches stops: one cause makes many.
const mostBreaches = 20

// Observer takes the records of one run, in order.
type Observer struct {
	prog     *compose.Program
	counts   map[string]uint64
	last     map[lastKey][]byte // last record with a row, by kind and row
	lastRead map[uint16]uint32  // register address to the value last read
	acks     map[pathKey]*wire.Ack
	streams  map[uint16]*stream
	lives    map[uint32]uint8 // life in which a packet was passed on to be placed, until memory took it
	paths    map[pathKey]*path
	waiting  []notice
	building []built // ACKs between their commit and their leaving, in order
	released []event.CompletionIn
	watch    *expect.Watch // nil: no program
	breaches []string
	more     int // breaches not kept
	err      error
}

type lastKey struct {
	kind event.Kind
	row  uint32
}

type pathKey struct {
	conn uint16
	path uint8
}

// built is a reply on its way out: of which life of its path, and what it took or answers.
type built struct {
	path      *path
	life      int
	xid       uint32
	notice    bool
	completed uint32
}

// New makes an observer for a program; with nil everything is counted and no breach is looked for.
func New(p *compose.Program) *Observer {
	o := &Observer{prog: p, counts: map[string]uint64{}, last: map[lastKey][]byte{}, lastRead: map[uint16]uint32{},
		acks: map[pathKey]*wire.Ack{}, streams: map[uint16]*stream{}, lives: map[uint32]uint8{}, paths: map[pathKey]*path{}}
	if p != nil {
		o.watch = expect.NewWatch(p.Sees)
	}
	return o
}

// Observe takes one transaction: head and state records.
func (o *Observer) Observe(record []byte) {
	var h event.Head
	if err := h.Decode(record); err != nil {
		o.fail(err)
		return
	}
	if o.watch != nil {
		o.watch.Observe(record)
	}
	if f := handlers[h.Kind]; f != nil {
		f(o, &h, record)
	}
}

func (o *Observer) fail(err error) {
	if err != nil && o.err == nil {
		o.err = err
	}
}

func (o *Observer) breach(h *event.Head, format string, args ...any) {
	if o.prog == nil {
		return
	}
	if len(o.breaches) == mostBreaches {
		o.more++
		return
	}
	o.breaches = append(o.breaches, fmt.Sprintf("cycle %d, xid %#x: ", h.Cycle, h.Xid)+fmt.Sprintf(format, args...))
}

// Breaches tells what the events did not bear out, and what could not be read.
func (o *Observer) Breaches() []string {
	all := o.breaches
	if o.more > 0 {
		all = append(all[:len(all):len(all)], fmt.Sprintf("and %d more", o.more))
	}
	if o.err != nil {
		all = append(all[:len(all):len(all)], o.err.Error())
	}
	return all
}

// Counts gives every count by name. The map is the observer's own.
func (o *Observer) Counts() map[string]uint64 { return o.counts }

// frame finds what a frame was meant to be; nil for commands and for frames of which nothing is known.
func (o *Observer) frame(xid uint32) *compose.Frame {
	if o.prog == nil || xid == 0 || int64(xid) > int64(len(o.prog.Frames)) {
		return nil
	}
	return &o.prog.Frames[xid-1]
}

func (o *Observer) count(name string)          { o.counts[name]++ }
func (o *Observer) keep(k lastKey, rec []byte) { o.last[k] = append(o.last[k][:0], rec...) }

var handlers [256]func(*Observer, *event.Head, []byte)

func init() {
	handlers[event.KindAdmit] = (*Observer).admit
	handlers[event.KindWindow] = (*Observer).window
	handlers[event.KindKey] = (*Observer).key
	handlers[event.KindRecv] = (*Observer).recv
	handlers[event.KindMessage] = (*Observer).message
	handlers[event.KindPlace] = (*Observer).place
	handlers[event.KindComplete] = (*Observer).complete
	handlers[event.KindCoalesce] = (*Observer).coalesce
	handlers[event.KindCtimer] = (*Observer).ctimer
	handlers[event.KindAck] = (*Observer).ack
	handlers[event.KindPacketIn] = func(o *Observer, _ *event.Head, _ []byte) { o.count("frames") }
	handlers[event.KindPacketOut] = (*Observer).packetOut
	handlers[event.KindMemWrite] = (*Observer).memWrite
	handlers[event.KindCompletion] = (*Observer).completion
	handlers[event.KindRegister] = (*Observer).register
	handlers[event.KindCommandDone] = func(o *Observer, _ *event.Head, _ []byte) { o.count("confirmed") }
}
