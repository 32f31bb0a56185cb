package pipe_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
)

// recorded runs the minimum frames on a device and returns its records and their number.
func recorded(tb testing.TB, frames int) ([]byte, int) {
	d, err := pipe.New(pipe.Config{Params: preset.Small, Latency: pipe.DefaultLatency(preset.Small)})
	require.NoError(tb, err)
	modeltest.Give(modeltest.MinimumFrames(preset.Small, frames), d)
	var recs []byte
	for {
		b, err := d.Run(1 << 16)
		require.NoError(tb, err)
		if len(b) == 0 {
			break
		}
		recs = append(recs, b...)
	}
	n := 0
	for b := recs; len(b) > 0; b = b[event.RecordSize*(1+int(b[3])):] {
		n++
	}
	require.Zero(tb, d.Receiver().Counters().Drops[event.ReasonMsgWindow])
	return recs, n
}

const benchFrames = 2000

// BenchmarkDecode is the bare reading of a record, the measure that the check is held against.
func BenchmarkDecode(b *testing.B) {
	recs, n := recorded(b, benchFrames)
	var e struct {
		admit    event.Admit
		window   event.Window
		key      event.Key
		recv     event.Recv
		message  event.Message
		place    event.Place
		complete event.Complete
		coalesce event.Coalesce
		ctimer   event.Ctimer
		ack      event.Ack
		in       event.PacketIn
		out      event.PacketOut
		mem      event.MemWrite
		done     event.Completion
		reg      event.Register
		cmd      event.CommandDone
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += n {
		for r := recs; len(r) > 0; {
			size := event.RecordSize * (1 + int(r[3]))
			var err error
			switch event.Kind(r[1]) {
			case event.KindAdmit:
				err = e.admit.Decode(r[:size])
			case event.KindWindow:
				err = e.window.Decode(r[:size])
			case event.KindKey:
				err = e.key.Decode(r[:size])
			case event.KindRecv:
				err = e.recv.Decode(r[:size])
			case event.KindMessage:
				err = e.message.Decode(r[:size])
			case event.KindPlace:
				err = e.place.Decode(r[:size])
			case event.KindComplete:
				err = e.complete.Decode(r[:size])
			case event.KindCoalesce:
				err = e.coalesce.Decode(r[:size])
			case event.KindCtimer:
				err = e.ctimer.Decode(r[:size])
			case event.KindAck:
				err = e.ack.Decode(r[:size])
			case event.KindPacketIn:
				err = e.in.Decode(r[:size])
			case event.KindPacketOut:
				err = e.out.Decode(r[:size])
			case event.KindMemWrite:
				err = e.mem.Decode(r[:size])
			case event.KindCompletion:
				err = e.done.Decode(r[:size])
			case event.KindRegister:
				err = e.reg.Decode(r[:size])
			case event.KindCommandDone:
				err = e.cmd.Decode(r[:size])
			}
			if err != nil {
				b.Fatal(err)
			}
			r = r[size:]
		}
	}
}

// BenchmarkCheck is a record checked: executed, encoded, compared. Stimulus is given ahead, as in lockstep.
func BenchmarkCheck(b *testing.B) {
	recs, n := recorded(b, benchFrames)
	var dst [event.MaxRecord]byte
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += n {
		b.StopTimer()
		r, err := conn.New(preset.Small)
		require.NoError(b, err)
		modeltest.Give(modeltest.MinimumFrames(preset.Small, benchFrames), r)
		b.StartTimer()
		for recs := recs; len(recs) > 0; {
			size := event.RecordSize * (1 + int(recs[3]))
			k, bad := r.ExecRecord(recs[:size], &dst)
			if bad != nil || !bytes.Equal(recs[:size], dst[:k]) {
				b.Fatal(bad)
			}
			recs = recs[size:]
		}
	}
}
