package vector

import (
	"context"
	"fmt"

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
	return fmt.Sprintf("vector %s hangs on time: without time and with it differ: %s; a wait for an idle device in front of it decides it", u.Name, u.Mismatches[0].String())
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
	if res := expect.Compare(&v.Want, seen); !res.Holds() {
		return fmt.Errorf("vector %s: the model breaks a predicate: %s", v.Name, res.Mismatches[0].String())
	}
	if bad, _, _ := watch.Check(false); len(bad) > 0 {
		return fmt.Errorf("%s: expected %s, saw %s", bad[0].Field, bad[0].Want, bad[0].Got)
	}
	for _, front := range [...]stimulus.List{nil, slow()} {
		if err := steady(ctx, v, front); err != nil {
			return err
		}
	}
	return nil
}

// slow holds up every port. Items of the vector that say otherwise come behind it and count.
func slow() stimulus.List {
	l := stimulus.List{{Kind: stimulus.KindLatency, Lo: 40, Hi: 400}}
	for p := stimulus.PortFrame; p <= stimulus.PortRegister; p++ {
		l = append(l, stimulus.Item{Kind: stimulus.KindStall, Port: p, Permille: 80, Run: 24})
	}
	return l
}

// steady runs a vector in cycles behind some items and holds it against what must be seen.
func steady(ctx context.Context, v *mrv.Vector, front stimulus.List) error {
	prog := v.Program()
	rec := expect.NewRecorder(len(prog.Frames), expect.Points(prog.Items), func(xid uint32) []byte { return prog.Frames[xid-1].Payload })
	watch := expect.NewWatch(v.Sees)
	p, ok := preset.ByName(v.Preset)
	if !ok {
		return fmt.Errorf("vector %s: preset %q", v.Name, v.Preset)
	}
	err := cycles(ctx, p, append(front, prog.Items...), v.Seed, func(b []byte) {
		rec.Observe(b)
		watch.Observe(b)
	})
	if err != nil {
		return fmt.Errorf("vector %s: %w", v.Name, err)
	}
	res := expect.CompareAll(&v.Want, rec.Seen(), mostUnstable)
	bad, _, _ := watch.Check(front == nil)
	all := append(res.Mismatches, bad...)
	if len(all) == 0 {
		return nil
	}
	u := &Unstable{Name: v.Name, Mismatches: all, frames: map[uint32]bool{}, reads: map[int]bool{}}
	for i := range all {
		switch m := &all[i]; {
		case m.Class == "read":
			u.reads[m.Segment] = true
		case m.Xid > 0 && m.Xid < expect.FirstCommand:
			u.frames[m.Xid] = true
		}
	}
	return u
}

// mostRounds bounds Settle: every round puts waits in front of frames that have none.
const mostRounds = 40

// Settle blesses a vector and puts a wait in front of every frame on which time decides, until none is left. It returns
// how many waits it put in.
func Settle(ctx context.Context, v *mrv.Vector) (waits int, err error) {
	for range mostRounds {
		err = Bless(ctx, v)
		u, ok := err.(*Unstable)
		if !ok {
			return waits, err
		}
		n := insertWaits(v, u)
		if n == 0 {
			return waits, err
		}
		waits += n
	}
	return waits, err
}

// insertWaits puts waits around what differs: in front of a frame and in front of the register access behind it, whose
// command may overtake it; in front of reads.
func insertWaits(v *mrv.Vector, u *Unstable) (n int) {
	prog := *v.Program()
	items := make([]mrv.Item, 0, len(v.Items)+len(u.frames))
	list := make(stimulus.List, 0, cap(items))
	idle := stimulus.Item{Kind: stimulus.KindWaitIdle}
	frame, behind := uint32(0), false
	points, segment := expect.Points(prog.Items), 0
	var now expect.Point
	for i := range v.Items {
		waited := len(list) == 0 || list[len(list)-1].Kind == stimulus.KindWaitIdle
		wait := false
		switch v.Items[i].Kind {
		case stimulus.KindFrame:
			frame++
			now.Frames++
			wait, behind = u.frames[frame], u.frames[frame]
		case stimulus.KindWrite:
			now.Accesses++
			wait, behind = behind, false
		case stimulus.KindRead:
			now.Accesses++
			wait, behind = u.reads[segment] && prog.Items[max(i-1, 0)].Kind != stimulus.KindRead || behind, false
		case stimulus.KindWaitIdle, stimulus.KindFault:
			if behind = false; segment < len(points) && points[segment] == now {
				segment++
			}
		}
		if wait && !waited {
			items, list = append(items, mrv.Item{Item: idle}), append(list, idle)
			n++
		}
		items, list = append(items, v.Items[i]), append(list, prog.Items[i])
	}
	prog.Items = list
	v.Replace(items, &prog)
	return n
}
