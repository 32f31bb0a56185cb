package cover

import (
	"slices"
	"strings"

	"metaroce/tandem/model/event"
)

// sender counts what whole endpoints do beside the receive side: engines that are in the model and not yet in RTL. A run
// has the records of one NIC.
type sender struct {
	*Cover
	xmit, wrap, acked, echo, walk, choice, mark, cc, cut, moves, share, told *group
	timer, sched, slot                                                       outcomes

	paths     map[uint16]*senderPath
	conns     map[uint16]uint8 // state of cc.conn
	last      map[uint16]uint8 // path chosen
	penalties map[uint16][4]uint64
	sharers   map[uint16]uint8 // state of share.sender
}

// senderPath is what is known of a path before a step.
type senderPath struct {
	cum   uint32 // of ack_recv.path, where known
	known bool
	state uint8          // of path_timer.path
	epoch uint8          // of path_timer.path
	next  event.XmitPath // of xmit.path
}

// NewSender makes empty bins of the sender and the other engines of an endpoint.
func NewSender() *Cover {
	c := &Cover{like: NewSender}
	return c.of(&sender{Cover: c})
}

// outcomes are what steps of an engine come to, by operation and outcome: "due-resend". What is not named is "else".
type outcomes struct {
	*group
	at map[[2]int]int // operation, number of the outcome in does: 0 is the first
}

// outcomes makes a group of one dimension, and others in front of it, of the outcomes that are named.
func (c *sender) outcomes(name, text string, kind event.Kind, does, named []string, before ...dimension) outcomes {
	ops := opNames(kind)
	o := outcomes{at: map[[2]int]int{}}
	for i, n := range named {
		op, did, _ := strings.Cut(n, "-")
		o.at[[2]int{slices.Index(ops, op), slices.Index(does, did)}] = i
	}
	o.group = c.add(name, text, append(before, dimension{"step", append(slices.Clone(named), "else")})...)
	return o
}

// step is the number of an outcome.
func (o *outcomes) step(op uint8, did int) int {
	if at, ok := o.at[[2]int{int(op), did}]; ok {
		return at
	}
	return len(o.at)
}

// opNames are the operations of an engine, by number.
func opNames(kind event.Kind) []string {
	var names []string
	for i := range event.Engines {
		if e := &event.Engines[i]; e.Kind == kind {
			for k := range e.Ops {
				names = append(names, e.Ops[k].Name)
			}
		}
	}
	return names
}

func (c *sender) define() {
	yes := func(name string) dimension { return dimension{name, noYes} }
	lists := dimension{"list", []string{"live", "lost", "away"}}
	c.xmit = c.add("xmit", "transmission list: what is done", dimension{"op", opNames(event.KindXmit)})
	c.wrap = c.add("sendwrap", "serial number of the sender that passed from its highest value to zero, beside packets that were lost (of the epoch: that are not acknowledged) or not",
		dimension{"of", []string{"psn", "tsn", "cum", "epoch"}}, yes("lost"))
	c.acked = c.add("ackrecv", "acknowledgement by what it says, beside the newest before it", dimension{"cum", []string{"older", "same", "newer"}}, yes("holes"),
		dimension{"epoch", []string{"own", "other"}})
	c.echo = c.add("echo", "what an acknowledgement echoes: a packet that is a sample of the round trip, one that is not, a detour", dimension{"of", []string{"sample", "other", "detour"}})
	c.walk = c.add("losswalk", "fate of a record that is looked at", lists, dimension{"fate", []string{"stays", "acked", "order", "time"}})
	c.choice = c.add("pathchoice", "choice of a path: the one before once more, or another", dimension{"policy", []string{"pointer", "window", "oblivious"}}, yes("again"))
	c.mark = c.add("penalty", "penalty of a path, by the one that it has", dimension{"has", []string{"none", "some", "most"}})
	c.cc = c.add("cc", "windows and pace by the state of the connection", dimension{"op", opNames(event.KindCc)}, dimension{"state", []string{"quiet", "allowance", "hint", "announced"}})
	c.cut = c.add("cut", "what makes a window shrink", dimension{"op", []string{"ack", "timeout"}}, yes("cut"))
	c.moves = c.add("pathstate", "state of a path before and behind a step", dimension{"from", pathStates}, dimension{"to", pathStates})
	c.timer = c.outcomes("pathtimer", "what the timer of a path does", event.KindPathTimer,
		[]string{"nothing", "resend", "suspect", "failed", "probe", "active", "move", "refused"},
		[]string{"due-nothing", "due-resend", "due-suspect", "due-failed", "due-probe", "answer-active", "answer-move", "answer-refused",
			"alive-nothing", "alive-active", "arm-nothing", "move-probe", "move-refused"})
	c.share = c.add("share", "shares of senders: what is done", dimension{"op", opNames(event.KindShare)})
	c.told = c.add("sharestate", "state of a sender before and behind a step: does not count, waits to be told its share, was told", dimension{"from", shareStates}, dimension{"to", shareStates})
	c.sched = c.outcomes("streamsched", "which stream sends", event.KindStreamSched, []string{"nothing", "enter", "leave", "rotate", "full", "pause", "give_up"},
		[]string{"open-nothing", "post-nothing", "post-enter", "post-full", "pick-nothing", "pick-leave", "pick-rotate", "done-nothing", "refuse-nothing", "refuse-pause",
			"again-nothing", "again-enter", "again-give_up", "stop-nothing"})
	c.slot = c.outcomes("slot", "requests at both ends", event.KindSlot, []string{"nothing", "take", "done", "wrong"},
		[]string{"request-take", "response-take", "response-done", "fail-nothing", "park-take", "park-nothing", "execute-take", "cut-take", "cut-done", "drop-nothing"},
		yes("atomic"))
}

