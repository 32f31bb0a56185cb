package modeltest

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// run lets the device become idle and returns the lines of what is shown.
func (s *script) run() (string, error) {
	start := s.device.Cycle()
	records, err := Records(s.device)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, rec := range records {
		if s.show[event.Kind(rec[1])] {
			fmt.Fprintf(&b, "+%d %s\n", cycleOf(rec)-start, Line(rec))
		}
	}
	return b.String(), nil
}

// Line shows a record in one line: what was decided (at an edge: what was seen), without what is zero.
func Line(rec []byte) string {
	var h event.Head
	if err := h.Decode(rec); err != nil {
		return err.Error()
	}
	info := event.Info(h.Kind)
	if info == nil {
		return h.Kind.String()
	}
	name := info.Name
	if !info.Boundary {
		name += "." + event.OpName(h.Kind, h.Op)
	}
	if h.Xid != 0 {
		name += fmt.Sprintf(" x%s", xidText(h.Xid))
	}
	if !info.Boundary || h.Kind == event.KindPacketOut {
		name += fmt.Sprintf(" c%d p%d", h.Conn, h.Path)
	}
	if h.Kind == event.KindPacketOut {
		return name + ": " + packetText(rec)
	}
	var words []string
	for i := range info.Fields {
		f := &info.Fields[i]
		if f.Group == event.GroupRow || f.Group == event.GroupIn && !info.Boundary || f.Name == "hash" {
			continue
		}
		if le := f.Bytes(rec); strings.Trim(string(le), "\x00") != "" || f.Enum == "class" {
			words = append(words, f.Name+"="+f.Format(le))
		}
	}
	return strings.TrimSuffix(name+": "+strings.Join(words, " "), ": ")
}

// xidText is n for a frame, cmd n for a command.
func xidText(xid uint32) string {
	if xid >= 1<<31 {
		return fmt.Sprintf("cmd%d", xid-1<<31)
	}
	return fmt.Sprint(xid)
}

// packetText shows what a packet says.
func packetText(rec []byte) string {
	var p event.PacketOut
	if err := p.Decode(rec); err != nil {
		return err.Error()
	}
	var base wire.Base
	if err := base.Decode(p.In.Bytes[:]); err != nil {
		return err.Error()
	}
	head := fmt.Sprintf("%v sport=%d epoch=%d", base.Opcode, p.In.Sport, base.Epoch)
	if base.FlagD {
		head += " d"
	}
	body := p.In.Bytes[wire.BaseSize:]
	switch base.Opcode {
	case wire.OpcodeAck:
		var h wire.Ack
		_ = h.Decode(body)
		return head + ackText(&h)
	case wire.OpcodeNak:
		var h wire.Nak
		_ = h.Decode(body)
		return head + fmt.Sprintf(" stream=%d msn=%d attempt=%d syndrome=%v", h.Stream, h.Msn, h.Attempt, h.Syndrome)
	case wire.OpcodeAnswer:
		var h wire.Answer
		_ = h.Decode(body)
		return head + fmt.Sprintf(" port=%d new_epoch=%d query=%t txn=%d stream=%d completed=%d syndrome=%v msn=%d attempt=%d",
			h.Port, h.NewEpoch, h.Query, h.Txn, h.Stream, h.Completed, h.Syndrome, h.Msn, h.Attempt)
	}
	return head
}

func ackText(h *wire.Ack) string {
	s := fmt.Sprintf(" echo=%d held=%d cum=%d", h.EchoPsn, h.Held, h.Cum)
	if !h.Vector.IsZero() {
		s += " came=("
		for i := range uint32(256) {
			if h.Vector.Get(i) {
				s += fmt.Sprintf("+%d ", i)
			}
		}
		s = strings.TrimRight(s, " ") + ")"
	}
	if h.HighValid {
		s += fmt.Sprintf(" high_tsn=%d", h.HighTsn)
	}
	s += fmt.Sprintf(" packets=%d bytes=%d", h.Packets, h.Bytes)
	if h.Ce != 0 {
		s += fmt.Sprintf(" ce=%d", h.Ce)
	}
	if h.Dups != 0 {
		s += fmt.Sprintf(" dups=%d", h.Dups)
	}
	if h.HintGen != 0 {
		s += fmt.Sprintf(" hint=%d/%d", h.Hint, h.HintGen)
	}
	if h.NoticeValid {
		s += fmt.Sprintf(" notice=%d:%d", h.NoticeStream, h.NoticeMsn)
	}
	return s
}
