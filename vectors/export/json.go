package export

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

// JSON writes vectors as one object. Frames stand whole in hex, beside the fields of their packets, so that a reader
// needs no payload function. Keys are in snake case and values with names stand by them, as in Text (docs/vectors.md).
// Bytes of rows and inputs are those of docs/events.md from byte 36 on.
func JSON(w io.Writer, h mrv.Header, vectors []*mrv.Vector) error {
	out := jsonFile{Schema: h.Schema, Spec: h.Spec, Model: h.Model, Generator: h.Generator}
	for _, v := range vectors {
		out.Vectors = append(out.Vectors, jsonOf(v))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

type jsonFile struct {
	Schema    uint32       `json:"schema"`
	Spec      string       `json:"spec"`
	Model     string       `json:"model"`
	Generator string       `json:"generator"`
	Vectors   []jsonVector `json:"vectors"`
}

type jsonVector struct {
	Name     string        `json:"name"`
	ID       string        `json:"id"`
	Kind     string        `json:"kind"`
	Title    string        `json:"title"`
	Rules    []string      `json:"rules"`
	Requires []string      `json:"requires,omitempty"`
	Preset   string        `json:"preset"`
	Seed     uint64        `json:"seed"`
	Source   jsonSource    `json:"source"`
	Items    []jsonItem    `json:"items,omitempty"`
	Acts     []jsonAct     `json:"acts,omitempty"`
	Fates    []jsonFate    `json:"fates,omitempty"`
	Segments []jsonSegment `json:"segments,omitempty"`
	Sees     []jsonSee     `json:"sees,omitempty"`
	Steps    []jsonStep    `json:"steps,omitempty"`
}

type jsonItem struct {
	Kind   string      `json:"kind"`
	Port   string      `json:"port,omitempty"`
	Addr   uint16      `json:"addr,omitempty"`
	Value  uint32      `json:"value,omitempty"`
	Gap    uint32      `json:"gap,omitempty"`
	Lo     uint64      `json:"lo,omitempty"`
	Hi     uint64      `json:"hi,omitempty"`
	Chance uint16      `json:"permille,omitempty"`
	Run    uint16      `json:"run,omitempty"`
	Xid    uint32      `json:"xid,omitempty"`
	Packet *jsonPacket `json:"packet,omitempty"`
	Frame  string      `json:"frame,omitempty"`
}

type jsonPacket struct {
	Opcode string `json:"opcode"`
	Path   uint8  `json:"path"`
	Conn   uint32 `json:"dst_conn"`
	Psn    uint32 `json:"psn"`
	Tsn    uint32 `json:"tsn"`
	Epoch  uint8  `json:"epoch"`
	Flags  string `json:"flags,omitempty"`
	Stream uint16 `json:"stream"`
	Msn    uint32 `json:"msn"`
	Length uint32 `json:"length"`
	Offset uint32 `json:"offset"`
	Bytes  int    `json:"bytes"`
	Bad    string `json:"bad,omitempty"`
}

// jsonSource says where a vector came from.
type jsonSource struct {
	Kind     string `json:"kind"`
	Name     string `json:"name,omitempty"`
	Args     string `json:"args,omitempty"`
	Seed     uint64 `json:"seed"`
	Revision string `json:"revision"`
}

type jsonAct struct {
	Endpoint uint32      `json:"endpoint"`
	What     string      `json:"what"`
	Values   []jsonNamed `json:"values,omitempty"`
}

type jsonNamed struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
	Data  string `json:"data,omitempty"`
}

type jsonStep struct {
	Op     string `json:"op"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func jsonOf(v *mrv.Vector) jsonVector {
	out := jsonVector{Name: v.Name, ID: v.ID, Kind: v.Kind, Title: v.Title, Rules: v.Rules, Requires: v.Requires, Preset: v.Preset, Seed: v.Seed, Source: jsonSource(v.Source)}
	prog := v.Program()
	xid := uint32(0)
	for i := range v.Items {
		it := &v.Items[i]
		j := jsonItem{Kind: it.Kind.String(), Addr: it.Addr, Value: it.Value, Gap: it.Gap, Lo: it.Lo, Hi: it.Hi, Chance: it.Permille, Run: it.Run}
		if it.Kind == stimulus.KindStall {
			j.Port = it.Port.String()
		}
		if it.Kind == stimulus.KindFrame {
			xid++
			j.Xid, j.Frame = xid, hex.EncodeToString(prog.Items[i].Data)
			j.Packet = packetOf(it)
		}
		out.Items = append(out.Items, j)
	}
	for i := range v.Acts {
		out.Acts = append(out.Acts, actOf(&v.Acts[i]))
	}
	for i := range v.Want.Fates {
		out.Fates = append(out.Fates, fateOf(uint32(i+1), &v.Want.Fates[i]))
	}
	for i := range v.Want.Segments {
		out.Segments = append(out.Segments, segmentOf(&v.Want.Segments[i]))
	}
	for i := range v.Sees {
		out.Sees = append(out.Sees, seeOf(&v.Sees[i]))
	}
	var kind event.Kind
	if e := block.ByName(v.Kind); e != nil {
		kind = e.Info().Kind
	}
	for i := range v.Steps {
		s := &v.Steps[i]
		out.Steps = append(out.Steps, jsonStep{event.OpName(kind, s.Op), hex.EncodeToString(s.Before), hex.EncodeToString(s.After)})
	}
	return out
}

func actOf(a *mrv.Act) jsonAct {
	out := jsonAct{Endpoint: a.Endpoint, What: a.What}
	for _, v := range a.Values {
		out.Values = append(out.Values, jsonNamed{v.Name, v.Value, hex.EncodeToString(v.Data)})
	}
	return out
}

func packetOf(it *mrv.Item) *jsonPacket {
	p := it.Packet
	if p == nil {
		return nil
	}
	return &jsonPacket{p.Op.String(), p.Path, p.DstConn, p.Psn, p.Tsn, p.Epoch, flags(it), p.Stream, p.Msn, p.Length, p.Offset, p.Bytes, badName(it)}
}

func flags(it *mrv.Item) string {
	p := it.Packet
	s := ""
	for _, f := range []struct {
		on   bool
		name string
	}{{p.A, "A"}, {p.D, "D"}, {p.R, "R"}, {p.B, "B"}, {p.L, "L"}, {p.Net.CE, "CE"}, {p.Net.IPv6, "ipv6"}, {p.Net.VLAN, "vlan"}} {
		if f.on {
			s += " " + f.name
		}
	}
	if s == "" {
		return ""
	}
	return s[1:]
}

func badName(it *mrv.Item) string {
	if it.Packet.Net.Bad == 0 {
		return ""
	}
	return fmt.Sprint(it.Packet.Net.Bad)
}
