package scenario

import (
	"sort"
	"strings"
)

// keySpec is a key of a word.
type keySpec struct {
	name  string
	value string // how its value is written, for messages
	text  string
}

// wordSpec is what may stand on a line that starts with a word.
type wordSpec struct {
	word    string
	text    string
	bare    []string // names of the bare words, in order
	least   int      // so many of them must be there
	anyBare bool     // any number of bare words
	anyKey  bool     // keys with comparisons, looked at by Compile
	flags   []string // bare words that may stand anywhere
	keys    []keySpec
	block   bool
	packet  bool // may have a gap in front
}

func (w *wordSpec) key(name string) *keySpec {
	for i := range w.keys {
		if w.keys[i].name == name {
			return &w.keys[i]
		}
	}
	return nil
}

func (w *wordSpec) flag(name string) bool {
	for _, f := range w.flags {
		if f == name {
			return true
		}
	}
	return false
}

// near names the keys that a mistyped one may have meant, or shows the whole line.
func (w *wordSpec) near(typed string) string {
	var names []string
	for _, k := range w.keys {
		if distance(k.name, typed) <= 1 || len(typed) > 3 && distance(k.name, typed) <= 2 {
			names = append(names, k.name+"="+k.value)
		}
	}
	if names == nil {
		return w.usage()
	}
	return strings.Join(names, " or ")
}

// usage is the line a message shows.
func (w *wordSpec) usage() string {
	parts := []string{w.word}
	for i, b := range w.bare {
		if i < w.least {
			parts = append(parts, b)
		} else {
			parts = append(parts, "["+b+"]")
		}
	}
	for _, k := range w.keys {
		parts = append(parts, "["+k.name+"="+k.value+"]")
	}
	for _, f := range w.flags {
		parts = append(parts, "["+f+"]")
	}
	if w.anyKey {
		parts = append(parts, "NAME=N NAME>=N NAME<=N ...")
	}
	return strings.Join(parts, " ")
}

// Keys shared by all packets, by packets with a psn, by packets of a message.
var (
	frameKeys = []keySpec{
		{"conn", "N", "connection (0)"},
		{"path", "N", "home path (0)"},
		{"dst", "N", "raw dst_conn (that of the connection)"},
		{"epoch", "+N|N", "epoch; +N counts from the path's first (where the sender is)"},
		{"time", "N", "tx_time (a clock that runs on by 16 a packet)"},
		{"sport", "N", "UDP source port (that of path and epoch)"},
		{"via", "PATH", "leaves with the source port of another path"},
		{"pad_to", "N", "Ethernet padding up to N bytes (60)"},
		{"cut", "N", "the frame ends after N bytes"},
		{"bad", "MUTATION", "one thing wrong with the frame, see the list of mutations"},
		{"as", "NAME", "name, to send it again"},
		{"udp_port", "N", "UDP destination port (that of the device)"},
	}
	psnKeys = []keySpec{
		{"psn", "+N|N", "psn; +N counts from the path's first (the next one)"},
		{"tsn", "+N|N", "tsn; +N counts from the path's first (the next one)"},
	}
	messageKeys = []keySpec{
		{"stream", "N", "stream (0)"},
		{"msn", "+N|N", "message; +N counts from the stream's first (the next one; with an offset: the latest)"},
		{"attempt", "N", "attempt (0)"},
		{"offset", "N", "first payload byte in the message (0)"},
		{"bytes", "N", "payload (64)"},
		{"length", "N", "of the message (up to the end of this packet; with an offset: that of the latest)"},
	}
	targetKeys = []keySpec{
		{"key", "N", "memory region by number (0)"},
		{"rkey", "N", "raw rkey"},
		{"addr", "+N|N", "address of the first byte; +N counts from the region's base (a place of its own for each message)"},
	}
	matchKeys = []keySpec{{"recv", "+N|N", "recv_index; +N counts from the stream's first (the message's own)"}}
	immKeys   = []keySpec{{"imm", "N", "immediate value"}}
	readKeys  = []keySpec{{"stream", "N", "stream (0)"}, {"msn", "+N|N", "message (the next one)"}, {"length", "N", "bytes asked for (64)"}}
	flagWords = []string{"A", "D", "R", "B", "L", "CE", "ipv6", "vlan"}
)

