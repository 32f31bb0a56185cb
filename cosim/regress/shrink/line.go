package shrink

import (
	"slices"
	"strings"

	"metaroce/tandem/vectors/scenario"
)

// value is what a line says of a key.
func value(s *scenario.Stmt, key string) (string, bool) {
	for _, a := range s.Args {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// bare is the n-th word without a key, "" where there is none.
func bare(s *scenario.Stmt, n int) string {
	for _, a := range s.Args {
		if a.Key != "" {
			continue
		}
		if n == 0 {
			return a.Val
		}
		n--
	}
	return ""
}

// subject is what a line is about: a thing by its name, as lines call it, "" where the line is about none.
type subject struct{ conn, path, stream, region string }

// about finds the things that a line is about. Packets have a path, and a stream where they are of one.
func about(s *scenario.Stmt) subject {
	switch s.Word {
	case "conn":
		return subject{conn: bare(s, 0)}
	case "key":
		conn, ok := value(s, "conn")
		return subject{conn: or(conn, ok, "0"), region: bare(s, 0)}
	case "path", "epoch":
		conn, path, _ := strings.Cut(bare(s, 0), ".")
		return subject{conn: conn, path: path}
	case "stream", "recv", "close":
		conn, stream, _ := strings.Cut(bare(s, 0), ".")
		return subject{conn: conn, stream: stream}
	case "clear":
		what, name := bare(s, 0), bare(s, 1)
		if what == "key" {
			return subject{region: name}
		}
		conn, stream, _ := strings.Cut(name, ".")
		return subject{conn: conn, stream: stream}
	}
	if isPacket(s) {
		return packet(s)
	}
	return subject{}
}

// isPacket says whether a line sends a packet of which more is known than its bytes.
func isPacket(s *scenario.Stmt) bool {
	switch s.Word {
	case "conn", "key", "path", "epoch", "stream", "recv", "close", "clear", "wait", "memory", "stall", "ports", "set", "read", "command", "raw":
		return false
	}
	return true
}

func packet(s *scenario.Stmt) subject {
	x := subject{}
	for _, k := range []struct {
		key string
		to  *string
	}{{"conn", &x.conn}, {"path", &x.path}} {
		v, ok := value(s, k.key)
		*k.to = or(v, ok, "0")
	}
	if _, of := value(s, "msn"); of {
		v, ok := value(s, "stream")
		x.stream = or(v, ok, "0")
	}
	x.region, _ = value(s, "key")
	return x
}

func or(v string, ok bool, def string) string {
	if ok {
		return v
	}
	return def
}

// within is a thing of a connection, as one word.
func within(conn, thing string) string {
	if thing == "" {
		return ""
	}
	return conn + "." + thing
}

// groupings are the ways in which lines belong together. Lines with "" belong to no group and stay.
var groupings = []func(*scenario.Stmt) string{
	func(s *scenario.Stmt) string { return about(s).conn },
	func(s *scenario.Stmt) string { x := about(s); return within(x.conn, x.path) },
	func(s *scenario.Stmt) string { x := about(s); return within(x.conn, x.stream) },
	func(s *scenario.Stmt) string { return about(s).region },
	func(s *scenario.Stmt) string {
		switch s.Word {
		case "stall", "memory", "read", "set", "raw", "ports", "command":
			return s.Word
		case "wait":
			return "wait " + bare(s, 0)
		}
		return ""
	},
}

// groups leaves out what belongs together: of each sort of group first all but the one that the last packet is of, since
// that is mostly where it failed.
func (s *search) groups() {
	for _, group := range groupings {
		all := s.best
		names := namesOf(all, group)
		some := func(stay ...string) lines {
			var list lines
			for _, l := range all {
				if g := group(l); g == "" || slices.Contains(stay, g) {
					list = append(list, l)
				}
			}
			return list
		}
		if last := lastOf(all, group); len(names) > 1 && last != "" && s.try(some(last)) {
			continue
		}
		s.minimal(len(names), func(keep []int) lines {
			var stay []string
			for _, i := range keep {
				stay = append(stay, names[i])
			}
			return some(stay...)
		})
	}
}

func namesOf(list lines, group func(*scenario.Stmt) string) (names []string) {
	for _, l := range list {
		if n := group(l); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// lastOf is the group of the last packet.
func lastOf(list lines, group func(*scenario.Stmt) string) string {
	for i := len(list) - 1; i >= 0; i-- {
		if isPacket(list[i]) {
			return group(list[i])
		}
	}
	return ""
}
