package export

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

// Places in the words of mr_vector_tb.sv.
const (
	packetBits = 896 // of a reply, as it lies in a record
	aAt        = 512 // operands of an instruction
	bAt        = 576
	opAt       = 640
)

// Instructions of the bench.
const (
	opBeat = iota + 1
	opWrite
	opRead
	opWait
	opIdle
	opFault
	opLatency
	opStall
)

// tableNames are the memories of a vector, in the order of meta.
var tableNames = []string{"prog", "fate", "data", "cpl", "reply", "state", "read", "done", "seg", "hint", "meta"}

var tableWidth = map[string]int{"prog": 648, "fate": 136, "data": 512, "cpl": 200, "reply": 1976, "state": 1024, "read": 48, "done": 36, "seg": 288, "hint": 32, "meta": 32}

type tables struct {
	p   preset.Params
	mem map[string]*memory
}

func newTables(p preset.Params) *tables {
	t := &tables{p: p, mem: map[string]*memory{}}
	for _, n := range tableNames {
		t.mem[n] = &memory{width: tableWidth[n]}
	}
	return t
}

// tablesOf puts a vector into memories.
func tablesOf(v *mrv.Vector, p preset.Params) (*tables, error) {
	t := newTables(p)
	prog := v.Program()
	if err := t.program(prog.Items, &v.Want); err != nil {
		return nil, err
	}
	t.mem["fate"].add(&word{})
	for i := range v.Want.Fates {
		t.fate(&v.Want.Fates[i], prog.Frames[i].Payload)
	}
	for i := range v.Want.Segments {
		t.segment(&v.Want, i)
	}
	for _, h := range v.Want.Hints {
		t.mem["hint"].add((&word{}).put(0, uint64(h.Value)).put(20, uint64(h.Gen)))
	}
	for i, n := range []string{"prog", "", "data", "cpl", "reply", "state", "read", "done", "", "seg", "hint"} {
		var w word
		switch {
		case n != "":
			w.put(0, uint64(t.mem[n].n))
		case i == 1:
			w.put(0, uint64(len(v.Want.Fates)))
		}
		t.mem["meta"].add(&w)
	}
	t.mem["meta"].add((&word{}).put(0, v.Seed&(1<<32-1)))
	return t, nil
}

func (t *tables) instruction(op int, a, b uint64) *word {
	return (&word{}).put(aAt, a).put(bAt, b).put(opAt, uint64(op))
}

// program makes instructions of the stimulus. At the end of every segment the bench looks at what was seen.
func (t *tables) program(items stimulus.List, want *expect.Set) error {
	var now expect.Point
	seg := 0
	prog := t.mem["prog"]
	settle := func() {
		check := uint64(0)
		if seg < len(want.Segments) && want.Segments[seg].End == now {
			check = 1
			seg++
		}
		prog.add(t.instruction(opIdle, check, 0))
	}
	for i := range items {
		switch it := &items[i]; it.Kind {
		case stimulus.KindFrame:
			now.Frames++
			t.frame(it)
		case stimulus.KindWrite:
			now.Accesses++
			prog.add(t.instruction(opWrite, uint64(it.Addr), uint64(it.Value)))
		case stimulus.KindRead:
			now.Accesses++
			prog.add(t.instruction(opRead, uint64(it.Addr), 0))
		case stimulus.KindWaitCycles:
			prog.add(t.instruction(opWait, uint64(it.Value), 0))
		case stimulus.KindWaitIdle:
			settle()
		case stimulus.KindFault:
			settle()
			prog.add(t.instruction(opFault, it.Lo, it.Hi))
		case stimulus.KindLatency:
			prog.add(t.instruction(opLatency, it.Lo, it.Hi))
		case stimulus.KindStall:
			prog.add(t.instruction(opStall, uint64(it.Port), uint64(min(it.Permille, 900))|uint64(it.Run)<<32))
		}
	}
	settle()
	if seg != len(want.Segments) {
		return fmt.Errorf("%d segments in the stimulus, %d are expected", seg, len(want.Segments))
	}
	return nil
}

const beatBytes = 64

