package compose

import (
	"fmt"
	"math/bits"

	"metaroce/tandem/model/event"
)

// Conn is a connection as the sender and the driver know it.
type Conn struct {
	Index, Gen uint32
	Peer       uint32
	Base       uint16 // first stream row
	Paths      []*Path
	Streams    []*Stream
	Time       uint32 // sender's clock
}

// DstConn is the field of the base header.
func (c *Conn) DstConn() uint32 { return c.Gen<<16 | c.Index }

// Tick lets the sender's clock run and returns it.
func (c *Conn) Tick() uint32 {
	c.Time += 16
	return c.Time
}

// Path is a path as the sender knows it.
type Path struct {
	Index      uint8
	Psn0, Tsn0 uint32 // first ones
	Epoch0     uint8
	Psn, Tsn   uint32 // next ones
	Epoch      uint8  // current
}

// Sport is the source port that stands for a path in an epoch.
func (p *Path) Sport(conn uint32, epoch uint8) uint16 {
	return uint16(49152 + (conn<<8|uint32(p.Index)<<4|uint32(epoch&15))&0x3fff)
}

// Stream is a stream as the sender and the driver know it.
type Stream struct {
	Index        uint16
	Row          uint16
	Msn0, Recv0  uint32 // first ones
	Msn          uint32 // next message
	Post, Match  uint32 // next receive to post, next one to use
	Life         uint8
	LastRecv     map[uint32]uint32 // recv_index that a message uses
	LatestLength uint32            // length of the latest message
}

// ConnConfig are the first values of a connection.
type ConnConfig struct {
	Index, Gen, Peer, Time uint32
	Paths, Streams         int
	Psn, Tsn, Msn, Recv    uint32
	Epoch                  uint8
}

// Open gives the connection its stream rows and appends the commands that set it up.
func (b *Builder) Open(c ConnConfig) (*Conn, error) {
	switch p := b.Params; {
	case int(c.Index) >= p.Conns:
		return nil, fmt.Errorf("connection %d: preset %s has %d", c.Index, p.Name, p.Conns)
	case c.Paths < 1 || c.Paths > p.Paths:
		return nil, fmt.Errorf("%d paths: preset %s has 1..%d a connection", c.Paths, p.Name, p.Paths)
	case c.Streams < 1 || bits.OnesCount(uint(c.Streams)) != 1:
		return nil, fmt.Errorf("%d streams: a connection has a power of two", c.Streams)
	}
	base := b.NextRow(c.Streams)
	if base+c.Streams > b.Params.Streams {
		return nil, fmt.Errorf("%d streams: preset %s has %d and %d are taken", c.Streams, b.Params.Name, b.Params.Streams, b.rows)
	}
	b.rows = base + c.Streams
	conn := &Conn{Index: c.Index, Gen: c.Gen, Peer: c.Peer, Base: uint16(base), Time: c.Time}
	b.SetConn(conn, c.Paths, c.Streams)
	for i := range c.Paths {
		conn.Paths = append(conn.Paths, &Path{Index: uint8(i)})
		b.StartPath(conn, conn.Paths[i], c.Psn, c.Tsn, c.Epoch)
	}
	for i := range c.Streams {
		conn.Streams = append(conn.Streams, &Stream{Index: uint16(i), Row: uint16(base + i)})
		b.OpenStream(conn.Streams[i], c.Msn, c.Recv, 1)
	}
	return conn, nil
}

// NextRow is the first stream row that a connection with so many streams would get.
func (b *Builder) NextRow(streams int) int { return (b.rows + streams - 1) &^ (streams - 1) }

// SetConn writes the connection's row.
func (b *Builder) SetConn(c *Conn, paths, streams int) {
	b.Command(event.CommandConnSet, Arg{event.RegCmdConn, c.DstConn()}, Arg{event.RegCmdPath, uint32(paths)},
		Arg{event.RegCmdStream, uint32(c.Base)}, Arg{event.RegCmdMisc, uint32(bits.TrailingZeros(uint(streams)))})
}

