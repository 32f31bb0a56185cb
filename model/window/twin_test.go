package window_test

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// twin is the receive window written down the obvious way: the set of all packets that ever came, and serial numbers
// that do not wrap.
type twin struct {
	start   int64 // first psn
	came    map[int64]bool
	high    int64 // highest that was new; start-1: none
	highTsn uint32
	highOK  bool
	epoch   uint8
	ce      bool
}

func newTwin(start int64, tsn uint32, epoch uint8) *twin {
	return &twin{start: start, came: map[int64]bool{}, high: start - 1, highTsn: tsn - 1, epoch: epoch}
}

// cum is the first packet that did not come.
func (w *twin) cum() int64 {
	c := w.start
	for w.came[c] {
		c++
	}
	return c
}

// vector is what an acknowledgement shows.
func (w *twin) vector() (v wire.Bitmap256) {
	cum := w.cum()
	for i := range int64(256) {
		if w.came[cum+i] {
			v.Set(uint32(i))
		}
	}
	return v
}

type verdict struct {
	class                                 event.Class
	ackNow, ackCount, gapShown, gapFilled bool
}

// packet takes packet n, whose epoch stands rel behind (0: same, 1: next) the twin's.
func (w *twin) packet(n int64, tsn uint32, epoch uint8, ce, a, d, l bool) (v verdict) {
	cum := w.cum()
	switch {
	case n < cum:
		v.class = event.ClassTooOld
	case n >= cum+256:
		v.class = event.ClassTooNew
		return v
	case w.came[n]:
		v.class = event.ClassDuplicate
	default:
		v.class = event.ClassNew
	}
	known := epoch == w.epoch || epoch == (w.epoch+1)%16
	if !d && known {
		if epoch != w.epoch || !w.highOK || int32(tsn-w.highTsn) > 0 {
			w.highTsn = tsn
		}
		w.epoch, w.highOK = epoch, true
	}
	changed := ce != w.ce
	w.ce = ce
	if v.class != event.ClassNew {
		v.ackNow = true
		return v
	}
	w.came[n] = true
	v.gapShown = !d && known && n > w.high+1
	v.gapFilled = n < w.high
	w.high = max(w.high, n)
	v.ackNow = v.gapShown || v.gapFilled || changed || a || l
	v.ackCount = !v.ackNow
	return v
}
