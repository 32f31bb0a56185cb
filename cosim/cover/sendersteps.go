package cover

import (
	"math"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

func (c *sender) ccStep(r *event.Cc) {
	c.cc.hit(int(r.Head.Op), int(c.conns[r.In.Conn]))
	c.conns[r.In.Conn] = r.Conn.State
	switch r.Head.Op {
	case event.CcAck:
		c.cut.hit(0, b2i(r.Out.Cut))
	case event.CcTimeout:
		c.cut.hit(1, b2i(r.Out.Cut))
	}
}

// wraps of the sender.
const (
	sentPsn = iota
	sentTsn
	sentCum
	sentEpoch
)

func (c *sender) xmitStep(r *event.Xmit) {
	c.xmit.hit(int(r.Head.Op))
	p := c.path(r.In.PathRow)
	if p.next.NextPsn == math.MaxUint32 && r.Path.NextPsn == 0 {
		c.wrap.hit(sentPsn, b2i(lost(&r.Path)))
	}
	if p.next.NextTsn == math.MaxUint32 && r.Path.NextTsn == 0 {
		c.wrap.hit(sentTsn, b2i(lost(&r.Path)))
	}
	p.next = r.Path
}

// lost says whether packets of a path wait to be sent again, or are away by another port or epoch.
func lost(p *event.XmitPath) bool { return p.Lost > 0 || p.Away > 0 }

func (c *sender) ackStep(r *event.AckRecv) {
	p := c.path(r.In.PathRow)
	before, known := p.cum, p.known
	p.cum, p.known = r.Path.Cum, true
	if r.Head.Op != event.AckRecvAck || !known {
		return
	}
	cum := 1
	switch d := wire.Diff(r.In.Cum, before); {
	case d < 0:
		cum = 0
	case d > 0:
		cum = 2
	}
	if d := r.Path.Cum - before; d < 1<<16 && r.Path.Cum < before { // a row that another connection has now jumps farther
		c.wrap.hit(sentCum, b2i(lost(&p.next)))
	}
	holes := r.In.Vector != [len(r.In.Vector)]uint64{}
	c.acked.hit(cum, b2i(holes), b2i(r.In.Epoch != r.In.OwnEpoch))
	switch {
	case r.In.FlagD:
		c.echo.hit(2)
	case r.In.Sample:
		c.echo.hit(0)
	default:
		c.echo.hit(1)
	}
}

func (c *sender) choiceStep(r *event.PathChoice) {
	conn := r.In.Conn
	if r.Head.Op == event.PathChoiceMark {
		before := 0
		switch c.penalty(conn, r.In.Path) {
		case 0:
		case 15:
			before = 2
		default:
			before = 1
		}
		c.mark.hit(before)
	} else if !r.Out.None {
		last, known := c.last[conn]
		c.choice.hit(int(r.In.Policy), b2i(known && last == r.Out.Chosen))
		c.last[conn] = r.Out.Chosen
	}
	c.penalties[conn] = r.Choice.Penalty
}

// penalty of a path, as the step before left it.
func (c *sender) penalty(conn uint16, path uint8) uint64 {
	v := c.penalties[conn]
	return v[path/16] >> (path % 16 * 4) & 15
}

func (c *sender) timerStep(r *event.PathTimer) {
	p := c.path(r.In.PathRow)
	o := &r.Out
	if r.Head.Op != event.PathTimerStart {
		c.moves.hit(int(p.state), int(r.Path.State))
		c.timer.hit(c.timer.step(r.Head.Op, first(o.Resend && !o.Suspect && !o.Failed, o.Suspect, o.Failed,
			o.SendProbe && !o.Suspect && !o.Failed && !o.Resend, o.Active && !o.Changed, o.Changed, o.Refused)))
	}
	if p.epoch != 0 && r.Path.Epoch == 0 {
		c.wrap.hit(sentEpoch, b2i(p.next.Live > 0 || lost(&p.next)))
	}
	p.state, p.epoch = r.Path.State, r.Path.Epoch
}
