package cover_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	waived "metaroce/tandem/vectors/cover"
)

// encode is a record as bytes.
func encode(r interface {
	Encode(*[event.MaxRecord]byte) int
}) []byte {
	var b [event.MaxRecord]byte
	return b[:r.Encode(&b)]
}

// step is a window record of path 0.1 and, for a packet that is new, what became of it.
type step struct {
	xid           uint32
	cycle         uint64
	path          uint8
	epoch         uint8 // of the packet
	after         uint8 // of the row, behind the step
	d, ce, l      bool
	class         event.Class
	verdict       event.Verdict
	nak           wire.Syndrome
	found         wire.Syndrome // by key or receive
	failed, place bool
}

func (s step) records() [][]byte {
	op := event.WindowPacket
	if s.class == event.ClassFlush {
		op = event.WindowFlush
	}
	if s.class == event.ClassSet {
		op = event.WindowSet
	}
	head := event.Head{Op: op, Xid: s.xid, Cycle: s.cycle, Path: s.path}
	list := [][]byte{encode(&event.Window{Head: head, Out: event.WindowOut{Class: s.class}, In: event.WindowIn{Epoch: s.epoch, FlagD: s.d, Ce: s.ce, FlagL: s.l},
		Path: event.WindowPath{Epoch: s.after}})}
	if s.class != event.ClassNew {
		return list
	}
	head.Op = event.MessagePacket
	m := &event.Message{Head: head, Out: event.MessageOut{Verdict: s.verdict, Nak: s.nak != 0, Syndrome: s.nak}, In: event.MessageIn{SyndromeIn: s.found, Opcode: wire.OpcodeWrite}}
	list = append(list, encode(m))
	if s.place {
		head.Op = event.PlaceWrite
		list = append(list, encode(&event.Place{Head: head, In: event.PlaceIn{Error: s.failed}}))
	}
	return list
}

func TestWindowBins(t *testing.T) {
	begin := []step{{path: 1, class: event.ClassSet, epoch: 5, after: 5, cycle: 10}, {path: 2, class: event.ClassSet, cycle: 11}}
	cases := []struct {
		name string
		s    step
		want string
	}{
		{"plain", step{class: event.ClassTooOld, epoch: 5, after: 5, cycle: 90}, "class=too_old epoch=current D=no CE=no L=no syndrome=none near=no"},
		{"next epoch", step{class: event.ClassDuplicate, epoch: 6, after: 6, ce: true, cycle: 90}, "class=duplicate epoch=next D=no CE=yes L=no syndrome=none near=no"},
		{"old epoch", step{class: event.ClassFlush, epoch: 4, after: 5, l: true, cycle: 90}, "class=flush epoch=old D=no CE=no L=yes syndrome=none near=no"},
		{"two ahead is old", step{class: event.ClassTooNew, epoch: 7, after: 5, d: true, cycle: 90}, "class=too_new epoch=old D=yes CE=no L=no syndrome=none near=no"},
		{"placed", step{class: event.ClassNew, epoch: 5, after: 5, verdict: event.VerdictPlace, place: true, cycle: 90}, "class=new epoch=current D=no CE=no L=no syndrome=none near=no"},
		{"write failed", step{class: event.ClassNew, epoch: 5, after: 5, verdict: event.VerdictPlace, place: true, failed: true, cycle: 90}, "syndrome=remote_op near=no"},
		{"refused", step{class: event.ClassNew, epoch: 5, after: 5, verdict: event.VerdictFatalNow, nak: wire.SyndromeMalformed, cycle: 90}, "syndrome=malformed near=no"},
		{"found by key in a stream in error", step{class: event.ClassNew, epoch: 5, after: 5, verdict: event.VerdictStreamError, found: wire.SyndromeKey, cycle: 90}, "syndrome=key near=no"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := cover.New()
			c.s.xid, c.s.path = 7, 1
			for _, s := range append(append([]step(nil), begin...), c.s) {
				for _, r := range s.records() {
					v.Observe(r)
				}
			}
			assert.Equal(t, 1, hits(v, "window"))
			assert.False(t, strings.Contains(strings.Join(v.Report(nil, "").Empty, "\n"), "window class="+c.s.class.String()+" "+tail(c.want)), "bin is still empty")
		})
	}
}

func tail(want string) string {
	if i := strings.Index(want, "epoch="); i >= 0 {
		return want[i:]
	}
	return "epoch=current D=no CE=no L=no " + want
}

