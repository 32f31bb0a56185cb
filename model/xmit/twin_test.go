package xmit_test

import (
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/xmit"
)

// item is one packet of the twin.
type item struct {
	psn, tsn, sent, part uint32
	message              uint16
	carrier              uint8
}

// twin is the lists of a path written down the obvious way: slices of packets.
type twin struct {
	home             uint8
	nextPsn, nextTsn uint32
	lists            [4][]item // by number; 0 is not used
}

func (w *twin) all() []item { return slices.Concat(w.lists[1], w.lists[2], w.lists[3]) }

// free says whether no packet in use has the record of psn.
func (w *twin) free(psn uint32) bool {
	return !slices.ContainsFunc(w.all(), func(i item) bool { return i.psn%256 == psn%256 })
}

func (w *twin) pop(list uint8) item {
	i := w.lists[list][0]
	w.lists[list] = w.lists[list][1:]
	return i
}

func (w *twin) tsn() uint32 {
	w.nextTsn++
	return w.nextTsn - 1
}

// step returns the psn and tsn that out must have.
func (w *twin) step(op uint8, in *event.XmitIn) (psn, tsn uint32) {
	switch op {
	case event.XmitFirst:
		i := item{psn: w.nextPsn, tsn: w.tsn(), sent: in.Now, part: in.Part, message: in.Message, carrier: w.home}
		w.nextPsn++
		w.lists[xmit.Live] = append(w.lists[xmit.Live], i)
		return i.psn, i.tsn
	case event.XmitAgain:
		i := w.pop(xmit.Lost)
		i.tsn, i.sent, i.carrier = w.tsn(), in.Now, w.home
		w.lists[xmit.Live] = append(w.lists[xmit.Live], i)
		return i.psn, i.tsn
	case event.XmitDetour:
		i := w.pop(xmit.Lost)
		i.sent, i.carrier = in.Now, in.Carrier
		w.lists[xmit.Away] = append(w.lists[xmit.Away], i)
		return i.psn, i.tsn
	case event.XmitFlush:
		return 0, w.tsn()
	case event.XmitFree:
		return w.pop(in.List).psn, 0
	case event.XmitLose:
		i := w.pop(in.List)
		w.lists[xmit.Lost] = append(w.lists[xmit.Lost], i)
		return i.psn, 0
	case event.XmitKeep:
		i := w.pop(in.List)
		w.lists[in.List] = append(w.lists[in.List], i)
		return i.psn, 0
	default: // retire
		i := w.pop(xmit.Live)
		i.sent = in.Now
		w.lists[xmit.Away] = append(w.lists[xmit.Away], i)
		return i.psn, 0
	}
}

// old counts what away has of an epoch before.
func (w *twin) old() (n uint16) {
	for _, i := range w.lists[xmit.Away] {
		if i.carrier == w.home {
			n++
		}
	}
	return n
}
