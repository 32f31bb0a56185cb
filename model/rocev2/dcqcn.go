package rocev2

import "metaroce/tandem/model/sim"

// Dcqcn are the parameters of the rate control of one NIC. docs/rocev2.md has a source for each.
type Dcqcn struct {
	CnpGap    sim.Picos // receiver: least time between two CNPs of one queue pair
	AlphaTime sim.Picos // alpha decays once in each such time without CNP
	CutGap    sim.Picos // sender: least time between two cuts; 0: each CNP cuts
	RiseTime  sim.Picos // timer of increases
	RiseBytes uint64    // byte counter of increases, wire bytes; 0: none
	GainShift uint8     // g = 2^-GainShift
	Recovery  uint32    // F: this many halvings of the way back before the target itself rises
	Add       uint64    // kb/s a step of additive increase
	Hyper     uint64    // kb/s a step of hyper increase
	Floor     uint64    // kb/s: a cut never goes below
	LossCuts  bool      // a NAK or a timeout cuts as a CNP does
}

const (
	micros = sim.Picos(1_000_000)
	millis = 1000 * micros

	// alphaOne is alpha = 1: 30 fraction bits, so that 2^-8 of a small alpha is not lost.
	alphaOne = 1 << 30
)

// PaperDcqcn are the parameters of the DCQCN paper, its rate steps scaled from 40 Gb/s to the link.
func PaperDcqcn(linkMbps uint64) Dcqcn {
	return Dcqcn{
		CnpGap: 50 * micros, AlphaTime: 55 * micros,
		RiseTime: 55 * micros, RiseBytes: 10_000_000,
		GainShift: 8, Recovery: 5,
		Add: linkMbps, Hyper: 10 * linkMbps, // 1/1000 and 1/100 of the link: Mb/s in, kb/s out
		Floor: min(100_000, linkMbps*1000),
	}
}

// VendorDcqcn are the parameters of the vendor's set in the HPCC artifact, its rate steps scaled from 25 Gb/s.
func VendorDcqcn(linkMbps uint64) Dcqcn {
	return Dcqcn{
		CnpGap: 1 * micros, AlphaTime: 1 * micros, CutGap: 4 * micros,
		RiseTime:  300 * micros,
		GainShift: 8, Recovery: 1,
		Add: max(1, linkMbps/5), Hyper: max(1, 2*linkMbps), // 5 and 50 Mb/s of 25 Gb/s
		Floor: min(100_000, linkMbps*1000),
	}
}

// pacer is the reaction point of one queue pair. Its two timers are not events: what they would have done is caught
// up in advance, before a packet leaves or a CNP is handled, which are the only moments at which the rate matters.
// The zero pacer sends at line rate.
type pacer struct {
	limited bool // below line rate; nothing else has a meaning until the first CNP
	marked  bool // there was a CNP once, so alpha runs

	kbps    uint64 // current rate
	target  uint64 // rate before the last cut, raised since
	alpha   uint32 // of alphaOne
	alphaAt sim.Picos
	cutAt   sim.Picos

	timerAt  sim.Picos // start of the running period of the timer
	timers   uint32    // periods since the last cut
	bytes    uint64    // since the last event of the byte counter
	counters uint32    // events of the byte counter since the last cut
}

// rate is the pacing rate at that time, in kb/s. line is that of the link.
func (r *pacer) rate(line uint64) uint64 {
	if !r.limited {
		return line
	}
	return r.kbps
}

// advance catches up with what the timers would have done by now.
func (r *pacer) advance(p *Dcqcn, line uint64, now sim.Picos) {
	for r.limited && now-r.timerAt >= p.RiseTime {
		r.timerAt += p.RiseTime
		r.rise(p, line)
		r.timers++
	}
	if r.marked {
		r.decay(p, now)
	}
}

func (r *pacer) decay(p *Dcqcn, now sim.Picos) {
	for r.alpha > 0 && now-r.alphaAt >= p.AlphaTime {
		r.alphaAt += p.AlphaTime
		step := r.alpha >> p.GainShift
		if step == 0 {
			step = r.alpha
		}
		r.alpha -= step
	}
	if r.alpha == 0 {
		r.alphaAt = now - (now-r.alphaAt)%p.AlphaTime
	}
}

// sent counts a packet for the byte counter. advance comes first.
func (r *pacer) sent(p *Dcqcn, line uint64, size uint32) {
	if !r.limited || p.RiseBytes == 0 {
		return
	}
	r.bytes += uint64(size)
	if r.bytes >= p.RiseBytes {
		r.bytes -= p.RiseBytes
		r.rise(p, line)
		r.counters++
	}
}

// rise is one increase: half of the way back to the target. Once one clock has gone through recovery the target rises
// as well, and fast once all clocks have gone beyond it. The clock that calls counts itself afterwards.
func (r *pacer) rise(p *Dcqcn, line uint64) {
	most, least := max(r.timers, r.counters), min(r.timers, r.counters)
	if p.RiseBytes == 0 {
		least = r.timers
	}
	switch {
	case least > p.Recovery:
		r.target += p.Hyper
	case most >= p.Recovery:
		r.target += p.Add
	}
	r.target = min(r.target, line)
	r.kbps = (r.kbps + r.target + 1) / 2 // rounded up, or it would never arrive
	r.limited = r.kbps < line
}

// cnp handles a CNP, or a loss that counts as one. advance comes first.
func (r *pacer) cnp(p *Dcqcn, line uint64, now sim.Picos) {
	if !r.marked {
		r.alpha = alphaOne
	}
	if !r.marked || now-r.cutAt >= p.CutGap {
		r.cut(p, line, now)
	}
	r.marked = true
	r.alpha += (alphaOne - r.alpha) >> p.GainShift
	r.alphaAt = now
}

// cut makes the current rate the target and takes alpha/2 off it. Both clocks of increase start again.
func (r *pacer) cut(p *Dcqcn, line uint64, now sim.Picos) {
	r.target = r.rate(line)
	r.kbps = max(p.Floor, r.target-half(r.target, r.alpha))
	r.limited = r.kbps < line
	r.cutAt = now
	r.timerAt, r.timers, r.bytes, r.counters = now, 0, 0, 0
}

// half is rate * alpha / 2 for alpha in parts of alphaOne; rate is below 2^33 kb/s.
func half(rate uint64, alpha uint32) uint64 { return rate * uint64(alpha) / (2 * alphaOne) }

// lost handles a loss where losses cut: not more often than CNPs would come.
func (r *pacer) lost(p *Dcqcn, line uint64, now sim.Picos) {
	if p.LossCuts && (!r.marked || now-r.cutAt >= p.CnpGap) {
		r.cnp(p, line, now)
	}
}
