package modeltest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// RunScript runs a scenario in text and returns it with the traces that came, to be compared with the text or written
// over it. A scenario is a list of blocks:
//
//	# what happens here
//	packet write path=0 len=8
//	----
//	+13 window.packet x1 c0 p0: class=new ack_now=1
//	                                                    (an empty line ends the trace)
//
// Lines before ---- are stimulus (Script's methods say which); at ---- the device runs until it is idle and shows what
// the last `show` line names. Times count from the block's start. Mistakes carry the number of their line.
func RunScript(text []byte) ([]byte, error) {
	d, err := pipe.New(pipe.Config{Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny), MemoryLo: 20, MemoryHi: 20})
	if err != nil {
		return nil, err
	}
	s := &script{device: d, show: map[event.Kind]bool{}}
	var out bytes.Buffer
	inTrace := false
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		switch {
		case inTrace:
			inTrace = line != ""
			if inTrace {
				continue
			}
		case line == "----":
			inTrace = true
			out.WriteString("----\n")
			trace, err := s.run()
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			out.WriteString(trace + "\n")
			continue
		default:
			if err := s.line(line); err != nil {
				return nil, fmt.Errorf("line %d: %q: %w", n+1, line, err)
			}
			out.WriteString(line + "\n")
		}
	}
	if !inTrace {
		return nil, fmt.Errorf("the last block has no ----: nothing of it would be looked at")
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// script is the state of a scenario: defaults that make its lines short.
type script struct {
	device *pipe.Device
	show   map[event.Kind]bool
	base   struct{ psn, tsn, msn uint32 } // what +N counts from
	psn    [16]uint32                     // next of each path, relative
	tsn    [16]uint32
	epoch  uint8
}

func (s *script) line(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasPrefix(line, "#") {
		return nil
	}
	if words[0] == "show" {
		return s.setShow(words[1:])
	}
	name, rest := "", words[1:]
	if words[0] == "packet" || words[0] == "command" {
		if len(rest) == 0 {
			return fmt.Errorf("want a name behind %s", words[0])
		}
		name, rest = rest[0], rest[1:]
	}
	a, err := parseArgs(rest)
	if err != nil {
		return err
	}
	switch words[0] {
	case "open":
		err = s.open(a)
	case "packet":
		err = s.packet(name, a)
	case "command":
		err = s.command(name, a)
	case "fault":
		s.device.Fault(a.num("lo", 0), a.num("hi", 0))
	case "wait":
		s.device.WaitCycles(a.num("cycles", 1))
	case "idle":
		s.device.WaitIdle()
	case "write":
		s.device.Write(uint16(a.num("addr", 0)), uint32(a.num("value", 0)))
	default:
		return fmt.Errorf("want show, open, packet, command, fault, wait, idle or write")
	}
	if err == nil {
		err = a.err()
	}
	return err
}

func (s *script) setShow(names []string) error {
	clear(s.show)
	for _, name := range names {
		found := false
		for _, e := range event.Engines {
			if e.Name == name && (e.Built || e.Boundary) {
				s.show[e.Kind], found = true, true
			}
		}
		if !found {
			return fmt.Errorf("no engine or boundary is called %s", name)
		}
	}
	return nil
}

// open sets up connection 0: two paths, two streams, a key for 64 KB at 0x10000, four receives of 64 bytes.
func (s *script) open(a args) error {
	s.base.psn, s.base.tsn, s.base.msn = uint32(a.num("psn", 100)), uint32(a.num("tsn", 1000)), uint32(a.num("msn", 10))
	s.epoch = uint8(a.num("epoch", 0))
	paths := uint32(a.num("paths", 2))
	list := []struct {
		cmd  event.Command
		args Args
	}{{event.CommandConnSet, Args{"conn": 0x010000, "paths": paths, "base": 0, "log2": 1}}}
	add := func(cmd event.Command, args Args) {
		list = append(list, struct {
			cmd  event.Command
			args Args
		}{cmd, args})
	}
	for p := range paths {
		add(event.CommandPathSet, Args{"conn": 0, "path": p, "psn": s.base.psn, "tsn": s.base.tsn, "epoch": uint32(s.epoch), "peer": 0x77})
	}
	for row := range uint32(2) {
		add(event.CommandStreamSet, Args{"row": row, "msn": s.base.msn, "life": 1})
	}
	add(event.CommandKeySet, Args{"rkey": 0x101, "conn": 0, "addr_lo": 0x10000, "length": 0x10000, "perm": 1})
	for i := range uint32(a.num("recvs", 4)) {
		add(event.CommandRecvPost, Args{"row": 0, "recv": i, "addr_lo": 0x80000 + i*0x100, "length": 64, "wr_id": 0x40 + i})
	}
	for _, c := range list {
		if err := s.send(c.cmd, c.args); err != nil {
			return err
		}
	}
	_, err := Records(s.device) // the set-up is not shown
	return err
}

func (s *script) send(cmd event.Command, args Args) error {
	writes, err := Command(cmd, args)
	for _, w := range writes {
		s.device.Write(w.Addr, w.Value)
	}
	return err
}

func (s *script) command(name string, a args) error {
	for i := range event.Commands {
		if event.Commands[i].Name != name {
			continue
		}
		args := Args{}
		for key := range a.values {
			args[key] = uint32(a.num(key, 0))
		}
		return s.send(event.Commands[i].Command, args)
	}
	return fmt.Errorf("no command is called %s", name)
}

func (s *script) packet(name string, a args) error {
	opcode, ok := opcodeByName(name)
	if !ok {
		return fmt.Errorf("no packet is called %s", name)
	}
	kind := wire.Kinds[opcode]
	path := uint8(a.num("path", 0))
	p := &Packet{
		Net:  Net{VLAN: a.flag("vlan"), IPv6: a.flag("ipv6"), Ce: a.flag("ce"), Sport: uint16(a.num("sport", 0)), Dport: uint16(a.num("port", 0))},
		Base: wire.Base{Opcode: opcode, DstConn: uint32(a.num("conn", 0x010000)), Path: path, FlagA: a.flag("a"), FlagD: a.flag("d"), FlagL: a.flag("l"), TxTime: uint32(a.num("time", 0))},
	}
	p.Epoch = uint8(a.num("epoch", uint64(s.epoch)))
	slot := path & 15
	if kind.Psn == wire.PsnAndTsn {
		n := uint32(a.num("psn", uint64(s.psn[slot])))
		s.psn[slot] = n + 1
		p.Psn = s.base.psn + n
	}
	if kind.Psn != wire.NoPsn {
		n := uint32(a.num("tsn", uint64(s.tsn[slot])))
		s.tsn[slot] = n + 1
		p.Tsn = s.base.tsn + n
	}
	n := a.num("len", 0)
	msn, stream := s.base.msn+uint32(a.num("msn", 0)), uint16(a.num("stream", 0))
	p.Message = wire.Message{Stream: stream, Msn: msn, Attempt: uint8(a.num("attempt", 0)), Length: uint32(a.num("length", n)), Offset: uint32(a.num("offset", 0))}
	p.Target = wire.Target{Rkey: uint32(a.num("rkey", 0x101)), Addr: a.num("addr", 0x10000)}
	p.Match, p.Imm = wire.Match{RecvIndex: uint32(a.num("recv", 0))}, wire.Imm{ImmValue: uint32(a.num("imm", 0))}
	p.Read, p.Atomic = wire.Read{Stream: stream, Msn: msn}, wire.Atomic{Stream: stream, Msn: msn}
	p.Probe = wire.Probe{Port: uint16(a.num("new_port", 0)), NewEpoch: uint8(a.num("new_epoch", 0)), Query: a.flag("query"), Txn: uint8(a.num("txn", 0)), Stream: stream, Msn: msn}
	if kind.Payload {
		for i := range n {
			p.Payload = append(p.Payload, byte(i))
		}
	}
	frame := p.Frame()
	if a.flag("broken") {
		frame[len(frame)-1] ^= 1
	}
	s.device.Frame(frame, a.num("gap", 0))
	return nil
}

func opcodeByName(name string) (wire.Opcode, bool) {
	for i := range wire.Kinds {
		if wire.Kinds[i].Known && wire.Kinds[i].Name == name {
			return wire.Opcode(i), true
		}
	}
	return 0, false
}

// args are key=value words; a word without = is a flag. What no one asks for is a mistake.
type args struct {
	values map[string]string
	used   map[string]bool
	bad    *[]string
}

func parseArgs(words []string) (args, error) {
	a := args{map[string]string{}, map[string]bool{}, new([]string)}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		if _, twice := a.values[key]; twice {
			return a, fmt.Errorf("%s is given twice", key)
		}
		a.values[key] = value
	}
	return a, nil
}

// num is a number, decimal or 0x; +N and -N are relative to what the caller counts from, modulo 2^32.
func (a args) num(key string, def uint64) uint64 {
	a.used[key] = true
	text, ok := a.values[key]
	if !ok {
		return def
	}
	if rest, minus := strings.CutPrefix(text, "-"); minus {
		v, err := strconv.ParseUint(rest, 0, 32)
		if err == nil {
			return uint64(-uint32(v))
		}
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 0, 64)
	if err != nil {
		*a.bad = append(*a.bad, fmt.Sprintf("%s=%s: want a number", key, text))
	}
	return v
}

func (a args) flag(key string) bool {
	a.used[key] = true
	_, ok := a.values[key]
	return ok
}

func (a args) err() error {
	for key := range a.values {
		if !a.used[key] {
			*a.bad = append(*a.bad, "no argument "+key)
		}
	}
	if len(*a.bad) > 0 {
		return fmt.Errorf("%s", strings.Join(*a.bad, "; "))
	}
	return nil
}