var (
	pathStates  = []string{"active", "suspect", "failed"}
	shareStates = []string{"out", "waits", "told"}
)

func (c *sender) start() {
	c.paths, c.conns, c.sharers = map[uint16]*senderPath{}, map[uint16]uint8{}, map[uint16]uint8{}
	c.last, c.penalties = map[uint16]uint8{}, map[uint16][4]uint64{}
}

func (c *sender) path(row uint16) *senderPath {
	p := c.paths[row]
	if p == nil {
		p = &senderPath{}
		c.paths[row] = p
	}
	return p
}

func (c *sender) observe(record []byte) {
	switch event.Kind(record[1]) {
	case event.KindXmit:
		var r event.Xmit
		if r.Decode(record) == nil {
			c.xmitStep(&r)
		}
	case event.KindAckRecv:
		var r event.AckRecv
		if r.Decode(record) == nil {
			c.ackStep(&r)
		}
	case event.KindLossWalk:
		var r event.LossWalk
		if r.Decode(record) == nil {
			c.walk.hit(int(r.In.List)-1, int(r.Out.Fate))
		}
	case event.KindPathChoice:
		var r event.PathChoice
		if r.Decode(record) == nil {
			c.choiceStep(&r)
		}
	case event.KindCc:
		var r event.Cc
		if r.Decode(record) == nil {
			c.ccStep(&r)
		}
	case event.KindPathTimer:
		var r event.PathTimer
		if r.Decode(record) == nil {
			c.timerStep(&r)
		}
	default:
		c.others(record)
	}
}

func (c *sender) others(record []byte) {
	switch event.Kind(record[1]) {
	case event.KindShare:
		var r event.Share
		if r.Decode(record) == nil {
			c.share.hit(int(r.Head.Op))
			if r.Head.Op != event.ShareLevel && r.Head.Op != event.ShareProbe { // those have no sender
				c.told.hit(int(c.sharers[r.In.Conn]), int(r.Sender.State))
				c.sharers[r.In.Conn] = r.Sender.State
			}
		}
	case event.KindStreamSched:
		var r event.StreamSched
		if r.Decode(record) == nil {
			c.sched.hit(c.sched.step(r.Head.Op, first(r.Out.Enter, r.Out.Leave, r.Out.Rotate, r.Out.Full, r.Out.Act, r.Out.GiveUp)))
		}
	case event.KindSlot:
		var r event.Slot
		if r.Decode(record) == nil {
			atomic := r.In.Atomic || r.Ask.Atomic || r.Serve.Atomic
			c.slot.hit(b2i(atomic), c.slot.step(r.Head.Op, first(r.Out.Take && !r.Out.Done, r.Out.Done, r.Out.Wrong)))
		}
	}
}

// first is 1 for the first that holds, 2 for the second and so on; 0 for none.
func first(list ...bool) int {
	for i, b := range list {
		if b {
			return i + 1
		}
	}
	return 0
}
