package cover

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
)

// TestBothSides: files of one side, of the other and of both add up in any order to what Merge does in memory.
func TestBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, got := NewAll(), NewAll()
		for range rapid.IntRange(1, 4).Draw(t, "executions") {
			one := NewAll()
			c := one.receive
			if rapid.Bool().Draw(t, "sender") {
				c = one.sender
			}
			c.records = rapid.Uint64Range(1, 1<<40).Draw(t, "records")
			g := c.groups[rapid.IntRange(0, len(c.groups)-1).Draw(t, "group")]
			g.hits[rapid.IntRange(0, len(g.hits)-1).Draw(t, "bin")]++
			want.Merge(one)
			require.NoError(t, got.Add(bytes.NewReader(one.Encode())))
		}
		assert.Equal(t, want.Encode(), got.Encode())
		assert.Equal(t, want.Hits(), got.Hits())
		again := NewAll()
		require.NoError(t, again.Add(bytes.NewReader(got.Encode())))
		assert.Equal(t, got.Encode(), again.Encode())
		hits := 0
		for _, g := range got.Report(nil, "").Groups {
			hits += g.Hit
		}
		assert.Len(t, got.Hits(), hits)
	})
}

// TestSidesThatWereNotCounted stand in no report, and their waivers are not stale.
func TestSidesThatWereNotCounted(t *testing.T) {
	a := NewAll()
	a.sender.records = 1
	waivers, err := ParseWaivers("w", []byte("xmit op=start # a\nwindow class=new # b\n"))
	require.NoError(t, err)
	r := a.Report(waivers, "")
	assert.Equal(t, a.sender.Bins(), r.Bins)
	assert.Empty(t, r.Stale)
	a.receive.records = 1
	assert.Equal(t, a.Bins(), a.Report(waivers, "").Bins)
	assert.Len(t, a.Groups(), len(a.receive.groups)+len(a.sender.groups))
}

func TestGarbledSidesAddNothing(t *testing.T) {
	a := NewAll()
	a.receive.records, a.sender.records = 1, 1
	a.sender.group("xmit").hits[2] = 7
	good := string(a.Encode())
	for what, text := range map[string]string{
		"nothing":           "",
		"an unknown side":   strings.Replace(good, a.sender.Layout(), "0000000000000000", 1),
		"the second spoilt": strings.Replace(good, "xmit 2", "xmit 99", 1),
	} {
		sum := NewAll()
		assert.ErrorContains(t, sum.Add(strings.NewReader(text)), "bins: ", what)
		assert.Equal(t, NewAll().Encode(), sum.Encode(), what)
	}
}

// TestWrapsOfTheSender: a serial number passes zero by one step, or by an acknowledgement of many; a row that another connection
// has now does not.
func TestWrapsOfTheSender(t *testing.T) {
	c := NewSender()
	see := func(r interface {
		Encode(*[event.MaxRecord]byte) int
	}) {
		var b [event.MaxRecord]byte
		n := r.Encode(&b)
		c.Observe(b[:n])
	}
	xmit := func(row uint16, psn, tsn uint32, away uint16) {
		see(&event.Xmit{In: event.XmitIn{PathRow: row}, Path: event.XmitPath{NextPsn: psn, NextTsn: tsn, Away: away}})
	}
	ack := func(row uint16, cum uint32) {
		see(&event.AckRecv{Head: event.Head{Op: event.AckRecvAck}, In: event.AckRecvIn{PathRow: row, Cum: cum}, Path: event.AckRecvPath{Cum: cum}})
	}
	timer := func(row uint16, epoch uint8) {
		see(&event.PathTimer{Head: event.Head{Op: event.PathTimerAlive}, In: event.PathTimerIn{PathRow: row}, Path: event.PathTimerPath{Epoch: epoch}})
	}
	hits := func() []uint64 { return c.group("sendwrap").hits } // psn, psn lost, tsn, tsn lost, cum, cum lost, epoch, epoch lost
	xmit(1, math.MaxUint32-1, math.MaxUint32, 0)
	xmit(1, math.MaxUint32, 0, 0)
	assert.Equal(t, []uint64{0, 0, 1, 0, 0, 0, 0, 0}, hits())
	xmit(1, 0, 1, 3)
	assert.Equal(t, []uint64{0, 1, 1, 0, 0, 0, 0, 0}, hits())
	ack(1, math.MaxUint32-7)
	ack(1, 200)
	assert.Equal(t, []uint64{0, 1, 1, 0, 0, 1, 0, 0}, hits())
	timer(1, 15)
	timer(1, 0)
	timer(1, 0)
	assert.Equal(t, []uint64{0, 1, 1, 0, 0, 1, 0, 1}, hits())
	xmit(1, 1<<31, 1<<31, 0)
	ack(1, 1<<31)
	xmit(1, 5, 5, 0)
	ack(1, 5)
	timer(2, 0)
	assert.Equal(t, []uint64{0, 1, 1, 0, 0, 1, 0, 1}, hits())
}
