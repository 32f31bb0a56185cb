package scenario

import (
	"slices"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/stimulus"
)

// maxFrames bounds what a scenario may become, so that a slip in a repeat count ends with a message.
const maxFrames = 20_000

// maxSteps bounds the lines executed, those in loops each time, and the rounds of loops, which may be empty.
const maxSteps = 100_000

// Options for Compile.
type Options struct {
	Params preset.Params // table sizes; a scenario that names a preset must be given that one
	Seed   uint64        // garbage, shuffles
	Name   string        // of the program; empty: the file's
	// Stop, if not nil, is asked now and then; its error ends the work and is returned.
	Stop func() error
}

// Compiled is a scenario ready to run.
type Compiled struct {
	Title   string
	Covers  []string // rule ids
	Preset  string   // the one it needs; empty: any
	Program *compose.Program
	Expect  []observe.Expectation

	Seed     uint64   // of what the text leaves open: that of its line, or that it was compiled with
	Requires []string // what a target must be able to do
	Sees     []expect.See
}

// Preset returns the preset a scenario needs, or "" where any will do.
func (f *File) Preset() string {
	for _, s := range f.Stmts {
		if s.Word == "preset" && len(s.Args) > 0 {
			return s.Args[0].Val
		}
	}
	return ""
}

// Compile makes stimulus and expectations of a file. The error is of type Errors and holds all mistakes.
func Compile(f *File, o Options) (*Compiled, error) {
	c := newCompiler(f.Name, o)
	c.rep.resume(f.mistakes)
	c.run(f.Stmts)
	if c.stopped != nil {
		return nil, c.stopped
	}
	if len(c.out.Expect)+len(c.out.Sees) == 0 && len(c.rep.list) == 0 {
		c.rep.add(lastPos(f), `a line such as "expect completions=1 mem=ok", or "see ..."`, "the scenario expects nothing")
	}
	if c.out.Preset != "" && c.out.Preset != o.Params.Name && len(c.rep.list) == 0 {
		c.rep.add(c.presetPos, "the preset the scenario names", "compiled for preset %q", o.Params.Name)
	}
	if err := c.rep.err(); err != nil {
		return nil, err
	}
	return c.out, nil
}

func newCompiler(file string, o Options) *compiler {
	name := o.Name
	if name == "" {
		name = file
	}
	c := &compiler{rep: newReport(file), vars: map[string]uint64{}, b: compose.NewBuilder(name, o.Params), seed: o.Seed, stop: o.Stop,
		conns: map[uint64]*compose.Conn{}, regions: map[uint64]*compose.Region{}, named: map[string][]*sent{}, out: &Compiled{Seed: o.Seed}}
	c.out.Program, c.b.InOrder = c.b.Program, true
	return c
}

func lastPos(f *File) Pos {
	if n := len(f.Stmts); n > 0 {
		return f.Stmts[n-1].Pos
	}
	return Pos{1, 1}
}

// sent is a packet that has its serial numbers, whether it arrived or not.
type sent struct {
	pkt  compose.Packet
	row  uint16
	path *compose.Path
	conn *compose.Conn
	gap  uint32
	line int
}

type compiler struct {
	rep       *report
	vars      map[string]uint64
	b         *compose.Builder
	out       *Compiled
	seed      uint64
	conns     map[uint64]*compose.Conn
	regions   map[uint64]*compose.Region
	named     map[string][]*sent
	phantoms  []*compose.Stream
	presetPos Pos
	posts     uint32 // receives posted, for their default work request id
	started   bool   // a frame went out: commands before the first one are waited for
	steps     int
	overflow  bool // no more lines are executed
	stop      func() error
	stopped   error
	settles   settles
	// hold collects packets inside reorder and lose; nil outside.
	hold *[]*sent
}

func (c *compiler) run(list []*Stmt) {
	for _, s := range list {
		if c.rep.full() || c.overflow {
			return
		}
		if !c.count(s.Pos) {
			return
		}
		c.b.Line = s.Pos.Line
		c.stmt(s)
	}
}

// stepsAStop is how many lines are executed between two looks at Stop.
const stepsAStop = 256

// count takes a line or a round of a loop; false where there were too many, or the work is to end.
func (c *compiler) count(at Pos) bool {
	if c.steps++; c.steps > maxSteps && !c.overflow {
		c.overflow = true
		c.rep.add(at, "fewer repeats", "more than %d lines to execute", maxSteps)
	}
	if c.stop != nil && c.steps%stepsAStop == 0 && c.stopped == nil {
		c.stopped = c.stop()
		c.overflow = c.overflow || c.stopped != nil
	}
	return !c.overflow
}

// statement functions by word; packets and blocks are told apart by stmt.
var statements map[string]func(*compiler, *args)

func init() {
	statements = map[string]func(*compiler, *args){
		"title": (*compiler).title, "covers": (*compiler).covers, "preset": (*compiler).preset,
		"conn": (*compiler).conn, "path": (*compiler).path, "stream": (*compiler).stream, "key": (*compiler).key,
		"recv": (*compiler).recv, "clear": (*compiler).clear, "close": (*compiler).close, "epoch": (*compiler).epoch,
		"set": (*compiler).set, "read": (*compiler).read, "command": (*compiler).command,
		"message": (*compiler).message, "again": (*compiler).again, "garbage": (*compiler).garbage, "raw": (*compiler).raw,
		"wait": (*compiler).wait, "memory": (*compiler).memory, "stall": (*compiler).stall, "expect": (*compiler).expect,
		"ports": (*compiler).ports, "requires": (*compiler).requires, "seed": (*compiler).seedLine, "see": (*compiler).see,
	}
}

