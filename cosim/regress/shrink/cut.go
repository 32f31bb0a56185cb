package shrink

import (
	"cmp"
	"fmt"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/stimulus"
)

// Frames in the shortest tail that is tried, and how much longer each next one is.
const (
	shortest = 8
	longer   = 3
)

// cut makes the first text: of what is in front of the failure as short a tail as still fails, behind a set-up.
func (s *search) cut(p *compose.Program, seen *Seen) error {
	s.stage, s.until = "cut", s.share(4)
	places := placesOf(p)
	var last error
	for i, to := range places.ends(seen) {
		for j, from := range places.begins(to) {
			f, err := scenario.Lift(p, s.part(places, seen, from, to))
			if err != nil {
				last = err
				continue
			}
			tried := variants(f.Stmts)
			if others := swaps(f.Stmts); i == 0 && j == 0 && 4*len(others) <= s.until { // longer tails need runs as well
				tried = append(tried, others...)
			}
			for _, list := range tried {
				if s.try(list) {
					return nil
				}
			}
			last = nil
		}
	}
	switch {
	case s.over():
		return s.cause()
	case last != nil:
		return fmt.Errorf("it cannot be written as a text: %w", last)
	}
	return &Lost{Runs: s.runs, Last: "something else", What: "as a text, " + s.o.Want.String()}
}

// part says which items become lines, and where everything stood in front of them.
func (s *search) part(places *places, seen *Seen, from, to int) scenario.LiftOptions {
	o := scenario.LiftOptions{Params: s.o.Params, From: from, To: to}
	if t := seen.Trace; t != nil {
		frames, commands := places.count(from)
		o.Path = func(conn uint32, path uint8) (scenario.Window, bool) {
			return t.path(uint16(conn), path, frames, commands)
		}
		o.Stream = func(row uint16) (uint32, bool) { return t.stream(row, frames, commands) }
	}
	return o
}

// places are the items that have numbers.
type places struct {
	frames, commands []int // items of frames, and those that start commands
	end              int
}

func placesOf(p *compose.Program) *places {
	x := &places{end: len(p.Items)}
	for i := range p.Items {
		switch it := &p.Items[i]; {
		case it.Kind == stimulus.KindFrame:
			x.frames = append(x.frames, i)
		case it.Kind == stimulus.KindWrite && it.Addr == event.RegCmdOp && isCommand(it.Value):
			x.commands = append(x.commands, i)
		}
	}
	return x
}

// isCommand says whether a number that is written to CMD_OP starts a command.
func isCommand(number uint32) bool {
	return slices.ContainsFunc(event.Commands, func(c event.CommandInfo) bool { return uint32(c.Command) == number })
}

// count is how many frames and commands stand in front of an item.
func (x *places) count(item int) (frames, commands uint32) {
	f, _ := slices.BinarySearch(x.frames, item)
	c, _ := slices.BinarySearch(x.commands, item)
	return uint32(f), uint32(c)
}

// behind is the place behind a transaction, by its number in a Trace; 0 where it has no item.
func (x *places) behind(number uint32) int {
	list, n := x.frames, int64(number)
	if number >= commandBit {
		list, n = x.commands, int64(number-commandBit)
	}
	if n < 1 || n > int64(len(list)) {
		return 0
	}
	return list[n-1] + 1
}

// ends are the places where the stimulus may end: behind the transaction that failed, behind all that had entered then, and
// where it does end.
func (x *places) ends(seen *Seen) []int {
	t := cmp.Or(seen.Trace, &Trace{})
	ends := []int{x.behind(t.number(seen.Xid)), max(x.behind(t.frames), x.behind(commandBit+t.commands)), x.end}
	return slices.Compact(slices.DeleteFunc(ends, func(n int) bool { return n == 0 }))
}

// begins are the places where it may begin: the last few frames in front of an end, more and more of them, then all.
func (x *places) begins(to int) []int {
	var begins []int
	frames, _ := x.count(to)
	for n := shortest; n < int(frames); n *= longer {
		begins = append(begins, x.frames[int(frames)-n])
	}
	return append(begins, 0)
}
