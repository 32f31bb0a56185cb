package experiment

// Plot is a picture made of rows or of traces.
type Plot struct {
	Name  string // of the file, without its end
	Title string
	Kind  PlotKind
	// X and Y are columns; of traces: what the axes show. Unit of X and Y stand beside the axes.
	X, Y         string
	XUnit, YUnit string
	// Series are the key columns whose values tell the lines apart.
	Series []string
	// Where picks the rows.
	Where Where
	// Also draws further columns of the same rows as lines of their own, such as a limit. One line for all series: the
	// first value at each X counts.
	Also []Extra
	// Levels are horizontal lines, such as a gate.
	Levels []Level
	// LogY: the Y axis is logarithmic; values of 0 are left out.
	LogY bool
	// Published stands below the title: what others give, in their words or figures, with its source; empty: nothing was.
	Published string
	// Note stands below: what to see, or how a line was reckoned.
	Note string
}

// PlotKind is what a plot looks like.
type PlotKind uint8

// Kinds of plots. Lines and Bars have one place on the X axis for each text in column X, in the order of the rows;
// Traces has numbers.
const (
	Lines PlotKind = iota
	Bars
	Traces
)

// Extra is a column that is drawn beside the series.
type Extra struct{ Column, Label string }

// Level is a horizontal line.
type Level struct {
	Y     Fixed
	Label string
}
