package shrink

import (
	"slices"

	"metaroce/tandem/vectors/scenario"
)

// swaps are ways to come with a short tail to what took many packets: each has something else in their place. They are for
// the shortest tail alone, behind its variants, since most failures need none of them.
//
//	again   what rows hold from before: messages that are begun and not ended, their streams opened again in the same
//	        place, and the tail, or such messages once more
//	big     room: packets as long as they may be, with time between them to give back what they took
//	sends   completions: each packet a message of its own with a receive, while all ports are held up, or one of them
func swaps(list lines) []lines {
	dense := drop(list, func(x spot) bool { return slices.Contains(loose, x.name) })
	first := max(slices.IndexFunc(dense, isPacket), 0)
	front, tail := dense[:first], dense[first:]
	again := change(forEach(tail, "stream"), func(_ int, l scenario.Stmt) scenario.Stmt {
		l.Args = append(slices.Clone(l.Args), &scenario.Arg{Key: "msn", Op: "=", Val: "+0"})
		return l
	})
	all := []lines{
		slices.Concat(front, begun(tail), again, tail),
		slices.Concat(front, begun(tail), again, begun(tail)),
		slices.Concat(front, alone(tail, longest, written)),
	}
	whole := alone(sends(tail), "64", "")
	for _, held := range []lines{pressure, pressure[:1], pressure[1:2], pressure[2:]} {
		all = append(all, slices.Concat(front, forEach(tail, "recv"), held, whole))
	}
	return all
}

// Bytes of the longest payload of a packet (constant max_payload), and cycles in which it is written.
const longest, written = "9000", "400"

// parts is what packets say of the part of a message that they are.
var parts = []string{"bytes", "length", "offset", "msn", "recv", "L"}

// ofMessage says whether a line is a packet with a part of a message.
func ofMessage(l *scenario.Stmt) bool {
	_, has := value(l, "bytes")
	return has && isPacket(l) && about(l).stream != ""
}

// alone makes each packet of a message one of its own, of so many bytes, so many cycles behind the one before.
func alone(tail lines, bytes, gap string) lines {
	return change(tail, func(_ int, l scenario.Stmt) scenario.Stmt {
		if !ofMessage(&l) {
			return l
		}
		l = without(l, func(a *scenario.Arg) bool { return !slices.Contains(parts, a.Key) && !slices.Contains(parts, a.Val) })
		l.Args = append(l.Args, &scenario.Arg{Key: "bytes", Op: "=", Val: bytes})
		if gap != "" {
			l.Gap = &scenario.Arg{Val: gap}
		}
		return l
	})
}

// begun makes each packet of a message one that more would have to follow.
func begun(tail lines) lines {
	return change(tail, func(_ int, l scenario.Stmt) scenario.Stmt {
		if _, more := value(&l, "length"); !more && ofMessage(&l) {
			l.Args = append(slices.Clone(l.Args), &scenario.Arg{Key: "length", Op: "=", Val: longest})
		}
		return l
	})
}

// sends makes Sends of packets of messages.
func sends(tail lines) lines {
	return change(tail, func(_ int, l scenario.Stmt) scenario.Stmt {
		if ofMessage(&l) {
			l.Word = "send"
			l = without(l, func(a *scenario.Arg) bool {
				return slices.Contains([]string{"conn", "path", "stream", "msn", "bytes"}, a.Key)
			})
		}
		return l
	})
}

// forEach has a line of a word for each stream that packets of messages are of: `stream` opens it again, with another life,
// `recv` posts receives.
func forEach(tail lines, word string) lines {
	var out lines
	var names []string
	for _, l := range tail {
		x := about(l)
		if name := within(x.conn, x.stream); ofMessage(l) && !slices.Contains(names, name) {
			names = append(names, name)
			out = append(out, &scenario.Stmt{Word: word, Args: []*scenario.Arg{{Val: name}}})
		}
	}
	return out
}

// passing stands for what has to come behind something that is owed until it is late: more transactions than any bound
// that is counted in them (model/conn), and a register that is read behind any that is counted in cycles.
func passing(list lines) lines {
	last := len(list) - 1
	for last >= 0 && !ofMessage(list[last]) {
		last--
	}
	if last < 0 {
		return nil
	}
	return append(slices.Repeat(list[last:last+1], 20),
		&scenario.Stmt{Word: "wait", Args: []*scenario.Arg{{Val: "5000"}}}, &scenario.Stmt{Word: "read", Args: []*scenario.Arg{{Val: "id"}}})
}
