package conn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// world is a receiver with connection 0, path 0, stream 0, key 0 and receive 0 open, driven one transaction at a time.
type world struct {
	*conn.Receiver
	t     *testing.T
	cycle uint64
	dst   [event.MaxRecord]byte
}

func newWorld(t *testing.T) *world {
	r, err := conn.New(preset.Tiny)
	require.NoError(t, err)
	w := &world{Receiver: r, t: t}
	w.command(event.CommandConnSet, modeltest.Args{"conn": 0x010000, "paths": 2, "log2": 1})
	w.command(event.CommandPathSet, modeltest.Args{"conn": 0, "psn": 100, "tsn": 100, "peer": 9})
	w.command(event.CommandStreamSet, modeltest.Args{"life": 1, "msn": 50})
	w.command(event.CommandKeySet, modeltest.Args{"rkey": 7, "addr_lo": 0x1000, "length": 0x1000, "perm": 1})
	w.command(event.CommandRecvPost, modeltest.Args{"recv": 0, "addr_lo": 0x8000, "length": 64, "wr_id": 77})
	w.settle()
	return w
}

// command hands over and executes the writes of a command; its way through the pipeline is settle's.
func (w *world) command(cmd event.Command, args modeltest.Args) {
	accesses, err := modeltest.Command(cmd, args)
	require.NoError(w.t, err)
	for _, a := range accesses {
		w.SetRegister(a.Addr, a.Value)
		w.must(event.KindRegister, 0)
	}
}

// try executes a transaction in the next cycle.
func (w *world) try(kind event.Kind, op uint8) *conn.Illegal {
	_, bad := w.Exec(kind, op, conn.Told{Cycle: w.cycle + 1, Room: 1}, &w.dst)
	if bad == nil {
		w.cycle++
	}
	return bad
}

func (w *world) must(kind event.Kind, op uint8) {
	w.t.Helper()
	if bad := w.try(kind, op); bad != nil {
		require.FailNow(w.t, bad.Error())
	}
}

// packet hands over a Write of n bytes as the k-th packet of the path and the k-th message, and takes it in.
func (w *world) packet(k uint32, n int, change ...func(*modeltest.Packet)) {
	p := modeltest.Packet{
		Base:    wire.Base{Opcode: wire.OpcodeWrite, DstConn: 0x010000, Psn: 100 + k, Tsn: 100 + k},
		Message: wire.Message{Msn: 50 + k, Length: uint32(n)}, Target: wire.Target{Rkey: 7, Addr: 0x1000 + uint64(k)*64},
		Payload: make([]byte, n),
	}
	for i := range p.Payload {
		p.Payload[i] = byte(i + 1)
	}
	for _, c := range change {
		c(&p)
	}
	w.Frame(p.Frame())
	w.must(event.KindPacketIn, 0)
	w.must(event.KindAdmit, event.AdmitPacket)
}

// settle executes whatever is pending now, but no timer and no notice that waits.
func (w *world) settle(except ...event.Kind) {
	skip := map[event.Kind]bool{}
	for _, k := range except {
		skip[k] = true
	}
	for busy := true; busy; {
		busy = false
		for _, e := range event.Engines {
			if !e.Built && !e.Boundary || skip[e.Kind] {
				continue
			}
			for op := range uint8(6) {
				due, ok := w.Ready(e.Kind, op)
				for ok && due.From <= w.cycle+1 {
					w.must(e.Kind, op)
					busy = true
					due, ok = w.Ready(e.Kind, op)
				}
			}
		}
	}
}
