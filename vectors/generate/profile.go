package generate

import (
	"fmt"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/vectors/stimulus"
)

// Profile is the character of a run. Chances are in thousandths.
type Profile struct {
	Spaced   bool // idle cycles between frames; else nearly all are back to back
	Hot      bool // nearly all packets on one path of one connection, behind long holes
	Pressure bool // memory so slow that frames find no room
	Slow     bool // long answers of the memory port

	Lose, Late, Double, Detour, Mark, Odd, Garbage uint16
	MTU                                            int
	Stalls                                         [stimulus.PortRegister + 1]stall
}

type stall struct{ permille, run uint16 }

// draw makes a profile. Most seeds are ordinary; the extremes are mixed in at rates that a few dozen seeds show.
func draw(seed uint64) Profile {
	r := sim.NewRandom(seed, "generate/profile")
	p := Profile{
		Spaced: r.Permille(250), Hot: r.Permille(300), Pressure: r.Permille(120), Slow: r.Permille(250),
		Lose: uint16(r.Between(5, 120)), Late: uint16(r.Between(20, 250)), Double: uint16(r.Between(5, 60)),
		Detour: uint16(r.Between(5, 100)), Mark: uint16(r.Between(5, 300)), Odd: uint16(r.Between(60, 200)), Garbage: uint16(r.Between(2, 20)),
		MTU: []int{32, 64, 256, 512, 1024, 4096}[r.Below(6)],
	}
	for port := stimulus.PortFrame; port <= stimulus.PortRegister; port++ {
		p.Stalls[port] = stall{uint16(r.Between(5, 120)), uint16(r.Between(2, 40))}
	}
	p.Stalls[stimulus.PortMemory] = stall{uint16(r.Between(1, 20)), uint16(r.Between(2, 16))}
	if p.Pressure {
		p.Stalls[stimulus.PortMemory] = stall{uint16(r.Between(150, 600)), uint16(r.Between(100, 600))}
	}
	return p
}

// String names what is special about a profile.
func (p *Profile) String() string {
	s := fmt.Sprintf("mtu %d, lost %d, late %d, odd %d per 1000", p.MTU, p.Lose, p.Late, p.Odd)
	for _, f := range []struct {
		on   bool
		name string
	}{{p.Spaced, "spaced"}, {p.Hot, "hot path"}, {p.Pressure, "pressure"}, {p.Slow, "slow memory"}} {
		if f.on {
			s += ", " + f.name
		}
	}
	return s
}
