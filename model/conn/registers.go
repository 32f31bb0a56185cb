package conn

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// ID is what register ID reads: the working format, version 1.
const ID = 0x4d520001

// registers are the values behind the register port.
type registers struct {
	udpPort uint16
	hint    uint32
	hintGen uint8
	args    [(event.RegCmdOp - event.RegCmdConn) / 4]uint32 // arguments of commands: they keep their values
	sent    uint32                                          // commands started
	done    uint32                                          // commands confirmed

	// What a register shows beyond what was counted, modulo 2^32, since it was written.
	moreSent     uint32
	moreDone     uint32
	moreDrops    [32]uint32
	moreVerdicts [16]uint32
}

const hintMask = 1<<20 - 1

func (g *registers) reset() { *g = registers{udpPort: preset.UDPPort} }

// isArg tells whether addr is an argument register of commands.
func isArg(addr uint16) bool { return addr >= event.RegCmdConn && addr < event.RegCmdOp && addr%4 == 0 }

// entry finds addr among the n entries of an array of counters.
func entry(addr, first uint16, n int) (int, bool) {
	i := int(addr-first) / 4
	return i, addr >= first && i < n && addr%4 == 0
}

// writeRegister carries out a write. Read-only registers and holes take no notice of it.
func (r *Receiver) writeRegister(addr uint16, value uint32) {
	g := &r.regs
	switch {
	case addr == event.RegUDPPort:
		g.udpPort = uint16(value)
	case addr == event.RegHint:
		g.hint = value & hintMask
	case addr == event.RegHintGen:
		g.hintGen = uint8(value)
	case addr == event.RegCmdOp:
		r.startCommand(value)
	case addr == event.RegCmdSent:
		g.moreSent = value - g.sent
	case addr == event.RegCmdDone:
		g.moreDone = value - g.done
	case isArg(addr):
		g.args[(addr-event.RegCmdConn)/4] = value
	}
	if i, ok := entry(addr, event.RegDrops, len(g.moreDrops)); ok {
		g.moreDrops[i] = value - r.counters.Drops[i]
	}
	if i, ok := entry(addr, event.RegVerdicts, len(g.moreVerdicts)); ok {
		g.moreVerdicts[i] = value - r.counters.Verdicts[i]
	}
}

// readRegister predicts what a read gives now.
func (r *Receiver) readRegister(addr uint16) uint32 {
	g := &r.regs
	switch {
	case addr == event.RegId:
		return ID
	case addr == event.RegSchemaLo:
		return uint32(event.SchemaHash & 0xffffffff)
	case addr == event.RegSchemaHi:
		return uint32(event.SchemaHash >> 32)
	case addr == event.RegUDPPort:
		return uint32(g.udpPort)
	case addr == event.RegHint:
		return g.hint
	case addr == event.RegHintGen:
		return uint32(g.hintGen)
	case addr == event.RegCmdDone:
		return g.done + g.moreDone
	case addr == event.RegCmdSent:
		return g.sent + g.moreSent
	case isArg(addr):
		return g.args[(addr-event.RegCmdConn)/4]
	}
	if i, ok := entry(addr, event.RegDrops, len(g.moreDrops)); ok {
		return r.counters.Drops[i] + g.moreDrops[i]
	}
	if i, ok := entry(addr, event.RegVerdicts, len(g.moreVerdicts)); ok {
		return r.counters.Verdicts[i] + g.moreVerdicts[i]
	}
	return 0
}

// startCommand makes the descriptor that a write of CMD_OP sends down the pipeline. A number that names no command
// starts nothing.
func (r *Receiver) startCommand(number uint32) {
	info := commandInfo(number)
	if info == nil {
		return
	}
	d := event.Desc{Op: info.Command}
	for i := range info.Args {
		a := &info.Args[i]
		a.SetDesc(&d, r.regs.args[(a.Reg-event.RegCmdConn)/4])
	}
	r.addCommand(&d)
}

func commandInfo(number uint32) *event.CommandInfo {
	for i := range event.Commands {
		if uint32(event.Commands[i].Command) == number {
			return &event.Commands[i]
		}
	}
	return nil
}

// addCommand numbers a command and queues it for admit.
func (r *Receiver) addCommand(d *event.Desc) uint32 {
	d.Xid = 1<<31 | (FirstCommand + r.regs.sent + r.regs.moreSent)
	r.regs.sent++
	c := r.commands.Push()
	c.d, c.at = *d, r.now
	return d.Xid
}
