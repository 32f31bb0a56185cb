package export

import (
	"encoding/hex"
	"fmt"
	"slices"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/expect"
)

type jsonFate struct {
	Xid      uint32 `json:"xid"`
	Reason   string `json:"reason"`
	Class    string `json:"class"`
	Syndrome string `json:"syndrome"`
	Verdict  string `json:"verdict"`
	Write    bool   `json:"write"`
	Failed   bool   `json:"failed,omitempty"`
	Addr     uint64 `json:"addr,omitempty"`
	Length   uint16 `json:"length,omitempty"`
}

func fateOf(xid uint32, f *expect.Fate) jsonFate {
	return jsonFate{xid, f.Reason.String(), expect.ClassName(f.Class), f.Syndrome.String(), f.Verdict.String(), f.Write, f.Failed, f.Addr, f.Length}
}

type jsonPoint struct {
	Frames   uint32 `json:"frames"`
	Accesses uint32 `json:"accesses"`
}

type jsonSegment struct {
	End         jsonPoint        `json:"end"`
	States      []jsonState      `json:"states,omitempty"`
	Completions []jsonCompletion `json:"completions,omitempty"`
	Replies     []jsonReply      `json:"replies,omitempty"`
	Reads       []jsonRead       `json:"reads,omitempty"`
	Dones       []jsonDone       `json:"dones,omitempty"`
}

type jsonPath struct {
	Conn uint16 `json:"conn"`
	Path uint8  `json:"path"`
}

type jsonState struct {
	jsonPath
	Xid    uint32     `json:"xid"`
	Peer   uint32     `json:"peer"`
	Report jsonReport `json:"report"`
}

type jsonReport struct {
	Epoch     uint8  `json:"epoch"`
	Detour    bool   `json:"detour"`
	Sport     uint16 `json:"sport"`
	HighValid bool   `json:"high_valid"`
	Cum       uint32 `json:"cum"`
	HighTsn   uint32 `json:"high_tsn"`
	EchoPsn   uint32 `json:"echo_psn"`
	EchoTime  uint32 `json:"echo_time"`
	Packets   uint32 `json:"packets"`
	Ce        uint32 `json:"ce"`
	Dups      uint32 `json:"dups"`
	Bytes     uint64 `json:"bytes"`
	Vector    string `json:"vector"` // 0x and 64 digits
}

type jsonCompletion struct {
	Xid    uint32 `json:"xid"`
	Conn   uint16 `json:"conn"`
	Stream uint16 `json:"stream"`
	Msn    uint32 `json:"msn"`
	Opcode string `json:"opcode"`
	Length uint32 `json:"length"`
	Imm    uint32 `json:"imm_value"`
	WrID   uint32 `json:"wr_id"`
}

type jsonReply struct {
	jsonPath
	Xid       uint32 `json:"xid"`
	Opcode    string `json:"opcode"`
	Sport     uint16 `json:"sport"`
	Peer      uint32 `json:"peer"`
	Body      string `json:"body"`
	Completed uint32 `json:"completed"`
}

type jsonRead struct {
	Addr  uint16 `json:"addr"`
	Value uint32 `json:"value"`
}

type jsonDone struct {
	Xid     uint32 `json:"xid"`
	Command string `json:"command"`
}

func segmentOf(s *expect.Segment) jsonSegment {
	g := jsonSegment{End: jsonPoint(s.End)}
	for i := range s.States {
		x := &s.States[i]
		a := &x.Ack
		g.States = append(g.States, jsonState{jsonPath{x.Conn, x.Index}, x.Xid, x.Peer, jsonReport{a.Epoch, a.Detour, a.Sport, a.HighValid, a.Cum, a.HighTsn, a.EchoPsn,
			a.EchoTime, a.Packets, a.Ce, a.Dups, a.Bytes, bitmap(&a.Vector)}})
	}
	for i := range s.Completions {
		c := &s.Completions[i]
		g.Completions = append(g.Completions, jsonCompletion{c.Xid, c.Conn, c.Stream, c.Msn, c.Opcode.String(), c.Length, c.ImmValue, c.WrId})
	}
	for i := range s.Replies {
		r := &s.Replies[i]
		size := wire.NakSize
		if r.Op == wire.OpcodeAnswer {
			size = wire.AnswerSize
		}
		g.Replies = append(g.Replies, jsonReply{jsonPath{r.Conn, r.Index}, r.Xid, r.Op.String(), r.Sport, r.Peer, hex.EncodeToString(r.Body[:size]), r.Completed})
	}
	for _, r := range s.Reads {
		g.Reads = append(g.Reads, jsonRead(r))
	}
	for _, d := range s.Dones {
		g.Dones = append(g.Dones, jsonDone{d.Xid, d.Op.String()})
	}
	return g
}

func bitmap(b *wire.Bitmap256) string {
	return fmt.Sprintf("0x%016x%016x%016x%016x", b[3], b[2], b[1], b[0])
}

// bits are those of a wide value as Text writes them: the highest first.
func bits(le []byte) string {
	be := slices.Clone(le)
	slices.Reverse(be)
	return "0x" + hex.EncodeToString(be)
}

type jsonSee struct {
	What   string      `json:"what"`
	Rule   string      `json:"rule,omitempty"`
	Order  string      `json:"order"`
	After  jsonPoint   `json:"after"`
	Window *jsonWindow `json:"window,omitempty"`
	Where  string      `json:"where,omitempty"`
	Text   string      `json:"text"`
	Fields []jsonField `json:"fields,omitempty"`
}

// jsonWindow is one of cycles from when a frame enters.
type jsonWindow struct {
	Frame uint32 `json:"frame"`
	Lo    uint64 `json:"lo"`
	Hi    uint64 `json:"hi"`
}

type jsonField struct {
	Name string            `json:"name"`
	Any  []jsonAlternative `json:"any"`
}

// jsonAlternative is a range, a value under a mask, or a value of 256 bits.
type jsonAlternative struct {
	Lo   *uint64 `json:"lo,omitempty"`
	Hi   *uint64 `json:"hi,omitempty"`
	Val  *uint64 `json:"value,omitempty"`
	Mask uint64  `json:"mask,omitempty"`
	Wide string  `json:"wide,omitempty"`
}

func seeOf(s *expect.See) jsonSee {
	out := jsonSee{What: s.What, Rule: s.Rule, Order: s.Order.String(), After: jsonPoint(s.After), Where: s.Where, Text: s.Text}
	if s.Within {
		out.Window = &jsonWindow{s.Anchor, s.Lo, s.Hi}
	}
	for _, f := range s.Fields {
		j := jsonField{Name: f.Name}
		for i := range f.Any {
			j.Any = append(j.Any, alternativeOf(&f.Any[i]))
		}
		out.Fields = append(out.Fields, j)
	}
	return out
}

func alternativeOf(a *expect.Alternative) jsonAlternative {
	switch {
	case a.Wide != nil:
		return jsonAlternative{Wide: bits(a.Wide)}
	case a.Mask != 0:
		return jsonAlternative{Val: &a.Lo, Mask: a.Mask}
	}
	return jsonAlternative{Lo: &a.Lo, Hi: &a.Hi}
}