// StartPath starts a path's window.
func (b *Builder) StartPath(c *Conn, p *Path, psn, tsn uint32, epoch uint8) {
	*p = Path{Index: p.Index, Psn0: psn, Tsn0: tsn, Epoch0: epoch, Psn: psn, Tsn: tsn, Epoch: epoch}
	b.Command(event.CommandPathSet, Arg{event.RegCmdConn, c.DstConn()}, Arg{event.RegCmdPath, uint32(p.Index)}, Arg{event.RegCmdPsn, psn},
		Arg{event.RegCmdTsn, tsn}, Arg{event.RegCmdEpoch, uint32(epoch)}, Arg{event.RegCmdPeer, c.Peer})
}

// OpenStream opens a stream with a life.
func (b *Builder) OpenStream(s *Stream, msn, recv uint32, life uint8) {
	*s = Stream{Index: s.Index, Row: s.Row, Msn0: msn, Recv0: recv, Msn: msn, Post: recv, Match: recv, Life: life, LastRecv: map[uint32]uint32{}}
	b.Command(event.CommandStreamSet, Arg{event.RegCmdStream, uint32(s.Row)}, Arg{event.RegCmdMsn, msn}, Arg{event.RegCmdMisc, uint32(life)})
}

// CloseStream closes a stream.
func (b *Builder) CloseStream(s *Stream) {
	b.Command(event.CommandStreamClose, Arg{event.RegCmdStream, uint32(s.Row)})
}

// CloseConn clears a connection.
func (b *Builder) CloseConn(c *Conn) {
	b.Command(event.CommandConnClear, Arg{event.RegCmdConn, c.DstConn()})
}

// PostRecv posts a receive.
func (b *Builder) PostRecv(s *Stream, index uint32, buf Buffer) {
	r := Receive{s.Row, index}
	b.Program.Posted[r] = append(b.Program.Posted[r], buf)
	b.Command(event.CommandRecvPost, Arg{event.RegCmdStream, uint32(s.Row)}, Arg{event.RegCmdRecv, index}, Arg{event.RegCmdAddrLo, uint32(buf.Addr)},
		Arg{event.RegCmdAddrHi, uint32(buf.Addr >> 32)}, Arg{event.RegCmdLength, buf.Length}, Arg{event.RegCmdWrId, buf.WrID})
}

// ClearRecv takes a receive back.
func (b *Builder) ClearRecv(s *Stream, index uint32) {
	b.Command(event.CommandRecvClear, Arg{event.RegCmdStream, uint32(s.Row)}, Arg{event.RegCmdRecv, index})
}

// Region is a memory region.
type Region struct {
	Index  uint32
	Tag    uint8
	Conn   *Conn
	Base   uint64
	Length uint64
	Perm   uint8 // bit 0 remote write, 1 remote read, 2 remote atomic
}

// Rkey is the key on the wire.
func (r *Region) Rkey() uint32 { return r.Index<<8 | uint32(r.Tag) }

// SetKey makes a region usable.
func (b *Builder) SetKey(r *Region) {
	b.Command(event.CommandKeySet, Arg{event.RegCmdRkey, r.Rkey()}, Arg{event.RegCmdConn, r.Conn.DstConn()},
		Arg{event.RegCmdAddrLo, uint32(r.Base)}, Arg{event.RegCmdAddrHi, uint32(r.Base >> 32)},
		Arg{event.RegCmdLength, uint32(r.Length)}, Arg{event.RegCmdLengthHi, uint32(r.Length >> 32)}, Arg{event.RegCmdMisc, uint32(r.Perm)})
}

// ClearKey removes a region.
func (b *Builder) ClearKey(r *Region) {
	b.Command(event.CommandKeyClear, Arg{event.RegCmdRkey, r.Rkey()})
}

// SkipRows leaves stream rows out, so that the next connection starts at row n or behind it.
func (b *Builder) SkipRows(n int) { b.rows = max(b.rows, n) }
