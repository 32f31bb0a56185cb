package workload

import (
	"strconv"
	"strings"
)

// Format writes the graph as a trace that Parse reads back: same hosts, messages and dependencies.
func Format(g *Graph) string {
	f := formatter{g: g, named: make([]bool, len(g.message))}
	for tag := range g.message {
		f.spans(uint32(tag), func(first, last uint32) { f.named[first], f.named[last] = true, true })
	}
	f.b.WriteString("hosts " + strconv.Itoa(g.hosts) + "\n")
	for tag := range g.message {
		f.message(uint32(tag))
	}
	return f.b.String()
}

type formatter struct {
	g     *Graph
	b     strings.Builder
	named []bool // some line waits for it by its name
}

// spans calls f with the runs of consecutive tags that a message waits for. Runs of two are two names.
func (f *formatter) spans(tag uint32, with func(first, last uint32)) {
	after := f.g.After(tag)
	for i := 0; i < len(after); {
		end := i + 1
		for end < len(after) && after[end] == after[end-1]+1 {
			end++
		}
		if end-i == 2 {
			end--
		}
		with(after[i], after[end-1])
		i = end
	}
}

// name is the one that a text gave; else m and the tag where a line needs one. No text has both: what a text leaves
// without a name cannot be waited for.
func (f *formatter) name(tag uint32) string {
	if f.g.names != nil && f.g.names[tag] != "" {
		return f.g.names[tag]
	}
	if f.named[tag] {
		return "m" + strconv.Itoa(int(tag))
	}
	return ""
}

func (f *formatter) message(tag uint32) {
	m := &f.g.message[tag]
	f.b.WriteString("message")
	if name := f.name(tag); name != "" {
		f.b.WriteString(" " + name)
	}
	f.pair("from", strconv.Itoa(int(m.Src)))
	f.pair("to", strconv.Itoa(int(m.Dst)))
	f.pair("bytes", formatCount(m.Bytes))
	if m.Stream > 0 {
		f.pair("stream", strconv.Itoa(int(m.Stream)))
	}
	if at := f.g.at[tag]; at > 0 {
		f.pair("at", at.String())
	}
	separator := " after="
	f.spans(tag, func(first, last uint32) {
		f.b.WriteString(separator + f.name(first))
		if last > first {
			f.b.WriteString(".." + f.name(last))
		}
		separator = ","
	})
	if delay := f.g.delay[tag]; delay > 0 {
		f.pair("delay", delay.String())
	}
	f.b.WriteString("\n")
}

func (f *formatter) pair(key, value string) { f.b.WriteString(" " + key + "=" + value) }
