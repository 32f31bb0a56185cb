package suite

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
)

// Paint colours a text; Plain leaves it.
type Paint func(good bool, text string) string

// Plain is a Paint that does nothing.
func Plain(_ bool, text string) string { return text }

// row is one line of the table.
type row struct {
	name     string
	compared map[string]uint64
	told     uint64
	wrong    int
	cycles   uint64
	wall     time.Duration
	result   lockstep.Result
}

// engines are the columns: the engines that the device has, in the order of a packet's way.
func engines() (list []*event.EngineInfo) {
	for i := range event.Engines {
		if e := &event.Engines[i]; e.Built && !e.Boundary {
			list = append(list, e)
		}
	}
	return list
}

// Table writes one row a scenario and capture, one for all random seeds that match, and the sum.
func (r *Report) Table(w io.Writer, paint Paint) {
	rows := r.rows()
	width := len("scenario")
	for _, x := range rows {
		width = max(width, len(x.name))
	}
	fmt.Fprintf(w, "%-*s", width, "scenario")
	for _, e := range engines() {
		fmt.Fprintf(w, " %8s", e.Name)
	}
	fmt.Fprintf(w, " %9s %5s %9s  %s\n", "told", "wrong", "cycles/s", "verdict")
	for _, x := range rows {
		x.write(w, width, paint)
	}
}

func (x *row) write(w io.Writer, width int, paint Paint) {
	fmt.Fprintf(w, "%-*s", width, x.name)
	for _, e := range engines() {
		fmt.Fprintf(w, " %8d", x.compared[e.Name])
	}
	fmt.Fprintf(w, " %9d %5d %9s  %s\n", x.told, x.wrong, rate(x.cycles, x.wall), paint(x.result == lockstep.Match, x.result.String()))
}

func rate(cycles uint64, wall time.Duration) string {
	if wall <= 0 {
		return "-"
	}
	switch r := float64(cycles) / wall.Seconds(); {
	case r >= 1e6:
		return fmt.Sprintf("%.2fM", r/1e6)
	case r >= 1e3:
		return fmt.Sprintf("%.0fk", r/1e3)
	default:
		return fmt.Sprintf("%.0f", r)
	}
}

func (r *Report) rows() []*row {
	var rows []*row
	seeds := &row{compared: map[string]uint64{}}
	count := 0
	sum := &row{name: fmt.Sprintf("%d runs", len(r.Outcomes)), compared: map[string]uint64{}}
	for _, o := range r.Outcomes {
		sum.add(o)
		if o.Group == Random && o.Result == lockstep.Match {
			seeds.add(o)
			count++
			continue
		}
		x := &row{name: o.Name, compared: map[string]uint64{}}
		if o.Group == Random {
			x.name = fmt.Sprintf("%s seed %d", o.Name, o.Seed)
		}
		x.add(o)
		rows = append(rows, x)
	}
	if count > 0 {
		seeds.name = fmt.Sprintf("random, %d seeds", count)
		rows = append(rows, seeds)
	}
	if len(rows) > 1 {
		rows = append(rows, sum)
	}
	return rows
}

func (x *row) add(o *Outcome) {
	for k, n := range o.Verdict.Compared {
		x.compared[k] += n
	}
	x.told += o.Verdict.TotalTold()
	x.cycles += o.Verdict.Cycles
	x.wall += o.Verdict.Wall
	x.wrong += len(o.Breaches) + len(o.Unmet)
	if o.Verdict.Divergence != nil {
		x.wrong++
	}
	x.result = worse(x.result, o.Result)
}

// skewKinds sums up for every kind of event how far model/pipe's prediction lay beside the device: in cycles from the
// last beat of the event's frame, the worst of all runs. In the order of a packet's way.
func (r *Report) skewKinds() (list []*lockstep.SkewRow) {
	kinds := map[string]*lockstep.SkewRow{}
	for _, o := range r.Outcomes {
		for _, x := range o.Verdict.Skew {
			s := kinds[x.Kind]
			if s == nil {
				s = &lockstep.SkewRow{Kind: x.Kind}
				kinds[x.Kind] = s
			}
			s.Events, s.Unmatched = s.Events+x.Events, s.Unmatched+x.Unmatched
			s.P50, s.P99, s.Max = max(s.P50, x.P50), max(s.P99, x.P99), max(s.Max, x.Max)
		}
	}
	for i := range event.Engines {
		if s := kinds[event.Engines[i].Name]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Skew writes the times of the device beside those predicted, a row a kind of event. Values are compared, times of the
// model are not: this is a number.
func (r *Report) Skew(w io.Writer) {
	kinds := r.skewKinds()
	if len(kinds) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-14s %8s %9s %7s %7s %7s   cycles beside the prediction, worst run\n", "skew", "events", "one side", "p50", "p99", "max")
	for _, s := range kinds {
		fmt.Fprintf(w, "%-14s %8d %9d %7d %7d %7d\n", s.Kind, s.Events, s.Unmatched, s.P50, s.P99, s.Max)
	}
}

// SkewLine is the worst row of Skew on one line, which names the flag for the others.
func (r *Report) SkewLine(w io.Writer) {
	kinds := r.skewKinds()
	if len(kinds) == 0 {
		return
	}
	worst := kinds[0]
	for _, s := range kinds[1:] {
		if s.P99 > worst.P99 {
			worst = s
		}
	}
	fmt.Fprintf(w, "\ntime: p99 %d cycles beside the model's prediction, worst at %s; not part of the verdict; --skew lists all", worst.P99, worst.Kind)
}

// ToldLine says how much the device was free to choose.
func (r *Report) ToldLine() string {
	most := 0
	for i := range event.Engines {
		n := 0
		for _, f := range event.Engines[i].Fields {
			if f.Told {
				n++
			}
		}
		if event.Engines[i].Built {
			most = max(most, n)
		}
	}
	return fmt.Sprintf("told: %s values, at most %d fields of a record (docs/events.md); order and cycle are the device's, everything else is compared", thousands(r.Told), most)
}

// Frames writes what became of a capture's frames: how many, and dropped why.
func (o *Outcome) Frames(w io.Writer) {
	if o.Group != Capture || o.Counts == nil {
		return
	}
	fmt.Fprintf(w, "%s: %s", o.Name, o.Note)
	var reasons []string
	for name, n := range o.Counts {
		if reason, ok := strings.CutPrefix(name, "drops."); ok {
			reasons = append(reasons, fmt.Sprintf("%s %d", reason, n))
		}
	}
	sort.Strings(reasons)
	fmt.Fprintf(w, "; %d reached the device, %d admitted, %d dropped", o.Counts["frames"], o.Counts["admitted"], o.Counts["drops"])
	if reasons != nil {
		fmt.Fprintf(w, " (%s)", strings.Join(reasons, ", "))
	}
	fmt.Fprintf(w, ", %d bytes placed\n", o.Counts["bytes"])
}
