package workload

import (
	"cmp"
	"slices"
	"strings"

	"metaroce/tandem/model/sim"
)

// Parse reads a trace. The error is Mistakes: all of them, in the order of the text. docs/workloads.md has the form.
func Parse(file, text string) (*Graph, error) {
	p := &parser{mistakes: mistakes{file: file}, g: newGraph(0, 0), hosts: MaxHosts, line: map[string]int{}, tag: map[string]uint32{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if len(line) > maxLine {
			p.add(Pos{number, maxLine + 1}, "at most 65536 bytes in a line", "the line has %d bytes", len(line))
			break
		}
		if p.statement(words(line, number)); p.full() {
			break
		}
	}
	p.dangling()
	if len(p.list) == 0 && len(p.g.message) == 0 {
		p.add(Pos{max(number, 1), 1}, "at least one line: message from=0 to=1 bytes=64k", "the trace has no message")
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.g, nil
}

type parser struct {
	mistakes
	g      *Graph
	hosts  int  // that the text allows
	stated bool // by a line
	line   map[string]int
	tag    map[string]uint32
	open   []word // names that no line before had
}

var (
	statements = []string{"hosts", "message"}
	keys       = []string{"from", "to", "bytes", "stream", "at", "after", "delay"}
)

func (p *parser) statement(line []word) {
	if len(line) == 0 {
		return
	}
	switch first := line[0]; {
	case first.key == "" && first.value == "hosts":
		p.hostsLine(line)
	case first.key == "" && first.value == "message":
		p.message(line)
	default:
		word := first.value
		if first.key != "" {
			word = first.key
		}
		p.add(first.at, "message or hosts"+near(word, statements), "%q begins no statement", word)
	}
}

// hostsLine says how many hosts there are. It stands above the messages, so that each can be held to it.
func (p *parser) hostsLine(line []word) {
	switch {
	case p.stated:
		p.add(line[0].at, "", "hosts is said a second time")
	case len(p.g.message) > 0:
		p.add(line[0].at, "it above the first message", "hosts stands behind a message")
	case len(line) != 2 || line[1].key != "":
		p.add(line[0].at, "hosts and a number, 2..65536", "hosts has %d words behind it", len(line)-1)
	default:
		if n, ok := p.count(line[1], 2, MaxHosts); ok {
			p.hosts, p.g.hosts = int(n), int(n)
		}
	}
	p.stated = true
}

// count reads a number in a range.
func (p *parser) count(w word, lo, hi uint64) (uint64, bool) {
	n, ok := parseCount(w.value)
	if !ok || n < lo || n > hi {
		p.add(w.in, rangeText(lo, hi), "%s is %q", cmp.Or(w.key, "hosts"), w.value)
		return 0, false
	}
	return n, true
}

func rangeText(lo, hi uint64) string {
	return "a number, " + formatCount(lo) + ".." + formatCount(hi)
}

// message reads a line. Its name counts even where the line is wrong: else every line that waits for it is wrong, too.
func (p *parser) message(line []word) {
	name, given, ok := p.pairs(line)
	s := step{}
	src, fine := p.required(given, "from", line[0].at, 0, uint64(p.hosts-1))
	dst, fineToo := p.required(given, "to", line[0].at, 0, uint64(p.hosts-1))
	if fine && fineToo && src == dst {
		p.add(given["to"].in, "another host than from", "host %d sends to itself", dst)
	}
	s.src, s.dst = int(src), int(dst)
	s.bytes, _ = p.required(given, "bytes", line[0].at, 1, MaxBytes)
	if w, has := given["stream"]; has {
		stream, _ := p.count(w, 0, MaxHosts-1)
		s.stream = int(stream)
	}
	s.at, s.delay = p.time(given, "at"), p.time(given, "delay")
	after := p.after(given)
	if w, has := given["delay"]; has {
		if _, has := given["after"]; !has {
			p.add(w.at, "after=NAME on the same line, or at=TIME", "delay counts from what a message waits for, and this one waits for nothing")
		}
	}
	switch {
	case len(p.g.message) == MaxMessages:
		p.add(line[0].at, "", "more than %d messages", MaxMessages)
	case len(p.g.after)+len(after) > maxEdges:
		p.add(given["after"].at, "", "messages wait more than %d times for others", maxEdges)
	default:
		p.append(name, s, after, ok)
	}
}

func (p *parser) append(name word, s step, after []uint32, ok bool) {
	tag := p.g.add(s, after...)
	p.g.names = append(p.g.names, name.value)
	if !p.stated {
		p.g.hosts = max(p.g.hosts, s.src+1, s.dst+1)
	}
	if ok && name.value != "" {
		p.tag[name.value] = tag
	}
}

// pairs takes a line apart: the name of the message, and its values by key. ok says whether the name can be used.
func (p *parser) pairs(line []word) (name word, given map[string]word, ok bool) {
	given = map[string]word{}
	for i, w := range line[1:] {
		_, twice := given[w.key]
		switch {
		case w.key == "" && i == 0:
			name, ok = w, p.name(w)
		case w.key == "" && w.value != "" && w.value[0] != '=':
			p.add(w.at, "one name, then pairs such as bytes=64k", "%q is no pair", w.value)
		case !slices.Contains(keys, w.key):
			p.add(w.at, strings.Join(keys, ", ")+near(w.key, keys), "a message has no %q", w.key)
		case twice:
			p.add(w.at, "", "%s is said a second time", w.key)
		default:
			given[w.key] = w
		}
	}
	return name, given, ok
}

func (p *parser) name(w word) bool {
	if !isName(w.value) {
		p.add(w.at, "a letter, then letters, digits, _ and -", "%q is no name", w.value)
		return false
	}
	if line, twice := p.line[w.value]; twice {
		p.add(w.at, "", "the message of line %d is called %s, too", line, w.value)
		return false
	}
	p.line[w.value] = w.at.Line
	return true
}

func (p *parser) required(given map[string]word, key string, at Pos, lo, hi uint64) (uint64, bool) {
	w, has := given[key]
	if !has {
		p.add(at, key+"=, "+rangeText(lo, hi), "the message has no %s", key)
		return 0, false
	}
	return p.count(w, lo, hi)
}

func (p *parser) time(given map[string]word, key string) sim.Picos {
	w, has := given[key]
	if !has {
		return 0
	}
	t, err := sim.ParsePicos(w.value)
	if err == nil && t <= MaxTime {
		return t
	}
	what := "longer than 2^53 ps"
	if err != nil {
		what = err.Error()
	}
	p.add(w.in, "a time such as 10us, 1.5ms or 0", "%s: %s", key, what)
	return 0
}

// after reads names and ranges of names of messages on lines before.
func (p *parser) after(given map[string]word) []uint32 {
	w, has := given["after"]
	if !has {
		return nil
	}
	var tags []uint32
	seen := map[uint32]bool{}
	col := w.in.Col
	for _, piece := range strings.Split(w.value, ",") {
		at := Pos{w.in.Line, col}
		col += len(piece) + 1
		first, last, isRange := strings.Cut(piece, "..")
		lo, ok := p.reference(first, at)
		hi := lo
		if isRange {
			var fine bool
			hi, fine = p.reference(last, Pos{at.Line, at.Col + len(first) + 2})
			ok = ok && fine
		}
		if ok && hi < lo {
			p.add(at, "the earlier one first", "%s stands above %s", last, first)
			continue
		}
		for tag := lo; ok && tag <= hi; tag++ {
			if seen[tag] {
				p.add(at, "", "a message before this is named a second time")
				break
			}
			seen[tag] = true
			tags = append(tags, tag)
		}
	}
	return tags
}

func (p *parser) reference(name string, at Pos) (uint32, bool) {
	if tag, ok := p.tag[name]; ok {
		return tag, true
	}
	p.open = append(p.open, word{value: name, at: at})
	return 0, false
}

// dangling says of every name that no line before had what is wrong with it.
func (p *parser) dangling() {
	var names []string
	for name := range p.line {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return p.line[a] - p.line[b] }) // one name a line
	for _, w := range p.open {
		line, later := p.line[w.value]
		switch {
		case !isName(w.value):
			p.add(w.at, "names with commas between them; first..last for all from one to another", "%q is no name", w.value)
		case later && line == w.at.Line:
			p.add(w.at, "", "%s waits for itself", w.value)
		case later && line > w.at.Line:
			p.add(w.at, "one on a line above: then nothing can wait for itself", "%s stands on line %d", w.value, line)
		case !later:
			p.add(w.at, "the name of a message above"+near(w.value, names), "no message is called %s", w.value)
		}
	}
}
