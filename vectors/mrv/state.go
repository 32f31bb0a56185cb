package mrv

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
)

// States are written as differences from what their packet and the state before it say, so that a path on which all is
// well costs two bytes a packet. Reader and writer predict alike.
type predictor struct {
	v    *Vector
	last map[expect.Path]*expect.State
	xid  uint32 // of the state before, in the file
}

func newPredictor(v *Vector) *predictor {
	return &predictor{v: v, last: map[expect.Path]*expect.State{}}
}

// scalars are the values of a state in the order of their field numbers.
type scalars [16]int64

const (
	sXid = iota
	sConn
	sPath
	sPeer
	sEpoch
	sDetour
	sSport
	sHighValid
	sCum
	sHighTsn
	sEchoPsn
	sEchoTime
	sPackets
	sCe
	sDups
	sBytes
)

func scalarsOf(s *expect.State) scalars {
	a := &s.Ack
	return scalars{int64(s.Xid), int64(s.Conn), int64(s.Index), int64(s.Peer), int64(a.Epoch), flag(a.Detour), int64(a.Sport), flag(a.HighValid), int64(a.Cum),
		int64(a.HighTsn), int64(a.EchoPsn), int64(a.EchoTime), int64(a.Packets), int64(a.Ce), int64(a.Dups), int64(a.Bytes)}
}

func (p *scalars) state(vector wire.Bitmap256) expect.State {
	return expect.State{Path: expect.Path{Conn: uint16(p[sConn]), Index: uint8(p[sPath])}, Xid: uint32(p[sXid]), Peer: uint32(p[sPeer]), Ack: expect.Report{
		Epoch: uint8(p[sEpoch]), Detour: p[sDetour] != 0, Sport: uint16(p[sSport]), HighValid: p[sHighValid] != 0, Cum: uint32(p[sCum]), HighTsn: uint32(p[sHighTsn]),
		EchoPsn: uint32(p[sEchoPsn]), EchoTime: uint32(p[sEchoTime]), Packets: uint32(p[sPackets]), Ce: uint32(p[sCe]), Dups: uint32(p[sDups]), Bytes: uint64(p[sBytes]),
		Vector: vector,
	}}
}

// tops are the highest values of the scalars: what does not fit is no state.
var tops = scalars{1<<32 - 1, 1<<16 - 1, 255, 1<<24 - 1, 15, 1, 1<<16 - 1, 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<48 - 1}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// packet is that of a frame; nil where it is not known.
func (p *predictor) packet(xid uint32) *compose.Packet {
	prog := p.v.Program()
	if xid == 0 || uint64(xid) > uint64(len(prog.Frames)) || prog.Frames[xid-1].Packet.Op == 0 {
		return nil
	}
	return &prog.Frames[xid-1].Packet
}

// predict says what the next state would be. conn and path are those of the packet of that xid.
func (p *predictor) path(xid uint32) expect.Path {
	if pkt := p.packet(xid); pkt != nil {
		return expect.Path{Conn: pkt.ConnIndex(), Index: pkt.Path}
	}
	return expect.Path{}
}

func (p *predictor) predict(xid uint32, path expect.Path) scalars {
	s := p.last[path]
	if s == nil {
		s = &expect.State{Path: path}
	}
	g := scalarsOf(s)
	pkt := p.packet(xid)
	if pkt == nil {
		return g
	}
	g[sEchoTime], g[sSport], g[sDetour] = int64(pkt.Time), int64(pkt.Net.Sport), flag(pkt.D)
	if wire.Kinds[pkt.Op].Psn != wire.PsnAndTsn {
		return g
	}
	g[sEchoPsn] = int64(pkt.Psn)
	g[sPackets]++
	g[sCe] += flag(pkt.Net.CE)
	if f := p.v.Want.Fates[xid-1]; f.Class == event.ClassNew {
		if wire.Kinds[pkt.Op].Payload {
			g[sBytes] += int64(pkt.Bytes)
		}
	} else {
		g[sDups]++
	}
	return g
}

// moved is the vector of the state before, moved down by so many bits.
func (p *predictor) moved(path expect.Path, by int64) wire.Bitmap256 {
	s := p.last[path]
	if s == nil || by < 0 || by > 255 {
		return wire.Bitmap256{}
	}
	v := s.Ack.Vector
	if by > 0 {
		v.ShiftRight(int(by))
	}
	return v
}

func (p *predictor) append(b []byte, s *expect.State) []byte {
	have := scalarsOf(s)
	home := p.path(s.Xid)
	guess := p.predict(s.Xid, s.Path)
	b = putSint(b, 1, have[sXid]-int64(p.xid)-1)
	b = putSint(b, 2, have[sConn]-int64(home.Conn))
	b = putSint(b, 3, have[sPath]-int64(home.Index))
	for i := sPeer; i <= sBytes; i++ {
		b = putSint(b, number(i), have[i]-guess[i])
	}
	v := p.moved(s.Path, have[sCum]-guess[sCum])
	for i := range v {
		v[i] ^= s.Ack.Vector[i]
	}
	b = putBytes(b, 17, bitmapBytes(&v))
	p.take(s)
	return b
}

func (p *predictor) take(s *expect.State) {
	p.xid = s.Xid
	c := *s
	p.last[s.Path] = &c
}

// decode reads the differences of a message and gives the state.
func (p *predictor) decode(diff *scalars, change []byte) (expect.State, bool) {
	xid := int64(p.xid) + 1 + diff[sXid]
	if xid < 0 || xid > tops[sXid] {
		return expect.State{}, false
	}
	home := p.path(uint32(xid))
	conn, path := int64(home.Conn)+diff[sConn], int64(home.Index)+diff[sPath]
	if conn < 0 || conn > tops[sConn] || path < 0 || path > tops[sPath] {
		return expect.State{}, false
	}
	at := expect.Path{Conn: uint16(conn), Index: uint8(path)}
	if uint64(xid) < expect.CommandBit && (xid == 0 || int(xid) > len(p.v.Want.Fates)) {
		return expect.State{}, false
	}
	have := p.predict(uint32(xid), at)
	for i := sPeer; i <= sBytes; i++ {
		have[i] += diff[i]
	}
	have[sXid], have[sConn], have[sPath] = xid, conn, path
	for i := range have {
		if have[i] < 0 || have[i] > tops[i] {
			return expect.State{}, false
		}
	}
	v, ok := bitmapOf(change)
	if !ok {
		return expect.State{}, false
	}
	m := p.moved(at, diff[sCum])
	for i := range v {
		v[i] ^= m[i]
	}
	s := have.state(v)
	p.take(&s)
	return s, true
}

// bitmapBytes are the bytes of a vector, cut behind the last set bit.
func bitmapBytes(v *wire.Bitmap256) []byte {
	n := 0
	for i := range v {
		if v[i] != 0 {
			n = 8*i + (bits.Len64(v[i])+7)/8
		}
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(v[i/8] >> (8 * (i % 8)))
	}
	return b
}

func bitmapOf(b []byte) (v wire.Bitmap256, ok bool) {
	if len(b) > 32 || len(b) > 0 && b[len(b)-1] == 0 {
		return v, false
	}
	for i, x := range b {
		v[i/8] |= uint64(x) << (8 * (i % 8))
	}
	return v, true
}
