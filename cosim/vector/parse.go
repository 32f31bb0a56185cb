package vector

import (
	"context"
	"fmt"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/mrv"
)

// Broken makes a vector for every mutation of a frame: it comes over IPv4 and IPv6, with and without VLAN, between right
// ones, so that a parser that loses its place shows at the frame behind.
func Broken(ctx context.Context, presetName string) ([]*mrv.Vector, error) {
	p, err := params(presetName)
	if err != nil {
		return nil, err
	}
	var list []*mrv.Vector
	for i := range compose.Mutations {
		m := &compose.Mutations[i]
		v := fresh("parse/"+m.Name, presetName, mrv.Source{Kind: "directed", Name: "mutation " + m.Name})
		v.Title, v.Rules = fmt.Sprintf("frames with %s, and right ones between them", m.Text), []string{"R-FRAME", "R-ADMIT"}
		b := compose.NewBuilder(v.Name, p)
		b.InOrder = true
		if err := broken(b, m.Bad); err != nil {
			return nil, err
		}
		v.FromProgram(b.Program)
		if err := Bless(ctx, v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func broken(b *compose.Builder, bad compose.Bad) error {
	conn, err := b.Open(compose.ConnConfig{Index: 0, Gen: 1, Peer: 0x100, Paths: 1, Streams: 1, Psn: 1<<32 - 4, Time: 1000})
	if err != nil {
		return err
	}
	region := &compose.Region{Conn: conn, Tag: 0xa0, Base: 1 << 44, Length: 1 << 40, Perm: 1}
	b.SetKey(region)
	b.WaitIdle()
	path, stream := conn.Paths[0], conn.Streams[0]
	send := func(net compose.Net, bytes int) {
		pkt := compose.Packet{Op: wire.OpcodeWrite, Epoch: path.Epoch, DstConn: conn.DstConn(), Psn: path.Psn, Tsn: path.Tsn, Time: conn.Tick(), Msn: stream.Msn,
			Length: uint32(bytes), Bytes: bytes, Rkey: region.Rkey(), Addr: region.Base + uint64(stream.Msn)<<12, Net: net}
		pkt.Net.Sport = path.Sport(0, path.Epoch)
		path.Psn, path.Tsn, stream.Msn = path.Psn+1, path.Tsn+1, stream.Msn+1
		b.Send(0, &pkt, stream.Row)
	}
	for _, ipv6 := range []bool{false, true} {
		for _, vlan := range []bool{false, true} {
			net := compose.Net{IPv6: ipv6, VLAN: vlan}
			send(net, 32)
			psn, tsn, msn := path.Psn, path.Tsn, stream.Msn
			net.Bad = bad
			send(net, 200)
			path.Psn, path.Tsn, stream.Msn = psn, tsn, msn // it takes no number: it is dropped, or else it is a duplicate
			net.Bad = compose.BadNone
			send(net, 65)
		}
	}
	return nil
}