func (t *tables) frame(it *stimulus.Item) {
	for at := 0; at < len(it.Data); at += beatBytes {
		n := min(beatBytes, len(it.Data)-at)
		a := uint64(n)
		if at+n == len(it.Data) {
			a |= 1 << 7
		}
		gap := uint64(0)
		if at == 0 {
			a |= 1 << 8
			gap = uint64(it.Gap)
		}
		t.mem["prog"].add(t.instruction(opBeat, a, gap).bytes(0, it.Data[at:at+n]))
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (t *tables) fate(f *expect.Fate, payload []byte) {
	class := uint64(0)
	if f.Class != expect.NoClass {
		class = uint64(f.Class) + 1
	}
	w := (&word{}).put(0, uint64(f.Reason)).put(5, class).put(9, uint64(f.Syndrome)).put(13, uint64(f.Verdict)).put(17, bit(f.Write)).put(18, bit(f.Failed)).
		put(19, f.Addr).put(83, uint64(f.Length))
	if f.Write {
		w.put(99, uint64(t.mem["data"].n))
		for at := 0; at < len(payload); at += beatBytes {
			t.mem["data"].add((&word{}).bytes(0, payload[at:min(at+beatBytes, len(payload))]))
		}
	}
	t.mem["fate"].add(w)
}

func (t *tables) segment(want *expect.Set, i int) {
	s := &want.Segments[i]
	for j := range s.Completions {
		c := &s.Completions[j]
		t.mem["cpl"].add((&word{}).put(0, uint64(c.Conn)).put(16, uint64(c.Stream)).put(32, uint64(c.Msn)).put(64, uint64(c.Opcode)).put(72, uint64(c.Length)).
			put(104, uint64(c.ImmValue)).put(136, uint64(c.WrId)).put(168, uint64(c.Xid)))
	}
	for j := range s.Replies {
		t.reply(s, &s.Replies[j])
	}
	must := map[expect.Path]int{}
	for j := range s.States {
		must[s.States[j].Path] = j
	}
	for j := range s.States {
		t.state(&s.States[j], must[s.States[j].Path] == j && s.States[j].Xid < expect.CommandBit)
	}
	for _, r := range s.Reads {
		t.mem["read"].add((&word{}).put(0, uint64(r.Value)).put(32, uint64(r.Addr)))
	}
	for _, d := range s.Dones {
		t.mem["done"].add((&word{}).put(0, uint64(d.Xid)).put(32, uint64(d.Op)))
	}
	t.ends(want, s)
}

// ends says how far each list goes at the end of a segment.
func (t *tables) ends(want *expect.Set, s *expect.Segment) {
	windows, messages, writes := 0, 0, 0
	for i := range want.Fates[:s.End.Frames] {
		f := &want.Fates[i]
		windows += int(bit(f.Class != expect.NoClass))
		messages += int(bit(f.Verdict != 0))
		writes += int(bit(f.Write))
	}
	var w word
	for i, n := range []int{t.mem["cpl"].n, t.mem["reply"].n, t.mem["state"].n, t.mem["read"].n, t.mem["done"].n, int(s.End.Frames), windows, messages, writes} {
		w.put(32*i, uint64(n))
	}
	t.mem["seg"].add(&w)
}

// mask is the bits of a packet that count, by the fields that do not.
func mask(op wire.Opcode, free ...string) []byte {
	length := 0
	for _, id := range wire.Kinds[op].Headers {
		length += wire.Headers[id].Size
	}
	m := make([]byte, packetBits/8)
	for i := range length {
		m[i] = 0xff
	}
	for _, name := range free {
		at, width := place(op, name)
		for i := at; i < at+width; i++ {
			m[i/8] &^= 0x80 >> (i % 8)
		}
	}
	return m
}

// place is where a field of a packet lies, in bits of the wire.
func place(op wire.Opcode, name string) (at, width int) {
	start := 0
	for _, id := range wire.Kinds[op].Headers {
		for _, f := range wire.Headers[id].Fields {
			if f.Name == name {
				return start + f.Bit, f.Width
			}
		}
		start += 8 * wire.Headers[id].Size
	}
	panic("export BUG: no field " + name)
}

func (t *tables) reply(s *expect.Segment, r *expect.Reply) {
	base := wire.Base{Version: preset.Version, Opcode: r.Op, Path: r.Index, DstConn: r.Peer}
	b := base.Append(nil)
	size, free := wire.NakSize, []string{"epoch", "tx_time"}
	ranged := r.Op == wire.OpcodeAnswer
	if ranged {
		size, free = wire.AnswerSize, append(free, "completed")
	}
	b = append(b, r.Body[:size]...)
	w := (&word{}).bytes(0, b).bytes(packetBits, mask(r.Op, free...)).put(1792, uint64(r.Conn)).put(1808, uint64(r.Index)).put(1816, uint64(r.Sport)).
		put(1832, uint64(r.Xid)).put(1864, uint64(len(b)+preset.IcrcBytes)).put(1872, bit(ranged))
	if ranged {
		lo, hi := s.CompletedBounds(r)
		w.put(1880, uint64(lo)).put(1912, uint64(hi))
	}
	t.mem["reply"].add(w)
}

func (t *tables) state(s *expect.State, must bool) {
	a := &s.Ack
	base := wire.Base{Version: preset.Version, Epoch: a.Epoch, Opcode: wire.OpcodeAck, Path: s.Index, DstConn: s.Peer, FlagD: a.Detour}
	h := wire.Ack{EchoPsn: a.EchoPsn, EchoTime: a.EchoTime, HighValid: a.HighValid, Cum: a.Cum, Vector: a.Vector, HighTsn: a.HighTsn, Packets: a.Packets,
		Bytes: a.Bytes, Ce: a.Ce, Dups: a.Dups}
	row := uint64(s.Conn)*uint64(t.p.Paths) + uint64(s.Index)
	t.mem["state"].add((&word{}).bytes(0, h.Append(base.Append(nil))).put(896, row).put(912, uint64(a.Sport)).put(928, uint64(s.Xid)).put(960, bit(must)))
}

// sizes are the macros of mr_vector_tb.sv: the longest list of each kind, the preset, places in packets.
func sizes(max *tables, p preset.Params) string {
	var b strings.Builder
	b.WriteString("// Written with the vectors beside it: sizes of the longest of them, table sizes of the preset, places in packets.\n")
	def := func(name string, v any) { fmt.Fprintf(&b, "`define VEC_%s %v\n", name, v) }
	for _, n := range []struct{ macro, table string }{{"PROG", "prog"}, {"FATES", "fate"}, {"DATA", "data"}, {"CPLS", "cpl"}, {"REPLIES", "reply"},
		{"STATES", "state"}, {"READS", "read"}, {"DONES", "done"}, {"SEGS", "seg"}, {"HINTS", "hint"}} {
		def(n.macro, max.mem[n.table].n)
	}
	def("ROWS", p.Conns*p.Paths)
	for _, n := range []struct {
		macro string
		value int
	}{{"CONNS", p.Conns}, {"PATHS", p.Paths}, {"STREAMS", p.Streams}, {"MSG_SLOTS", p.MsgSlots}, {"RECVS", p.Recvs}, {"KEYS", p.Keys},
		{"BUF_BEATS", p.BufBeats}, {"RAM_LATENCY", p.RamLatency}, {"DESC_DEPTH", p.DescDepth}} {
		def(n.macro, n.value)
	}
	def("OP_ACK", fmt.Sprintf("8'd%d", wire.OpcodeAck))
	at := func(macro string, op wire.Opcode, name string) {
		bit, _ := place(op, name)
		def(macro, bit)
	}
	at("ANSWER_COMPLETED", wire.OpcodeAnswer, "completed")
	at("ACK_HINT", wire.OpcodeAck, "hint")
	at("ACK_HINT_GEN", wire.OpcodeAck, "hint_gen")
	at("ACK_NOTICE_VALID", wire.OpcodeAck, "notice_valid")
	at("ACK_NOTICE_STREAM", wire.OpcodeAck, "notice_stream")
	at("ACK_NOTICE_MSN", wire.OpcodeAck, "notice_msn")
	m := (&word{}).bytes(0, mask(wire.OpcodeAck, "tx_time", "held", "hint", "hint_gen", "notice_valid", "notice_stream", "notice_msn"))
	def("ACK_MASK", "896'h"+m.hex(packetBits))
	return b.String()
}
