package losswalk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/losswalk"
	"metaroce/tandem/model/xmit"
)

// lane is one path in steady state: four packets leave, an acknowledgement of the four oldest comes.
type lane struct {
	store xmit.Store
	ring  xmit.Ring
	row   event.XmitPath
	ack   event.AckRecvPath
	now   uint32
}

func newLane() *lane {
	l := &lane{}
	l.ring = l.store.Open()
	for range 100 {
		l.first()
	}
	return l
}

func (l *lane) first() {
	l.now += 21
	l.store.Room(&l.ring, &l.row)
	l.store.Step(&l.ring, &l.row, event.XmitFirst, &event.XmitIn{Now: l.now}, &event.XmitOut{})
}

func (l *lane) round() {
	for range 4 {
		l.first()
	}
	in := event.AckRecvIn{Now: l.now, Cum: l.ack.Cum + 4, HighTsn: l.ack.Cum + 3, HighValid: true, NextPsn: l.row.NextPsn, NextTsn: l.row.NextTsn}
	rec := l.store.At(&l.ring, in.Cum-1)
	in.EchoTime, in.Sample = rec.Sent, xmit.List(rec) == xmit.Live
	var out event.AckRecvOut
	ackrecv.Step(&l.ack, event.AckRecvAck, &in, &out)
	for l.row.Live > 0 {
		psn, _ := xmit.Head(&l.row, xmit.Live)
		rec := l.store.At(&l.ring, psn)
		w := event.LossWalkIn{Now: l.now, List: xmit.Live, Psn: psn, Tsn: rec.Tsn, Sent: rec.Sent, Acked: ackrecv.Covers(in.Cum, &in.Vector, psn),
			LimitValid: out.LimitValid, Limit: out.Limit}
		var fate event.LossWalkOut
		losswalk.Step(&w, &fate)
		if fate.Fate != losswalk.Acked {
			return
		}
		l.store.Step(&l.ring, &l.row, event.XmitFree, &event.XmitIn{List: xmit.Live}, &event.XmitOut{})
	}
}

// TestNoAllocation: none in steady state, and it is a steady state.
func TestNoAllocation(t *testing.T) {
	l := newLane()
	l.round()
	require.Zero(t, testing.AllocsPerRun(200, l.round))
	require.Equal(t, uint16(100), l.row.Live)
}

// BenchmarkPacket is what the blocks of reliability cost a packet: transmission, its part of an acknowledgement, the walk.
func BenchmarkPacket(b *testing.B) {
	l := newLane()
	b.ReportAllocs()
	for range b.N/4 + 1 {
		l.round()
	}
}
