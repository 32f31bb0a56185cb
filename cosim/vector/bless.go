package vector

import (
	"context"
	"fmt"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

// Unstable is a vector whose outcome hangs on time.
type Unstable struct {
	Name       string
	Mismatches []expect.Mismatch
	frames     map[uint32]bool // that differ
	reads      map[int]bool    // segments with a register value that differs
}

// Error names the first difference and the way out.
func (u *Unstable) Error() string {
	place := "in front of it"
	if u.Mismatches[0].Class == "read" {
		place += ", or of the write of that register before it,"
	}
	return fmt.Sprintf("vector %s hangs on time: without time and with it differ: %s; a wait for an idle device %s decides it", u.Name, u.Mismatches[0].String(), place)
}

// mostUnstable is how many differences are looked at in one go.
const mostUnstable = 100_000

// Bless fills in what must be seen: what the model without time shows. The model in cycles, ready at once and held up
// everywhere, must show the same.
func Bless(ctx context.Context, v *mrv.Vector) error {
	seen, watch, err := Run(ctx, v, Options{Target: Blocks})
	if err != nil {
		return fmt.Errorf("vector %s: %w", v.Name, err)
	}
	v.Want = seen.Set
	v.Want.Hints = expect.Hints(v.Program().Items)
	for i := range v.Want.Fates {
		if v.Want.Fates[i].Wrong {
			return fmt.Errorf("vector %s: the model writes other bytes to memory than frame %d carries", v.Name, i+1)
		}
	}
	if res := expect.Compare(&v.Want, seen); !res.Holds() {
		return fmt.Errorf("vector %s: the model breaks a predicate: %s", v.Name, res.Mismatches[0].String())
	}
	if bad, _, _ := watch.Check(false); len(bad) > 0 {
		return fmt.Errorf("%s: expected %s, saw %s", bad[0].Field, bad[0].Want, bad[0].Got)
	}
	return steadyAll(ctx, v)
}

// steadyAll holds a vector against runs of all sorts of time: as fast as the RTL is, held up everywhere, and with commands
// that overtake frames, and frames that overtake commands.
func steadyAll(ctx context.Context, v *mrv.Vector) error {
	p, ok := preset.ByName(v.Preset)
	if !ok {
		return fmt.Errorf("vector %s: preset %q", v.Name, v.Preset)
	}
	usual := pipe.DefaultLatency(p)
	late, early := usual, usual
	late.Parse, late.Command = usual.Parse+8, 1
	early.Parse, early.Command = 1, usual.Command+60
	items := v.Program().Items
	small := 40 // writes under way at most: a device with less depth than the RTL
	if heavy(items) {
		small = 2
	}
	for _, run := range []struct {
		latency  pipe.Latency
		inFlight int
		items    stimulus.List
		timed    bool
	}{{usual, 0, items, true}, {usual, small, slower(items), false}, {late, 0, items, false}, {early, 0, items, false}} {
		c := pipe.Config{Params: p, Latency: run.latency, InFlight: run.inFlight, Seed: v.Seed}
		if err := steady(ctx, v, c, run.items, run.timed); err != nil {
			return err
		}
	}
	return nil
}

// slower holds up every port but that of frames, by far more than the stimulus itself does: what has room then has room on
// other devices.
func slower(items stimulus.List) stimulus.List {
	held := heavy(items)
	l := stimulus.List{{Kind: stimulus.KindLatency, Lo: 40, Hi: 200}}
	if held {
		l[0].Lo, l[0].Hi = 1500, 2000
	}
	for p := stimulus.PortMemory; p <= stimulus.PortAck; p++ {
		l = append(l, stimulus.Item{Kind: stimulus.KindStall, Port: p, Permille: 60, Run: 16})
	}
	for _, it := range items {
		switch {
		case it.Kind == stimulus.KindLatency && !held:
			it.Lo, it.Hi = it.Lo+40, it.Hi*2+100
		case it.Kind == stimulus.KindLatency:
			it.Lo, it.Hi = 1500, 2000
		case it.Kind == stimulus.KindStall && (it.Port == stimulus.PortFrame || held && it.Port == stimulus.PortMemory):
			it.Permille = 0 // frames come as fast as they can; what the depth and the answers do is worse than any stall
		case it.Kind == stimulus.KindStall:
			it.Permille, it.Run = min(it.Permille*2+60, 900), it.Run*2+16
		}
		l = append(l, it)
	}
	return l
}

// heavy says whether memory is held up so much that room runs out, which it does elsewhere on every device: such vectors are
// held against a device that has next to none.
func heavy(items stimulus.List) bool {
	return slices.ContainsFunc(items, func(it stimulus.Item) bool {
		return it.Kind == stimulus.KindStall && it.Port == stimulus.PortMemory && it.Permille >= 100
	})
}

// steady runs a vector's stimulus, or a form of it with other times, in cycles and holds it against what must be seen.
func steady(ctx context.Context, v *mrv.Vector, c pipe.Config, items stimulus.List, timed bool) error {
	prog := v.Program()
	rec := expect.NewRecorder(len(prog.Frames), expect.Points(prog.Items), func(xid uint32) []byte { return prog.Frames[xid-1].Payload })
	watch := expect.NewWatch(v.Sees)
	err := cycles(ctx, c, items, func(b []byte) {
		rec.Observe(b)
		watch.Observe(b)
	})
	if err != nil {
		return fmt.Errorf("vector %s: %w", v.Name, err)
	}
	res := expect.CompareAll(&v.Want, rec.Seen(), mostUnstable)
	bad, _, _ := watch.Check(timed)
	all := append(res.Mismatches, bad...)
	if len(all) == 0 {
		return nil
	}
	u := &Unstable{Name: v.Name, Mismatches: all, frames: map[uint32]bool{}, reads: map[int]bool{}}
	for i := range all {
		switch m := &all[i]; {
		case m.Class == "read":
			u.reads[m.Segment] = true
		case m.Xid > 0 && m.Xid < expect.CommandBit:
			u.frames[m.Xid] = true
		}
	}
	return u
}

// Unsettled is a vector on which time decides wherever waits are put.
type Unsettled struct {
	*Unstable
	Waits int
}

// Error names the difference that is left and the way out.
func (u *Unsettled) Error() string {
	return fmt.Sprintf("vector %s hangs on time, and %d waits for an idle device do not settle it: %s; leave it to lockstep (tandem run), or change it: random traffic by another --seed or --limit, a text by hand",
		u.Name, u.Waits, u.Mismatches[0].String())
}

// Unwrap gives the differences.
func (u *Unsettled) Unwrap() error { return u.Unstable }

// mostRounds bounds Settle: every round puts waits in front of frames that have none.
const mostRounds = 40

// Settle blesses a vector and puts a wait in front of every frame on which time decides, until none is left. It returns
// how many waits it put in.
func Settle(ctx context.Context, v *mrv.Vector) (waits int, err error) {
	for round := 1; ; round++ {
		err = Bless(ctx, v)
		u, ok := err.(*Unstable)
		if !ok {
			return waits, err
		}
		n := 0
		for s := usually; s <= written && n == 0; s++ {
			n = insertWaits(v, u, s)
		}
		if n == 0 {
			return waits, &Unsettled{u, waits}
		}
		if waits += n; round == mostRounds {
			return waits, &Unsettled{u, waits}
		}
	}
}

// insertWaits puts waits around what differs: in front of a frame and in front of the register access behind it, whose
// command may overtake it; around reads, since frames behind one may be counted by it. Where a frame that differs has its
// wait already, a command before it has overtaken a frame before it: the latest place where that can be gets one. Where
// there is none, a frame has overtaken a command, and suspected of that the place gets one. Where reads have theirs, counters
// were written while they counted. Each suspicion comes last, since the waits that come before that stand in vectors that were
// made already.
func insertWaits(v *mrv.Vector, u *Unstable, s suspicion) (n int) {
	w := waiter{old: v.Program().Items, points: expect.Points(v.Program().Items), u: u, change: -1, overtake: -1, suspicion: s, quiet: true}
	for i := range v.Items {
		w.item(i, &v.Items[i])
	}
	prog := *v.Program()
	prog.Items = w.list
	v.Replace(w.items, &prog)
	return w.n
}

// suspicion is what else may have changed places with time.
type suspicion int

const (
	usually   suspicion = iota
	overtaken           // frames have overtaken commands
	written             // counters were written while something was on its way
)

type waiter struct {
	old     stimulus.List
	items   []mrv.Item
	list    stimulus.List
	n       int
	u       *Unstable
	points  []expect.Point
	now     expect.Point
	segment int
	behind  bool // a frame that differs, and no access since
	read    bool // a read that differs, and no frame since
	driven  stimulus.Kind
	change  int // place of the latest access that follows a frame with no wait between; -1: none

	suspicion suspicion
	overtake  int  // place of the latest frame that follows an access with no wait between; -1: none
	quiet     bool // nothing that counts is on its way: neither frame nor command since a wait
	set       bool // a counter was written since a wait
}

var idle = stimulus.Item{Kind: stimulus.KindWaitIdle}

func (w *waiter) item(i int, it *mrv.Item) {
	wait := false
	switch it.Kind {
	case stimulus.KindFrame:
		w.now.Frames++
		hit := w.u.frames[w.now.Frames]
		if hit && w.waited() {
			w.before()
		}
		wait, w.behind, w.read = hit || w.read || w.counts() && w.set, w.behind || hit, false
		if (w.driven == stimulus.KindWrite || w.driven == stimulus.KindRead) && !w.waited() && !wait {
			w.overtake = len(w.items)
		}
	case stimulus.KindWrite, stimulus.KindRead:
		w.now.Accesses++
		differs := it.Kind == stimulus.KindRead && w.u.reads[w.segment]
		wait, w.behind = differs && w.old[max(i-1, 0)].Kind != stimulus.KindRead || w.behind, false
		wait = wait || w.counts() && !w.quiet && setsCounter(&it.Item)
		w.read = w.read || differs
		if w.driven == stimulus.KindFrame && !w.waited() && !wait {
			w.change = len(w.items)
		}
	case stimulus.KindWaitIdle, stimulus.KindFault:
		w.behind, w.read, w.driven, w.quiet, w.set = false, false, 0, true, false
		if w.segment < len(w.points) && w.points[w.segment] == w.now {
			w.segment++
		}
	}
	if wait && !w.waited() {
		w.insert(len(w.items))
	}
	if it.Kind == stimulus.KindFrame || it.Kind == stimulus.KindWrite || it.Kind == stimulus.KindRead {
		w.driven = it.Kind
	}
	w.quiet = w.quiet && it.Kind != stimulus.KindFrame && (it.Kind != stimulus.KindWrite || it.Addr != event.RegCmdOp)
	w.set = w.set || setsCounter(&it.Item)
	w.items, w.list = append(w.items, *it), append(w.list, w.old[i])
}

// counts says whether counters are suspected to have been written while they counted.
func (w *waiter) counts() bool { return w.suspicion == written && len(w.u.reads) > 0 }

// setsCounter says whether an item writes a counter of what commits, or of confirmed commands.
func setsCounter(it *stimulus.Item) bool {
	return it.Kind == stimulus.KindWrite && (it.Addr == event.RegCmdDone || it.Addr >= event.RegDrops) // they are the last registers
}

// before puts a wait where what is in front of a frame that has its own may have changed places.
func (w *waiter) before() {
	switch {
	case w.change >= 0:
		w.insert(w.change)
	case w.suspicion == overtaken && w.overtake >= 0:
		w.insert(w.overtake)
	}
}

func (w *waiter) waited() bool {
	return len(w.list) == 0 || w.list[len(w.list)-1].Kind == stimulus.KindWaitIdle
}

func (w *waiter) insert(at int) {
	w.items = slices.Insert(w.items, at, mrv.Item{Item: idle})
	w.list = slices.Insert(w.list, at, idle)
	w.n++
	w.quiet, w.set = true, false
	w.change, w.overtake = -1, -1
}