func hits(v *cover.Cover, group string) int {
	for _, g := range v.Report(nil, "").Groups {
		if g.Name == group {
			return g.Hit
		}
	}
	return -1
}

// TestNear: the step before must be of the same path and at most two cycles away.
func TestNear(t *testing.T) {
	for name, c := range map[string]struct {
		path  uint8
		cycle uint64
		near  string
	}{"one cycle": {1, 101, "yes"}, "two cycles": {1, 102, "yes"}, "three cycles": {1, 103, "no"}, "another path": {2, 101, "no"}} {
		v := cover.New()
		for _, s := range []step{{path: 1, class: event.ClassSet, cycle: 1}, {path: 2, class: event.ClassSet, cycle: 2}, {path: c.path, class: event.ClassTooOld, cycle: 100}, {path: 1, class: event.ClassFlush, cycle: c.cycle}} {
			for _, r := range s.records() {
				v.Observe(r)
			}
		}
		empty := strings.Join(v.Report(nil, "").Empty, "\n")
		other := map[string]string{"yes": "no", "no": "yes"}[c.near]
		assert.NotContains(t, empty, "class=flush epoch=current D=no CE=no L=no syndrome=none near="+c.near, name)
		assert.Contains(t, empty, "class=flush epoch=current D=no CE=no L=no syndrome=none near="+other, name)
	}
}

func TestMergeAddsUp(t *testing.T) {
	a, b, sum := cover.New(), cover.New(), cover.New()
	for i, v := range []*cover.Cover{a, b} {
		for _, s := range []step{{path: 1, class: event.ClassSet}, {path: 1, class: []event.Class{event.ClassFlush, event.ClassTooNew}[i], cycle: 50}} {
			for _, r := range s.records() {
				v.Observe(r)
			}
		}
	}
	sum.Merge(a)
	sum.Merge(b)
	assert.Equal(t, 2, hits(sum, "window"))
	assert.EqualValues(t, 4, sum.Records())
}

func TestWaivers(t *testing.T) {
	list, err := cover.ParseWaivers("vectors/cover/waivers.txt", waived.Waivers)
	require.NoError(t, err)
	r := cover.New().Report(list, "")
	assert.Greater(t, r.Waived, 1000)
	assert.Empty(t, r.Stale)
	assert.Equal(t, r.Bins, r.Waived+len(r.Empty))
}

func TestMistakesInWaivers(t *testing.T) {
	_, err := cover.ParseWaivers("w", []byte(`# a comment
window class=new
windows class=new # no such group
window klass=new # no such dimension
window class=newer # no such value
window class # no value
nak syndrome=key,crc # one of two
`))
	require.Error(t, err)
	for _, want := range []string{"w:2: no reason", `w:3: no group "windows"`, `w:4: "klass=new"`, `w:5: dimension class has no value "newer"`, `w:6: "class"`, `w:7: dimension syndrome has no value "crc"`} {
		assert.Contains(t, err.Error(), want)
	}
}

// TestStaleWaivers: a waiver for what was hit, or for nothing, is told of.
func TestStaleWaivers(t *testing.T) {
	list, err := cover.ParseWaivers("w", []byte("window class=flush # never flushed\nwindow class=flush # the same again\nnak syndrome=!key # only key\n"))
	require.NoError(t, err)
	v := cover.New()
	assert.True(t, len(v.Report(list, "").Stale) == 0)
	for _, s := range []step{{path: 1, class: event.ClassSet}, {path: 1, class: event.ClassFlush, cycle: 50}} {
		for _, r := range s.records() {
			v.Observe(r)
		}
	}
	stale := v.Report(list, "").Stale
	require.Len(t, stale, 2)
	assert.Contains(t, stale[0], "w:1: window class=flush: was hit after all (window class=flush epoch=current")
	assert.False(t, v.Report(list, "").OK())
}

func TestWaiversThatExpire(t *testing.T) {
	list, err := cover.ParseWaivers("w", []byte("nak until=2026-11-29 # not yet\nwindow # far too much\n"))
	require.NoError(t, err)
	assert.Empty(t, cover.New().Report(list, "2026-11-29").Stale)
	r := cover.New().Report(list, "2026-11-30")
	assert.Equal(t, []string{"w:1: nak until=2026-11-29: expired on 2026-11-29"}, r.Stale)
	assert.Contains(t, r.Empty, "nak syndrome=rnr")
	_, err = cover.ParseWaivers("w", []byte("window until=2026-13-01 # no such day\n"))
	assert.ErrorContains(t, err, `w:1: "until=2026-13-01": want a day such as until=2006-01-02`)
}