func join(lists ...[]keySpec) []keySpec {
	var all []keySpec
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var vocabulary = map[string]*wordSpec{}

func define(w wordSpec) { vocabulary[w.word] = &w }

func packet(word, text string, lists ...[]keySpec) {
	define(wordSpec{word: word, text: text, packet: true, flags: flagWords, keys: join(append(lists, frameKeys)...)})
}

func init() {
	defineSetup()
	definePackets()
	defineFlow()
}

func defineSetup() {
	define(wordSpec{word: "title", text: "one sentence: what the scenario shows", bare: []string{`"TEXT"`}, least: 1})
	define(wordSpec{word: "covers", text: "rule ids that the scenario is about", bare: []string{"R-RULE ..."}, least: 1, anyBare: true})
	define(wordSpec{word: "preset", text: "tables it needs; without it any preset will do", bare: []string{"NAME"}, least: 1})
	define(wordSpec{word: "requires", text: "what a target must be able to do: commits (show what engines decide), cycles, receive, sender", bare: []string{"WORD ..."}, least: 1, anyBare: true})
	define(wordSpec{word: "seed", text: "seed of garbage and shuffles behind it, whatever seed a run is given", bare: []string{"N"}, least: 1})
	define(wordSpec{word: "conn", text: "opens a connection with its paths and streams", bare: []string{"N"}, least: 1, keys: []keySpec{
		{"gen", "N", "generation (1)"}, {"paths", "N", "paths (1)"}, {"streams", "N", "streams, a power of two (1)"},
		{"peer", "N", "connection at the peer (0x100 + N)"}, {"psn", "N", "first psn of every path (0)"}, {"tsn", "N", "first tsn (0)"},
		{"epoch", "N", "first epoch (0)"}, {"msn", "N", "first message of every stream (0)"}, {"recv", "N", "first recv_index (0)"}, {"time", "N", "sender's clock (1000)"}}})
	define(wordSpec{word: "path", text: "starts one path's window, again if need be", bare: []string{"CONN.PATH"}, least: 1, keys: []keySpec{
		{"psn", "+N|N", "first psn; +N counts from the first one before (the next one)"}, {"tsn", "+N|N", "first tsn"}, {"epoch", "+N|N", "first epoch"}, {"peer", "N", "connection at the peer"}}})
	define(wordSpec{word: "stream", text: "opens a stream, again if need be; its life changes", bare: []string{"CONN.STREAM"}, least: 1, keys: []keySpec{
		{"msn", "+N|N", "first message; +N counts from the first one before (the next one)"}, {"recv", "+N|N", "first recv_index (the next to be posted)"}, {"life", "N", "life (one more than before)"}}})
	define(wordSpec{word: "key", text: "makes a memory region usable", bare: []string{"N"}, least: 1, keys: []keySpec{
		{"conn", "N", "owner (0)"}, {"base", "N", "first address"}, {"length", "N", "bytes (1024 G)"}, {"tag", "N", "low byte of the rkey (0xa0 + N)"},
		{"perm", "write,read,atomic|none", "what it allows (write)"}}})
	define(wordSpec{word: "recv", text: "posts receives", bare: []string{"CONN.STREAM"}, least: 1, keys: []keySpec{
		{"index", "+N|N", "recv_index (the next one)"}, {"count", "N", "so many, one index after the other (1)"}, {"bytes", "N", "buffer length (64k)"},
		{"addr", "N", "buffer address (a place of its own for each)"}, {"wr_id", "N", "work request id (0x5000 + n)"}}})
	define(wordSpec{word: "clear", text: "takes away a connection, a memory region or a posted receive", bare: []string{"conn|key|recv", "N|CONN.STREAM"}, least: 2,
		keys: []keySpec{{"index", "+N|N", "recv_index of the receive"}}})
	define(wordSpec{word: "close", text: "closes a stream", bare: []string{"CONN.STREAM"}, least: 1})
	define(wordSpec{word: "epoch", text: "the sender moves to another epoch on a path; nothing goes out", bare: []string{"CONN.PATH", "+N|N"}, least: 2})
	define(wordSpec{word: "set", text: "writes a register, named as in docs/registers.md; an entry of an array behind a dot, by number or by what it counts: drops.10, drops.icrc", bare: []string{"REGISTER", "VALUE"}, least: 2})
	define(wordSpec{word: "read", text: "reads a register, or an entry of one, or an address where none is", bare: []string{"REGISTER|ADDRESS"}, least: 1})
	define(wordSpec{word: "command", text: "starts a raw command, out of range if need be; its arguments are keys, with the names of docs/registers.md", bare: []string{"NAME"}, least: 1, anyKey: true})
}

func definePackets() {
	packet("write", "one packet of a Write", messageKeys, targetKeys, psnKeys)
	packet("write_imm", "one packet of a Write with immediate", messageKeys, targetKeys, matchKeys, immKeys, psnKeys)
	packet("send", "one packet of a Send", messageKeys, matchKeys, psnKeys)
	packet("send_imm", "one packet of a Send with immediate", messageKeys, matchKeys, immKeys, psnKeys)
	packet("read_request", "a Read request", readKeys, targetKeys, psnKeys)
	packet("atomic_request", "an atomic request", readKeys[:2], targetKeys, psnKeys)
	packet("flush", "asks for the state of a path", psnKeys[1:])
	packet("probe", "asks whether a path is alive", []keySpec{{"port", "N", "proposed source port"}, {"new_epoch", "N", "proposed epoch"}, {"txn", "N", "transaction"}})
	packet("query", "status query of a stream", []keySpec{{"stream", "N", "stream (0)"}, {"msn", "+N|N", "message asked for (the next one)"}, {"txn", "N", "transaction"},
		{"port", "N", "proposed source port"}, {"new_epoch", "N", "proposed epoch"}})
	for _, w := range []string{"read_response", "atomic_response", "ack", "nak", "answer", "announce", "control"} {
		packet(w, "a packet that is not for the receiver", psnKeys)
	}
	define(wordSpec{word: "message", text: "all packets of a message", bare: []string{"write|write_imm|send|send_imm"}, least: 1, packet: true, flags: flagWords,
		keys: join([]keySpec{{"bytes", "N", "of the message (64)"}, {"mtu", "N", "payload of a packet (1024)"},
			{"paths", "all|N,N..", "one packet on each in turn (0)"}, {"order", "forward|reverse|shuffle", "in which they arrive (forward)"},
			{"lose", "N,N..", "packets, from 0, that do not arrive"}, {"ce", "N,N..", "packets that arrive marked"}, {"gap", "N", "idle cycles between them (0)"},
			{"conn", "N", "connection (0)"}, {"stream", "N", "stream (0)"}, {"msn", "+N|N", "message (the next one)"}, {"attempt", "N", "attempt (0)"}, {"as", "NAME", "name, to send packets again"},
			{"epoch", "+N|N", "epoch"}}, targetKeys, matchKeys, immKeys)})
	define(wordSpec{word: "again", text: "a packet once more: same psn, next tsn, flag R", bare: []string{"NAME"}, least: 1, packet: true, flags: flagWords,
		keys: join([]keySpec{{"packets", "N,N..", "which of the message, from 0 (all)"}}, psnKeys[1:], frameKeys[3:10])})
	define(wordSpec{word: "garbage", text: "a frame of random bytes", packet: true, keys: []keySpec{{"bytes", "N", "its length (64)"}, {"count", "N", "so many (1)"},
		{"like", "ethernet|ip|udp|icrc|outer", "right up to there, or with a right ICRC; outer: also between any addresses, with any TTL, and bytes behind it (nothing)"}}, flags: []string{"ipv6", "vlan"}})
	define(wordSpec{word: "raw", text: "a frame byte by byte", bare: []string{"HEX"}, least: 1, packet: true})
}

func defineFlow() {
	define(wordSpec{word: "repeat", text: "the lines up to end, N times", bare: []string{"N", "VARIABLE"}, least: 1, block: true})
	define(wordSpec{word: "reorder", text: "the packets up to end arrive in another order", bare: []string{"reverse|shuffle|rotate"}, least: 1, block: true})
	define(wordSpec{word: "lose", text: "the packets up to end do not arrive", block: true})
	define(wordSpec{word: "wait", text: "until the device is idle, or so many cycles", bare: []string{"idle|N", "cycles"}, least: 1})
	define(wordSpec{word: "ports", text: "free: from here on frames and commands wait for each other, and for an idle device, only where a line says so; ordered: as at first", bare: []string{"free|ordered"}, least: 1})
	define(wordSpec{word: "memory", text: "how the memory port answers", keys: []keySpec{{"latency", "N..N", "cycles to the answer"}, {"fault", "LO..HI|none", "addresses that answer with an error"}}})
	define(wordSpec{word: "stall", text: "how often the bench is not ready, or pauses inside a frame", bare: []string{"frame|memory|completion|ack|register|all"}, least: 1,
		keys: []keySpec{{"permille", "N", "chance in each cycle that a stall begins (0)"}, {"run", "N", "longest stall in cycles (8)"}}})
	define(wordSpec{word: "see", text: "an event that must be seen behind the latest wait for an idle device, in the order of these lines for each kind; with any: in any order; with never: not at all. Values are A|B|.. of numbers, ranges N..M, serial numbers +N, VALUE/MASK, names, bits of a vector; * is anything",
		bare: []string{"EVENT"}, least: 1, anyKey: true, flags: []string{"any", "never"}, keys: []keySpec{
			{"rule", "R-RULE", "the rule that it is about (that of the event)"}, {"within", "N..N", "cycles after the latest packet before it"},
			{"VALUE", "A|B", "a value of the event by its name in docs/events.md, of ack, nak and answer in docs/wire.md"}}})
	define(wordSpec{word: "expect", text: "what must have been seen at the end", anyKey: true, anyBare: true})
}

// wordList names the words near to a mistyped one, or all.
func wordList(typed string) string {
	var near, all []string
	for w := range vocabulary {
		all = append(all, w)
		if distance(w, typed) <= 2 {
			near = append(near, w)
		}
	}
	if len(near) > 0 {
		all = near
	}
	sort.Strings(all)
	return strings.Join(all, ", ")
}

// distance is the number of letters to change, drop or add between two words.
func distance(a, b string) int {
	if len(b) > 64 {
		return len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
