package cover

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// backToBack is the distance of two window steps that follow each other as fast as the frame port allows: the shortest
// packet takes two beats. Steps at distance 1 come from queues behind a stall.
const backToBack = 2

// Cover counts bins over the records of one run after the other.
type Cover struct {
	groups  []*group
	records uint64
	side    side
	like    func() *Cover // makes empty bins of the same groups
}

// side is which engines' records are counted, and how.
type side interface {
	define()
	start()
	observe(record []byte)
}

// New makes empty bins of the receive side.
func New() *Cover {
	c := &Cover{like: New}
	return c.of(&receive{Cover: c})
}

func (c *Cover) of(s side) *Cover {
	c.side = s
	s.define()
	s.start()
	return c
}

// receive counts what is built in RTL.
type receive struct {
	*Cover
	window, offset, wrap,
	straddle, state, opcode, refusal,
	drop, verdict, nak, match, place, complete, coalesce, timer, build, command, reply *group

	paths    map[uint16]*pathState
	waiting  map[uint32]cell // packets that are new, until it is known what became of them
	kinds    map[uint32]int  // of packets that were admitted, until their window step
	lastPath int64           // path row of the last window step, -1: none
	lastAt   uint64          // and its cycle
}

// pathState is a path's row before the step.
type pathState struct {
	row  event.WindowPath
	time uint32
	set  bool
}

// cell is a bin of the window group without its syndrome.
type cell struct{ class, epoch, d, ce, l, near int }

// epoch relations
const (
	current = iota
	next
	older
)

func (c *Cover) add(name, text string, dims ...dimension) *group {
	g := newGroup(name, text, dims...)
	c.groups = append(c.groups, g)
	return g
}

func (c *receive) define() {
	var reasons, verdicts, syndromes, commands []string
	for r := event.ReasonNone; r <= event.ReasonOverrun; r++ {
		reasons = append(reasons, r.String())
	}
	for v := event.VerdictNone; v <= event.VerdictFatalNow; v++ {
		verdicts = append(verdicts, v.String())
	}
	for s := wire.SyndromeNone; s <= wire.SyndromeRemoteOp; s++ {
		syndromes = append(syndromes, s.String())
	}
	for i := range event.Commands {
		commands = append(commands, event.Commands[i].Name)
	}
	kinds := []string{"write", "write_imm", "send", "send_imm"}
	yes := func(name string) dimension { return dimension{name, noYes} }
	c.window = c.add("window", "window step: its class and all that may go wrong with forwarding a row",
		dimension{"class", []string{"too_new", "too_old", "duplicate", "new", "flush"}}, dimension{"epoch", []string{"current", "next", "old"}},
		yes("D"), yes("CE"), yes("L"), dimension{"syndrome", syndromes}, yes("near"))
	c.offset = c.add("offset", "distance of a psn from cum", dimension{"off", []string{"below-1", "-1", "0", "1", "2..254", "255", "256", "257", "above"}})
	c.wrap = c.add("wrap", "serial number that passed from its highest value to zero", dimension{"of", []string{"psn", "tsn", "msn", "recv_index", "epoch", "tx_time", "completed"}})
	classes, epochs := []string{"too_new", "too_old", "duplicate", "new"}, []string{"current", "next", "old"}
	zero := []string{"before", "behind"}
	c.straddle = c.add("straddle", "class of a packet where psn wraps: on which side of zero cum, at most a window away, and psn are",
		dimension{"class", classes}, dimension{"cum", zero}, dimension{"psn", zero})
	c.state = c.add("state", "class by what the window held before: nothing beyond cum, some, its last place",
		dimension{"class", classes}, dimension{"holds", []string{"none", "some", "last"}})
	c.opcode = c.add("opcode", "class by opcode and epoch", dimension{"class", classes}, dimension{"kind", kinds}, dimension{"epoch", epochs})
	c.refusal = c.add("refusal", "refusal that left, by the opcode that brought it", dimension{"kind", append(kinds[:len(kinds):len(kinds)], "read", "atomic")}, dimension{"syndrome", syndromes[1:]})
	c.drop = c.add("drop", "drop reason at admission", dimension{"reason", reasons})
	c.verdict = c.add("verdict", "verdict of the message table by opcode", dimension{"verdict", verdicts[1:]}, dimension{"kind", kinds})
	c.nak = c.add("nak", "refusal that left", dimension{"syndrome", syndromes[1:]})
	c.match = c.add("match", "outcome of key and receive by opcode", dimension{"kind", kinds}, dimension{"syndrome", []string{"none", "rnr", "key", "bounds", "permission", "length"}})
	c.place = c.add("place", "what an answer of the memory port does for its message", dimension{"outcome", []string{"counted", "done", "failed", "empty"}})
	c.complete = c.add("complete", "release: at once or from a run, with the next one waiting or not, with a notice or joining one",
		dimension{"op", []string{"done", "run"}}, yes("next"), yes("notice"))
	c.coalesce = c.add("coalesce", "what a window step's wish for an ACK leads to",
		dimension{"outcome", []string{"now-pushed", "now-joined", "counted", "count-pushed", "count-joined", "timer-armed"}})
	c.timer = c.add("timer", "what a timer that fires finds", dimension{"found", []string{"pushed", "built-meanwhile", "pending", "built-and-pending"}})
	c.build = c.add("build", "reply built", dimension{"what", []string{"request", "timer", "notice", "nak", "answer", "request+notice", "timer+notice"}})
	c.command = c.add("command", "command, in range or void", dimension{"cmd", commands}, yes("void"))
	c.reply = c.add("query", "status query by what it tells", dimension{"syndrome", syndromes})
}

func (c *receive) start() {
	c.paths, c.waiting, c.kinds, c.lastPath = map[uint16]*pathState{}, map[uint32]cell{}, map[uint32]int{}, -1
}

// Start forgets the state of the run before; the counts stay.
func (c *Cover) Start() { c.side.start() }

// Records is how many records were looked at.
func (c *Cover) Records() uint64 { return c.records }

// Observe takes one transaction: head and state records.
func (c *Cover) Observe(record []byte) {
	c.records++
	if len(record) >= event.RecordSize {
		c.side.observe(record)
	}
}

func (c *receive) observe(record []byte) {
	switch event.Kind(record[1]) {
	case event.KindAdmit:
		var r event.Admit
		if r.Decode(record) == nil {
			c.admit(&r)
		}
	case event.KindWindow:
		var r event.Window
		if r.Decode(record) == nil {
			c.windowStep(&r)
		}
	case event.KindRecv, event.KindKey:
		c.matchStep(record)
	case event.KindMessage:
		var r event.Message
		if r.Decode(record) == nil {
			c.message(&r)
		}
	case event.KindPlace:
		var r event.Place
		if r.Decode(record) == nil {
			c.placeStep(&r)
		}
	case event.KindComplete:
		var r event.Complete
		if r.Decode(record) == nil {
			c.completeStep(&r)
		}
	case event.KindCoalesce, event.KindCtimer, event.KindAck:
		c.ackSide(record)
	}
}

// Merge adds the counts of another.
func (c *Cover) Merge(o *Cover) {
	c.records += o.records
	for i, g := range o.groups {
		for j, n := range g.hits {
			c.groups[i].hits[j] += n
		}
	}
}
