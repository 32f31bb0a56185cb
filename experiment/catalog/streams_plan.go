package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/rocev2"
)

// holeMatch knows the packet of the hole again, first time or not.
func holeMatch(t cluster.Transport, v experiment.Values) func(p *fabric.Packet) bool {
	middle := v.Number("messages") / 2
	switch t := t.(type) {
	case *meta:
		return func(p *fabric.Packet) bool {
			b := t.Packet(p.Ref)
			return b.IsData() && b.Stream == holeStream && uint64(b.Msn) == middle && b.Offset == holePacket*payloadSize
		}
	case *rocev2.Transport:
		per := (v.Number("bytes") + payloadSize - 1) / payloadSize
		var port uint16 // of the first packet that comes: stream 0 posts first
		return func(p *fabric.Packet) bool {
			psn, ok := t.Data(p.Ref)
			if ok && port == 0 {
				port = p.Sport
			}
			return ok && p.Sport == port && uint64(psn) == middle*per+holePacket
		}
	}
	panic("catalog BUG: a transport whose packets cannot be told apart")
}

func streamsPlan() experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "load", Unit: "1/1000", Key: true, What: "offered, of what the link carries"},
			{Name: "times", Key: true, What: "times that the packet was taken away"},
			transportColumn(),
			{Name: "moved", Unit: "packet times", What: "largest delay of a message of any other stream against the run without a hole"},
			{Name: "each", Unit: "packet times", What: "that delay for each time that the packet was taken away"},
			{Name: "own", Unit: "us", What: "largest delay of a message of the stream with the hole"},
		}, commonColumns()...),
		Gates: []experiment.Gate{{Name: "other streams", Rule: "no message of another stream of MetaRoCE is later by more than one packet time for each retransmission of the hole",
			Judge: experiment.AtMost(experiment.Where{"transport": metaName}, "each", "1", "load", "times")}},
		Plots: []experiment.Plot{{Name: "moved", Title: "What the other streams feel of a hole", Kind: experiment.Bars, X: "times", Y: "each", YUnit: "packet times a loss", Series: []string{"transport", "load"},
			Levels: []experiment.Level{{Y: experiment.Decimal("1"), Label: "limit and gate"}}}},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			for _, r := range experiment.Pick(rows, experiment.Where{"transport": metaName}) {
				w := experiment.Where{"load": r.Text("load"), "times": r.Text("times")}
				c := sideBySide(rows, w, "each", less)
				one := experiment.Decimal("1.0000")
				c.What, c.Unit = "delay of others, load "+w["load"]+"/1000, taken away "+w["times"]+" times", "packet times each"
				c.Limit, c.Why = &one, "on a full link a retransmission takes the time of one packet"
				list = append(list, c)
			}
			return list
		},
	}
}
