package lockstep

import "strings"

// leading are fields of an engine that others of the same step follow from, where the order of the record is another one.
var leading = map[string][]string{
	"window": {"out.class", "out.gap_shown", "out.gap_filled"}, // ack_now and ack_count are decided by these
	"place":  {"tally.bytes"},                                  // done follows from the bytes that came
}

// Root is the wrong field that the others follow from, as far as structure can say it: failures of one cause have equal
// roots, whatever else went wrong with the traffic that met it.
//
//	head.xid    the transaction is another packet's: everything else is that packet's too
//	in.*        the step was given something wrong, and may have done right with it
//	out.*, row  the step itself; of an outcome with a name, the name that the device gave it
//
// Empty where nothing was compared: an event that is illegal, late or missing.
func (d *Divergence) Root() string {
	if len(d.Fields) == 0 {
		return d.Field
	}
	first := func(match func(field string) bool) *FieldDiff {
		for i := range d.Fields {
			if match(d.Fields[i].Field) {
				return &d.Fields[i]
			}
		}
		return nil
	}
	if first(func(s string) bool { return s == "head.xid" }) != nil {
		return "head.xid"
	}
	if f := first(func(s string) bool { return strings.HasPrefix(s, "in.") }); f != nil {
		return f.Field
	}
	f := &d.Fields[0]
	for _, name := range leading[d.Kind] {
		if x := first(func(s string) bool { return s == name }); x != nil {
			f = x
			break
		}
	}
	if strings.HasPrefix(f.Field, "out.") && isName(f.Device) {
		return f.Field + " " + f.Device
	}
	return f.Field
}

// isName tells the name of an outcome from a number.
func isName(s string) bool { return s != "" && (s[0] < '0' || s[0] > '9') }
