package scenario

import (
	"fmt"
	"sort"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/observe"
)

// order of the words in the reference.
var order = []struct {
	title string
	words []string
}{
	{"Set-up", []string{"title", "covers", "requires", "preset", "seed", "conn", "key", "recv", "path", "stream", "epoch"}},
	{"Commands and registers", []string{"close", "clear", "set", "read", "command"}},
	{"Packets", []string{"write", "write_imm", "send", "send_imm", "message", "again", "flush", "probe", "query", "read_request", "atomic_request"}},
	{"Packets that are not for the receiver", []string{"read_response", "atomic_response", "ack", "nak", "answer", "announce", "control"}},
	{"Frames of other kinds", []string{"garbage", "raw"}},
	{"Flow", []string{"repeat", "reorder", "lose", "wait", "ports"}},
	{"The bench", []string{"memory", "stall"}},
	{"What must have been seen", []string{"expect", "see"}},
}

// Reference is the list of all words, keys, mutations and counts as Markdown: a part of docs/scenarios.md.
func Reference() string {
	var b strings.Builder
	for _, g := range order {
		fmt.Fprintf(&b, "### %s\n\n", g.title)
		for _, word := range g.words {
			writeWord(&b, vocabulary[word])
		}
		b.WriteString("\n")
	}
	b.WriteString("### Keys that packets share\n\n")
	for _, g := range sharedKeys() {
		fmt.Fprintf(&b, "%s:\n\n", g.name)
		for _, k := range g.keys {
			fmt.Fprintf(&b, "- `%s=%s` %s\n", k.name, k.value, k.text)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "Flags: `%s`. `CE` is the mark of the IP header, `ipv6` and `vlan` are what the frame is carried in, the others are flags of the base header.\n\n", strings.Join(flagWords, "` `"))
	b.WriteString("### Mutations (`bad=`)\n\n| name | what is wrong | dropped as |\n|---|---|---|\n")
	for _, m := range compose.Mutations {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, m.Text, reasons(&m))
	}
	b.WriteString("\n### Counts\n\n| name | what |\n|---|---|\n")
	for _, n := range sorted(observe.CountText) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", n, observe.CountText[n])
	}
	families := observe.CountFamilies()
	for _, n := range sorted(families) {
		fmt.Fprintf(&b, "| `%s.` | by %s: %s |\n", n, familyText[n], strings.Join(families[n], ", "))
	}
	b.WriteString("\n### Fields\n\n")
	fmt.Fprintf(&b, "`window[C.P].`: %s. `stream[C.S].`: %s. `ack[C.P].`: %s, sack. `read[REGISTER]`: the value read last.\n",
		strings.Join(observe.RowFields(event.KindWindow), ", "), strings.Join(observe.StreamFields(), ", "), strings.Join(observe.AckFields(), ", "))
	return b.String()
}

var familyText = map[string]string{"drops": "reason", "class": "class of the window step", "verdict": "verdict of the message table", "naks": "syndrome",
	"nak_replies": "syndrome on the wire", "key": "outcome of the key check", "recv": "outcome of the match", "completions": "opcode", "built": "what made the ACK builder build"}

func reasons(m *compose.Mutation) string {
	if m.IPv4 == m.IPv6 {
		return m.IPv4.String()
	}
	if m.IPv6 == event.ReasonNone {
		return m.IPv4.String() + "; not over IPv6"
	}
	return m.IPv4.String() + "; over IPv6 " + m.IPv6.String()
}

func sorted[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// keyGroup is a list of keys that several words have.
type keyGroup struct {
	name string
	keys []keySpec
}

func sharedKeys() []keyGroup {
	return []keyGroup{{"Frame", frameKeys}, {"Serial numbers", psnKeys}, {"Message", messageKeys}, {"Target", targetKeys}, {"Receive", matchKeys}, {"Immediate", immKeys}}
}

// writeWord writes a word with its own keys, and names the lists of shared keys that it has.
func writeWord(b *strings.Builder, w *wordSpec) {
	line := w.word
	for i, n := range w.bare {
		if i < w.least {
			line += " " + n
		} else {
			line += " [" + n + "]"
		}
	}
	if w.block {
		line += " ... end"
	}
	listed, has := map[string]bool{}, []string{}
	for _, g := range sharedKeys() {
		if w.packet && w.hasAll(g.keys) {
			has = append(has, strings.ToLower(g.name))
			for _, k := range g.keys {
				listed[k.name] = true
			}
		}
	}
	fmt.Fprintf(b, "- `%s`: %s.", line, w.text)
	if len(has) > 0 {
		fmt.Fprintf(b, " Shared keys: %s.", strings.Join(has, ", "))
	}
	b.WriteString("\n")
	for _, k := range w.keys {
		if !listed[k.name] {
			fmt.Fprintf(b, "  - `%s=%s` %s\n", k.name, k.value, k.text)
		}
	}
}

func (w *wordSpec) hasAll(keys []keySpec) bool {
	for i := range keys {
		if k := w.key(keys[i].name); k == nil || *k != keys[i] {
			return false
		}
	}
	return true
}
