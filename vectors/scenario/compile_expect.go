package scenario

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/observe"
)

// expect turns every comparison of a line into an expectation. Serial numbers "+N" count from the first values that
// hold where the line stands.
func (c *compiler) expect(a *args) {
	if len(a.stmt.Args) == 0 {
		c.rep.add(a.stmt.Pos, "comparisons such as completions=3", "expects nothing")
	}
	for _, g := range a.stmt.Args {
		if g.Key == "" {
			c.rep.add(g.Pos, "NAME=N, NAME>=N or NAME<=N", "%q", g.Val)
			continue
		}
		e := observe.Expectation{Where: fmt.Sprintf("%s:%d:%d", c.rep.file, g.Pos.Line, g.Pos.Col), Text: g.Key + g.Op + g.Val}
		if c.expectation(a, g, &e) {
			c.out.Expect = append(c.out.Expect, e)
		}
	}
}

func (c *compiler) expectation(a *args, g *Arg, e *observe.Expectation) bool {
	name, index, field, indexed := indexName(g.Key)
	if !indexed {
		return c.expectCount(a, g, e)
	}
	at := Pos{g.Pos.Line, g.Pos.Col + len(name) + 1}
	ref := &Arg{Pos: at, ValPos: at, Val: index}
	if name == "read" {
		addr, _ := c.readable(a, ref)
		e.What, e.Row, e.Name = observe.Read, uint32(addr), index
		return c.bounds(a, g, e, nil)
	}
	conn, n, ok := c.pair(a, ref, "n")
	if !ok {
		return false
	}
	switch name {
	case "window", "ack":
		if n >= uint64(len(conn.Paths)) {
			c.rep.refer(at, "a path of the connection", "path %d of %d", n, len(conn.Paths))
			return false
		}
		e.Row, e.Name = conn.Index<<8|uint32(n), field
		return c.expectPath(a, g, e, name, conn.Paths[n])
	case "stream":
		if n >= uint64(len(conn.Streams)) {
			c.rep.refer(at, "a stream of the connection", "stream %d of %d", n, len(conn.Streams))
			return false
		}
		e.Row, e.Name = uint32(conn.Streams[n].Row), field
		return c.expectStream(a, g, e, conn.Streams[n])
	}
	c.rep.add(g.Pos, "window[C.P].FIELD, ack[C.P].FIELD, stream[C.S].FIELD or read[REGISTER]", "%q", g.Key)
	return false
}

// indexName takes "name[index].field" apart.
func indexName(key string) (name, index, field string, ok bool) {
	open, shut := strings.IndexByte(key, '['), strings.LastIndexByte(key, ']')
	if open < 0 || shut < open {
		return key, "", "", false
	}
	return key[:open], key[open+1 : shut], strings.TrimPrefix(key[shut+1:], "."), true
}

func (c *compiler) expectCount(a *args, g *Arg, e *observe.Expectation) bool {
	if g.Key == "mem" {
		word, ok := a.choice(g, "ok", "none")
		e.What = observe.MemoryOK
		if word == "none" {
			e.What = observe.MemoryNil
		}
		if g.Op != "=" {
			c.rep.add(g.Pos, "mem=ok or mem=none", "mem with operator %q", g.Op)
		}
		return ok
	}
	if !countKnown(g.Key) {
		c.rep.add(g.Pos, "a count such as "+nearCounts(g.Key), "unknown count %q", g.Key)
		return false
	}
	e.What, e.Name = observe.Count, g.Key
	return c.bounds(a, g, e, nil)
}

func countKnown(name string) bool {
	if observe.CountText[name] != "" {
		return true
	}
	family, member, ok := strings.Cut(name, ".")
	return ok && slices.Contains(observe.CountFamilies()[family], member)
}

// nearCounts lists the members of a family, the counts near to a mistyped name, or all.
func nearCounts(typed string) string {
	family, _, _ := strings.Cut(typed, ".")
	var names []string
	for _, m := range observe.CountFamilies()[family] {
		names = append(names, family+"."+m)
	}
	if names == nil {
		for n := range observe.CountText {
			if distance(n, typed) <= 2 {
				names = append(names, n)
			}
		}
	}
	if names == nil {
		for n := range observe.CountText {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

func (c *compiler) expectPath(a *args, g *Arg, e *observe.Expectation, name string, p *compose.Path) bool {
	fields := observe.RowFields(event.KindWindow)
	e.What = observe.Window
	if name == "ack" {
		e.What = observe.Ack
		if e.Name == "sack" {
			return c.sack(a, g, e)
		}
		fields = observe.AckFields()
	}
	if !c.field(g, e.Name, fields) {
		return false
	}
	var first *uint32
	switch e.Name {
	case "cum", "high_psn", "last_psn", "echo_psn":
		first = &p.Psn0
	case "high_tsn":
		first = &p.Tsn0
	}
	return c.bounds(a, g, e, first)
}

func (c *compiler) field(g *Arg, name string, known []string) bool {
	if slices.Contains(known, name) {
		return true
	}
	c.rep.add(g.Pos, "one of the fields "+strings.Join(known, ", "), "field %q", name)
	return false
}

func (c *compiler) sack(a *args, g *Arg, e *observe.Expectation) bool {
	e.What, e.Sack = observe.AckSack, &wire.Bitmap256{}
	if g.Val == "none" {
		return true
	}
	list := (&args{values: a.values, keys: map[string]*Arg{"sack": g}}).list("sack", 255)
	for _, n := range list {
		e.Sack.Set(uint32(n))
	}
	return list != nil
}

func (c *compiler) expectStream(a *args, g *Arg, e *observe.Expectation, s *compose.Stream) bool {
	message, complete := observe.RowFields(event.KindMessage), observe.RowFields(event.KindComplete)
	e.What = observe.Message
	if !slices.Contains(message, e.Name) && slices.Contains(complete, e.Name) {
		e.What = observe.Complete
	}
	if !c.field(g, e.Name, observe.StreamFields()) {
		return false
	}
	if e.Name == "error" {
		for syn := wire.SyndromeNone; syn <= wire.SyndromeRemoteOp; syn++ {
			if syn.String() == g.Val {
				e.Lo, e.Hi = uint64(syn), uint64(syn)
				return true
			}
		}
	}
	var first *uint32
	if e.Name == "completed" || e.Name == "err_msn" {
		first = &s.Msn0
	}
	return c.bounds(a, g, e, first)
}

// bounds reads "N", "N..M" or, where there is a first serial number to count from, "+N" and "-N" behind an operator.
func (c *compiler) bounds(a *args, g *Arg, e *observe.Expectation, first *uint32) bool {
	var lo, hi uint64
	if strings.HasPrefix(g.Val, "+") || strings.HasPrefix(g.Val, "-") {
		if first == nil {
			c.rep.add(g.ValPos, "N or N..N: this is no serial number", "%q", g.Val)
			return false
		}
		lo = uint64(a.serialArg(g, g.Key, *first, 0, 32))
		hi = lo
	} else {
		var ok bool
		if lo, hi, ok = a.rng(g.Val, g.ValPos); !ok {
			return false
		}
	}
	e.Lo, e.Hi = lo, hi
	switch g.Op {
	case ">=":
		e.Hi = 1<<64 - 1
	case "<=":
		e.Lo = 0
	}
	return true
}
