package pathtimer

import "metaroce/tandem/model/event"

// Home is the plane that a path belongs to: the paths of a connection are dealt out over the planes.
func Home(path, planes int) uint8 { return uint8(path % planes) }

// maxPlanes is what the 4 bits of a plane hold.
const maxPlanes = 16

// Planes counts the paths of a connection by plane. It is what the choice of a plane needs to know; a NIC counts at most
// once a probe, so it is not kept.
type Planes struct {
	active [maxPlanes]uint8 // paths that are active on the plane
	using  [maxPlanes]uint8 // paths whose current plane it is
	n      int
}

// Count goes over the rows of a connection's paths.
func Count(planes, paths int, row func(path int) *event.PathTimerPath) Planes {
	c := Planes{n: planes}
	for i := range paths {
		r := row(i)
		c.using[r.Plane]++
		if r.State == Active {
			c.active[r.Plane]++
		}
	}
	return c
}

// Dead says whether paths use the plane and none of them is active. A plane without paths is not known to be dead.
func (c *Planes) Dead(plane uint8) bool { return c.using[plane] > 0 && c.active[plane] == 0 }

// Propose is the plane that the next proposal of a failed path asks about (R-PLANE). The first path of each plane stays and
// goes on asking there, else nobody would see the plane return. The others go home if home lives, else to the plane with
// the fewest active paths.
func (c *Planes) Propose(path int) uint8 {
	home := Home(path, c.n)
	if path < c.n || !c.Dead(home) {
		return home
	}
	best, found := home, false
	for i := range c.n {
		plane := uint8((path + i) % c.n) // from home on, so that many paths do not all go to the first
		if c.active[plane] > 0 && (!found || c.active[plane] < c.active[best]) {
			best, found = plane, true
		}
	}
	return best
}

// Strayed says whether an active path is to move home: it is elsewhere, and home lives.
func (c *Planes) Strayed(path int, row *event.PathTimerPath) bool {
	home := Home(path, c.n)
	return row.State == Active && row.Plane != home && c.active[home] > 0
}
