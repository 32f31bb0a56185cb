package xmit_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/xmit"
)

// path is a row with its ring.
type path struct {
	store *xmit.Store
	ring  xmit.Ring
	row   event.XmitPath
	home  uint8
}

func open(first uint32, home uint8) *path {
	p := &path{store: &xmit.Store{}, home: home}
	p.ring = p.store.Open()
	p.do(event.XmitStart, event.XmitIn{Part: first})
	return p
}

func (p *path) do(op uint8, in event.XmitIn) (out event.XmitOut) {
	in.Home = p.home
	p.store.Step(&p.ring, &p.row, op, &in, &out)
	return out
}

// list goes along the links of a list.
func (p *path) list(list uint8) (all []item) {
	psn, ok := xmit.Head(&p.row, list)
	n := map[uint8]uint16{xmit.Live: p.row.Live, xmit.Lost: p.row.Lost, xmit.Away: p.row.Away}[list]
	if !ok {
		return nil
	}
	for range n {
		rec := p.store.At(&p.ring, psn)
		all = append(all, item{psn, rec.Tsn, rec.Sent, rec.Part, rec.Message, xmit.Carrier(rec)})
		psn = xmit.Psn(&p.row, rec.Next)
	}
	return all
}

// TestTwin holds the linked lists against slices: what is in which list, in which order, with which numbers; from starts
// just below wrap; with rings that grow as they must and no further.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(1<<32-300, 1<<32-1)).Draw(t, "first")
		home := uint8(rapid.IntRange(0, 63).Draw(t, "home"))
		w := &twin{home: home, nextPsn: first, nextTsn: first}
		p := open(first, home)
		for now := range uint32(rapid.IntRange(1, 600).Draw(t, "steps")) {
			op, in, ok := draw(t, w, p)
			if !ok {
				continue
			}
			in.Now = now - 100 // wraps
			wantPsn, wantTsn := w.step(op, &in)
			out := p.do(op, in)
			require.Equal(t, wantPsn, out.Psn)
			require.Equal(t, wantTsn, out.Tsn)
			for list := xmit.Live; list <= xmit.Away; list++ {
				if !slices.Equal(w.lists[list], p.list(list)) {
					require.Equal(t, w.lists[list], p.list(list))
				}
			}
			require.Equal(t, w.old(), p.row.Old)
			require.Equal(t, w.nextPsn, p.row.NextPsn)
			require.Equal(t, w.nextTsn, p.row.NextTsn)
		}
	})
}

// draw takes an operation that the caller's duties allow.
func draw(t *rapid.T, w *twin, p *path) (op uint8, in event.XmitIn, ok bool) {
	op = rapid.SampledFrom([]uint8{event.XmitFirst, event.XmitFirst, event.XmitFirst, event.XmitAgain, event.XmitDetour, event.XmitFlush,
		event.XmitFree, event.XmitFree, event.XmitLose, event.XmitKeep, event.XmitRetire}).Draw(t, "op")
	in.List = uint8(rapid.IntRange(1, 3).Draw(t, "list"))
	switch op {
	case event.XmitFirst:
		in.Message, in.Part = rapid.Uint16().Draw(t, "message"), rapid.Uint32().Draw(t, "part")
		room := p.store.Room(&p.ring, &p.row)
		require.Equal(t, w.free(w.nextPsn), room)
		return op, in, room
	case event.XmitAgain, event.XmitDetour:
		in.Carrier = (w.home + uint8(rapid.IntRange(1, 63).Draw(t, "carrier"))) % 64
		return op, in, len(w.lists[xmit.Lost]) > 0
	case event.XmitLose:
		return op, in, in.List != xmit.Lost && len(w.lists[in.List]) > 0
	case event.XmitKeep:
		return op, in, in.List != xmit.Live && len(w.lists[in.List]) > 0
	case event.XmitFree:
		return op, in, len(w.lists[in.List]) > 0
	case event.XmitRetire:
		return op, in, len(w.lists[xmit.Live]) > 0
	}
	return op, in, true
}

// TestLiveIsInOrder: tsn and time rise along live whatever was lost and sent again.
func TestLiveIsInOrder(t *testing.T) {
	p := open(0xfffffff0, 3)
	for now := range uint32(1000) {
		switch {
		case now%3 == 1 && p.row.Live > 4:
			p.do(event.XmitLose, event.XmitIn{List: xmit.Live})
		case now%5 == 4 && p.row.Live > 0:
			p.do(event.XmitFree, event.XmitIn{List: xmit.Live})
		case p.row.Lost > 0:
			p.do(event.XmitAgain, event.XmitIn{Now: now})
		case p.store.Room(&p.ring, &p.row):
			p.do(event.XmitFirst, event.XmitIn{Now: now})
		}
		live := p.list(xmit.Live)
		for i := 1; i < len(live); i++ {
			if int32(live[i].tsn-live[i-1].tsn) <= 0 || live[i].sent < live[i-1].sent {
				t.Fatalf("%+v stands before %+v", live[i-1], live[i])
			}
		}
	}
	require.Less(t, p.row.NextPsn, uint32(0x10000), "psn went over its wrap")
}