func (c *compiler) stmt(s *Stmt) {
	spec := vocabulary[s.Word]
	if spec == nil {
		c.rep.add(s.Pos, "one of "+wordList(s.Word), "unknown word %q", s.Word)
		return
	}
	a := c.args(s)
	if c.hold != nil && !spec.packet && !spec.block {
		c.rep.add(s.Pos, "packets only", "%q inside reorder or lose", s.Word)
		return
	}
	switch {
	case spec.block:
		c.block(a)
	case statements[s.Word] != nil:
		statements[s.Word](c, a)
	default:
		c.packet(a)
	}
}

func (c *compiler) block(a *args) {
	switch a.stmt.Word {
	case "repeat":
		c.repeat(a)
	case "lose":
		c.held(a.stmt.Body)
	case "reorder":
		how, ok := a.choice(a.bare[0], "reverse", "shuffle", "rotate")
		list := c.held(a.stmt.Body)
		if ok {
			c.arrange(list, how, a.stmt.Pos.Line)
			c.emitAll(list)
		}
	}
}

func (c *compiler) repeat(a *args) {
	n := a.bounded(a.bare[0], "repeat", 1, maxFrames)
	name := ""
	if len(a.bare) > 1 {
		name = a.bare[1].Val
		if _, taken := c.vars[name]; taken || !isName(name) {
			c.rep.add(a.bare[1].Pos, "a letter or short word that is no variable of an outer repeat", "%q", name)
			return
		}
	}
	for i := range n {
		if c.rep.full() || !c.count(a.stmt.Pos) {
			break
		}
		if name != "" {
			c.vars[name] = i
		}
		c.run(a.stmt.Body)
	}
	delete(c.vars, name)
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != "" && len(s) <= 16
}

// held runs statements whose packets do not go out, and returns these. Blocks inside hand theirs to the block around.
func (c *compiler) held(body []*Stmt) []*sent {
	outer := c.hold
	var list []*sent
	c.hold = &list
	c.run(body)
	c.hold = outer
	return list
}

func (c *compiler) emitAll(list []*sent) {
	for _, s := range list {
		c.emit(s)
	}
}

// emit sends a packet, or hands it to the block around.
func (c *compiler) emit(s *sent) {
	if c.hold != nil {
		*c.hold = append(*c.hold, s)
		return
	}
	if !c.first(s.line) {
		return
	}
	c.b.Line = s.line
	c.b.Send(s.gap, &s.pkt, s.row)
}

// first has commands before the first frame waited for, unless ports are free, and holds the number of frames to its bound.
func (c *compiler) first(line int) bool {
	if !c.started {
		c.started = true
		if c.b.InOrder {
			c.b.WaitIdle()
		}
	}
	if len(c.b.Program.Frames) >= maxFrames {
		c.overflow = true
		c.rep.add(Pos{line, 1}, "fewer packets", "the scenario makes more than %d frames", maxFrames)
		return false
	}
	return true
}

func (c *compiler) title(a *args) { c.out.Title = a.bare[0].Val }

func (c *compiler) covers(a *args) {
	for _, g := range a.bare {
		if !slices.Contains(ruleIDs, g.Val) {
			c.rep.add(g.Pos, "a rule id of docs/protocol.md such as "+nearRules(g.Val), "%q", g.Val)
			continue
		}
		c.out.Covers = append(c.out.Covers, g.Val)
	}
}

func (c *compiler) preset(a *args) {
	g := a.bare[0]
	if _, ok := preset.ByName(g.Val); !ok {
		c.rep.add(g.Pos, "tiny, small or full", "preset %q", g.Val)
	}
	c.out.Preset, c.presetPos = g.Val, g.Pos
}

func (c *compiler) wait(a *args) {
	if a.bare[0].Val == "idle" {
		if len(a.bare) > 1 {
			c.rep.add(a.bare[1].Pos, `"wait idle" or "wait N cycles"`, "%q behind idle", a.bare[1].Val)
		}
		c.b.WaitIdle()
		return
	}
	if len(a.bare) > 1 {
		a.choice(a.bare[1], "cycles")
	}
	c.b.Wait(uint32(a.bounded(a.bare[0], "wait", 0, 10_000_000)))
}

func (c *compiler) memory(a *args) {
	if g := a.keys["latency"]; g != nil {
		if lo, hi, ok := a.rng(g.Val, g.ValPos); ok {
			if hi > 10_000 {
				c.rep.add(g.ValPos, "at most 10000 cycles", "latency of %d", hi)
			}
			c.b.Latency(lo, hi)
		}
	}
	if g := a.keys["fault"]; g != nil {
		if g.Val == "none" {
			c.b.NoFaults()
		} else if lo, hi, ok := a.rng(g.Val, g.ValPos); ok {
			c.b.Fault(lo, hi)
		}
	}
	if len(a.keys) == 0 {
		c.rep.add(a.stmt.Pos, vocabulary["memory"].usage(), "nothing said about memory")
	}
}

// ports lets frames and commands run side by side, or has them keep step again.
func (c *compiler) ports(a *args) {
	if how, ok := a.choice(a.bare[0], "free", "ordered"); ok {
		c.b.InOrder = how == "ordered"
	}
}

func (c *compiler) stall(a *args) {
	permille, run := uint16(a.num("permille", 0, 999)), uint16(a.num("run", 8, 1000))
	g := a.bare[0]
	if g.Val == "all" {
		for p := stimulus.PortFrame; p <= stimulus.PortRegister; p++ {
			c.b.Stall(p, permille, run)
		}
		return
	}
	p, ok := stimulus.PortByName(g.Val)
	if !ok {
		c.rep.add(g.Pos, "frame, memory, completion, ack, register or all", "port %q", g.Val)
		return
	}
	c.b.Stall(p, permille, run)
}
