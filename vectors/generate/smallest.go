package generate

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// Smallest makes n Writes of 8 bytes in frames of two beats with no cycle between them: the densest events that the
// wire allows, for measuring speed. Every packet is a message of its own, over all paths of one connection in turn.
func Smallest(p preset.Params, n int) (*compose.Program, error) {
	b := compose.NewBuilder("smallest", p)
	streams := min(4, p.Streams)
	c, err := b.Open(compose.ConnConfig{Gen: 1, Peer: 1, Paths: p.Paths, Streams: streams})
	if err != nil {
		return nil, err
	}
	key := &compose.Region{Conn: c, Base: 1 << 32, Length: 1 << 32, Perm: 1}
	b.SetKey(key)
	b.WaitIdle()
	for i := range n {
		path, s := c.Paths[i%len(c.Paths)], c.Streams[i%streams]
		b.Send(0, &compose.Packet{Op: wire.OpcodeWrite, Bytes: 8, Length: 8, DstConn: c.DstConn(), Path: path.Index, Psn: path.Psn, Tsn: path.Tsn,
			Time: c.Tick(), Stream: s.Index, Msn: s.Msn, Rkey: key.Rkey(), Addr: key.Base + uint64(i&0xffff)*8,
			Net: compose.Net{Sport: path.Sport(c.Index, 0)}}, s.Row)
		path.Psn++
		path.Tsn++
		s.Msn++
	}
	b.WaitIdle()
	return b.Program, nil
}