// TestRoom: 256 records at most, and one that is not settled keeps its place against the psn 256 behind it.
func TestRoom(t *testing.T) {
	p := open(7, 0)
	for range 256 {
		require.True(t, p.store.Room(&p.ring, &p.row))
		p.do(event.XmitFirst, event.XmitIn{})
	}
	require.False(t, p.store.Room(&p.ring, &p.row))
	require.Equal(t, 256, p.ring.Len())
	p.do(event.XmitLose, event.XmitIn{List: xmit.Live}) // psn 7 is lost
	for range 255 {
		p.do(event.XmitFree, event.XmitIn{List: xmit.Live})
	}
	require.False(t, p.store.Room(&p.ring, &p.row), "psn 7 has the record of psn 263")
	p.do(event.XmitFree, event.XmitIn{List: xmit.Lost})
	require.True(t, p.store.Room(&p.ring, &p.row))
}

// TestRingGrowsByNeed: 16 bytes a record, and an eighth more records than were in flight at most, or 2.
func TestRingGrowsByNeed(t *testing.T) {
	require.Equal(t, uintptr(16), reflect.TypeFor[event.XmitPacket]().Size())
	require.LessOrEqual(t, reflect.TypeFor[event.XmitPath]().Size(), uintptr(24))
	for _, inFlight := range []int{1, 4, 5, 30, 130} {
		p := open(0, 0)
		for i := range 3000 {
			if i >= inFlight {
				p.do(event.XmitFree, event.XmitIn{List: xmit.Live})
			}
			require.True(t, p.store.Room(&p.ring, &p.row))
			p.do(event.XmitFirst, event.XmitIn{})
		}
		require.LessOrEqual(t, p.ring.Len(), max(inFlight*9/8, 2), inFlight)
	}
}

// TestStoreGivesRingsAgain: closed rings are used again, empty, and rings of all sizes do not overlap.
func TestStoreGivesRingsAgain(t *testing.T) {
	var s xmit.Store
	var rings []xmit.Ring
	var rows []event.XmitPath
	for i := range 600 {
		r, row := s.Open(), event.XmitPath{}
		for range i % 257 {
			require.True(t, s.Room(&r, &row))
			s.Step(&r, &row, event.XmitFirst, &event.XmitIn{Message: uint16(i)}, &event.XmitOut{})
		}
		rings, rows = append(rings, r), append(rows, row)
	}
	for i, r := range rings {
		for psn := range rows[i].NextPsn {
			require.Equal(t, uint16(i), s.At(&r, psn).Message)
		}
	}
	for _, r := range rings {
		s.Close(r)
	}
	before := s.Bytes()
	for range 600 {
		r, row := s.Open(), event.XmitPath{}
		for range 200 {
			require.True(t, s.Room(&r, &row))
			require.Zero(t, s.At(&r, row.NextPsn).Where)
			s.Step(&r, &row, event.XmitFirst, &event.XmitIn{}, &event.XmitOut{})
		}
		s.Close(r)
	}
	require.Equal(t, before, s.Bytes(), "rings that were given back are not used again")
}

// TestNoAllocation: none once the ring has its size.
func TestNoAllocation(t *testing.T) {
	p := open(0, 0)
	round := func() {
		for range 64 {
			p.store.Room(&p.ring, &p.row)
			p.store.Step(&p.ring, &p.row, event.XmitFirst, &event.XmitIn{}, &event.XmitOut{})
		}
		for range 64 {
			p.store.Step(&p.ring, &p.row, event.XmitFree, &event.XmitIn{List: xmit.Live}, &event.XmitOut{})
		}
	}
	round()
	require.Zero(t, testing.AllocsPerRun(100, round))
}

func BenchmarkFirstAndFree(b *testing.B) {
	p := open(0, 0)
	var in event.XmitIn
	var out event.XmitOut
	b.ReportAllocs()
	for i := range b.N {
		in = event.XmitIn{Now: uint32(i)}
		if i >= 100 {
			in.List = xmit.Live
			p.store.Step(&p.ring, &p.row, event.XmitFree, &in, &out)
		}
		p.store.Room(&p.ring, &p.row)
		p.store.Step(&p.ring, &p.row, event.XmitFirst, &in, &out)
	}
}
