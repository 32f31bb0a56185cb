package generate

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// Touch makes a program that opens every connection of a preset and sends a Write over every one of its paths. The
// first and the last row of every table are used: connection, path, stream, message slot, posted receive, region.
// It returns the number of messages, all of which complete.
func Touch(p preset.Params) (*compose.Program, int, error) {
	t := &toucher{b: compose.NewBuilder("touch", p)}
	last := p.Conns - 1
	for i := range p.Conns {
		if i == last {
			t.b.SkipRows(p.Streams - 1)
		}
		if err := t.open(uint32(i), i == last); err != nil {
			return nil, 0, err
		}
	}
	t.b.WaitIdle()
	for i := range p.Paths {
		for _, c := range t.conns {
			t.write(c, i)
		}
	}
	t.b.WaitIdle()
	for _, c := range []*touched{t.conns[0], t.conns[last]} {
		t.ends(c)
	}
	t.b.WaitIdle()
	return t.b.Program, t.messages, nil
}

type toucher struct {
	b        *compose.Builder
	conns    []*touched
	messages int
}

type touched struct {
	*compose.Conn
	key *compose.Region
}

func (t *toucher) open(index uint32, last bool) error {
	p := &t.b.Params
	c, err := t.b.Open(compose.ConnConfig{Index: index, Gen: 1, Peer: index, Paths: p.Paths, Streams: 1})
	if err != nil {
		return err
	}
	key := &compose.Region{Index: min(index, uint32(p.Keys)-1), Conn: c, Base: uint64(index+1) << 32, Length: 1 << 20, Perm: 1}
	if last {
		key.Index = uint32(p.Keys) - 1
	}
	t.b.SetKey(key)
	t.conns = append(t.conns, &touched{c, key})
	return nil
}

// send sends a message of one packet over a path.
func (t *toucher) send(c *touched, path int, k compose.Packet) {
	p, s := c.Paths[path], c.Streams[0]
	k.DstConn, k.Path, k.Psn, k.Tsn, k.Time, k.Msn = c.DstConn(), p.Index, p.Psn, p.Tsn, c.Tick(), s.Msn
	k.Length, k.L, k.Net.Sport = uint32(k.Bytes), true, p.Sport(c.Index, 0)
	p.Psn++
	p.Tsn++
	s.Msn++
	t.b.Send(0, &k, s.Row)
	t.messages++
}

func (t *toucher) write(c *touched, path int) {
	t.send(c, path, compose.Packet{Op: wire.OpcodeWrite, Bytes: 8, Rkey: c.key.Rkey(), Addr: c.key.Base + uint64(c.Streams[0].Msn)*8})
}

// ends uses the first and the last posted receive of a stream, and then every message slot of it.
func (t *toucher) ends(c *touched) {
	p := &t.b.Params
	for _, index := range []uint32{0, uint32(p.Recvs) - 1} {
		t.b.PostRecv(c.Streams[0], index, compose.Buffer{Addr: 0x4000_0000_0000 + uint64(c.Index)<<16 + uint64(index)<<8, Length: 64, WrID: index})
		t.b.WaitIdle()
		t.send(c, p.Paths-1, compose.Packet{Op: wire.OpcodeSend, Bytes: 16, Recv: index})
	}
	for range p.MsgSlots {
		t.b.WaitIdle()
		t.write(c, 0)
	}
}
