package experiment

import (
	"context"
	"fmt"
)

// Experiment is one claim about the protocol, and the simulations that show what is true of it.
type Experiment struct {
	Name  string // as in `tandem sim NAME`
	Short string // one line of the list
	// Claim is what the announcement says, or what is asked here; Source is where that stands.
	Claim, Source string
	// About says what is simulated and how to read the figures, in sentences.
	About  string
	Params Params
	// Headline are the figures that a sweep plots.
	Headline []string
	// Plan makes the cells. Values are in their ranges; what is wrong with their combination is returned, all of it.
	Plan func(v Values) (*Plan, error)
}

// Plan is an experiment with its values: what will be run, and what is made of it.
type Plan struct {
	Columns []Column
	Cells   []Cell
	Gates   []Gate
	Plots   []Plot
	// Actors are what series are of, in the order of their colours: one has the same in every plot. A series is of the
	// actor that its name begins with.
	Actors []string
	// Over are the parameters that a sweep varies; nil for an experiment by itself.
	Over []string
	// Derive adds to the rows what needs several cells. May be nil. Rows of cells that did not run are not there.
	Derive func(rows []Row)
	// Compare puts our figures beside the baseline, what was published and what is physically possible. May be nil.
	Compare func(rows []Row) []Comparison
}

// Cell is one simulation. Cells know nothing of each other.
type Cell struct {
	// Name is unique in its plan and can be typed in a shell: letters, digits and =%./-
	Name string
	// Seed names the stream of random numbers: cells that shall see the same draws share it. Empty: Name.
	Seed string
	// Weight is about how many packet hops the cell costs: the heaviest begin first, and progress counts it. 0 is 1.
	Weight uint64
	Run    func(c *Context) (Output, error)
}

// Context is what a cell is given.
type Context struct {
	context.Context
	Seed uint64
	// Part reports how much of the cell is done. It costs little and may be called often.
	Part func(done, total uint64)
}

// Output is what a cell found out.
type Output struct {
	Rows   []Row
	Traces []Trace
}

// Column is one figure, or one key, of all rows.
type Column struct {
	Name, Unit string
	// Key: the column tells rows apart. Keys are words or numbers, and stand first.
	Key bool
	// What says what is measured, from when to when, and out of what.
	What string
}

// Row is one line of the table. A column that it does not have stays empty: that is how "nothing was there to measure"
// looks.
type Row struct {
	Cell   string
	fields map[string]Field
}

// Field is a word or a number.
type Field struct {
	Word string
	Num  Fixed
	IsNo bool // a number
}

// String writes either.
func (f Field) String() string {
	if f.IsNo {
		return f.Num.String()
	}
	return f.Word
}

// Word puts a word into a column and returns the row.
func (r Row) Word(column, word string) Row { return r.put(column, Field{Word: word}) }

// Num puts a number into a column and returns the row.
func (r Row) Num(column string, n Fixed) Row { return r.put(column, Field{Num: n, IsNo: true}) }

// Some puts a number into a column if there is one, as Share and Quotient return it.
func (r Row) Some(column string, n Fixed, there bool) Row {
	if !there {
		return r
	}
	return r.Num(column, n)
}

// Share puts a/b into a column, with four places; nothing where b is 0.
func (r Row) Share(column string, a, b uint64) Row {
	f, ok := Share(a, b)
	return r.Some(column, f, ok)
}

func (r Row) put(column string, f Field) Row {
	if r.fields == nil {
		r.fields = map[string]Field{}
	}
	r.fields[column] = f
	return r
}

// Get returns what stands in a column.
func (r Row) Get(column string) (Field, bool) {
	f, ok := r.fields[column]
	return f, ok
}

// Number returns a number that stands in a column.
func (r Row) Number(column string) (Fixed, bool) {
	f, ok := r.fields[column]
	return f.Num, ok && f.IsNo
}

// Text returns what stands in a column as text, empty if nothing.
func (r Row) Text(column string) string {
	f, ok := r.fields[column]
	if !ok {
		return ""
	}
	return f.String()
}

// Where are conditions on rows: column and text.
type Where map[string]string

// Holds says whether a row meets all of them.
func (w Where) Holds(r Row) bool {
	for column, want := range w {
		if r.Text(column) != want {
			return false
		}
	}
	return true
}

// Pick returns the rows that meet all conditions, in their order.
func Pick(rows []Row, w Where) []Row {
	var picked []Row
	for _, r := range rows {
		if w.Holds(r) {
			picked = append(picked, r)
		}
	}
	return picked
}

// One returns the number of a column in the only row that meets the conditions.
func One(rows []Row, w Where, column string) (Fixed, bool) {
	picked := Pick(rows, w)
	if len(picked) != 1 {
		return Fixed{}, false
	}
	return picked[0].Number(column)
}

// Trace is a figure over time, or over anything else that has too many points for a table.
type Trace struct {
	Cell   string
	Plot   string // name of the plot that draws it
	Label  string
	Points []Point
}

// Point is one point of a trace.
type Point struct{ X, Y Fixed }

// Comparison is one line of the page that shows everything side by side. What is not there is said in words.
type Comparison struct {
	What string
	Unit string
	// Ours and Baseline are of this run; nil where it has none.
	Ours, Baseline *Fixed
	// Published is what the announcement or a paper gives, with its source; empty: nothing was published.
	Published string
	// Limit is what ours cannot pass, with its headers, and Why says how it is reckoned.
	Limit *Fixed
	Why   string
}

// Fig is for the fields of a Comparison: a figure that may not be there.
func Fig(f Fixed, there bool) *Fixed {
	if !there {
		return nil
	}
	return &f
}

// check finds bugs of a plan before it is run.
func (p *Plan) check() error {
	seen := map[string]bool{}
	for _, c := range p.Cells {
		if seen[c.Name] {
			return fmt.Errorf("experiment BUG: two cells are called %q", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

// known finds rows with columns that the plan does not declare.
func (p *Plan) known(rows []Row) error {
	names := map[string]bool{}
	for _, c := range p.Columns {
		names[c.Name] = true
	}
	for _, r := range rows {
		for n := range r.fields {
			if !names[n] {
				return fmt.Errorf("experiment BUG: a row of cell %q has column %q, which is not declared", r.Cell, n)
			}
		}
	}
	return nil
}
