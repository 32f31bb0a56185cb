package lockstep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"metaroce/tandem/model/event"
)

func TestRoot(t *testing.T) {
	for _, c := range []struct{ what, kind, fields, root string }{
		{"another packet's transaction", "message", "head.xid=7/8 head.path=0/1 in.msn=1/2 slot.msn=1/2", "head.xid"},
		{"an engine that has no packet was given another path", "ack", "head.conn=0/1 head.path=0/1 out.held=9/8 in.path_row=0/4 in.last_now=1/2", "in.path_row"},
		{"what came in was wrong, the decision follows", "admit", "head.conn=0/1 out.reason=icrc/none in.reason_in=icrc/none conn.paths=0/4", "in.reason_in"},
		{"a decision", "window", "out.ack_now=0/1 out.ack_count=1/0 out.gap_shown=0/1", "out.gap_shown"},
		{"the same decision alone", "window", "out.gap_shown=0/1", "out.gap_shown"},
		{"an outcome with a name", "window", "out.class=too_new/new out.ack_now=0/1 path.vector=0x0/0x1", "out.class too_new"},
		{"a decision of an engine without a table", "message", "out.fresh=0/1 slot.arrived=1/2", "out.fresh"},
		{"state, and what follows from it", "place", "out.done=1/0 tally.bytes=9/8", "tally.bytes"},
		{"state alone", "window", "path.epoch=1/2", "path.epoch"},
	} {
		d := Divergence{What: "differs", Kind: c.kind}
		for _, f := range strings.Fields(c.fields) {
			name, values, _ := strings.Cut(f, "=")
			device, model, _ := strings.Cut(values, "/")
			d.Fields = append(d.Fields, FieldDiff{name, device, model})
		}
		assert.Equal(t, c.root, d.Root(), c.what)
	}
	assert.Empty(t, (&Divergence{What: "late", Kind: "ack"}).Root())
}

// TestLeadingFieldsExist: a field that was renamed would silently lead nothing.
func TestLeadingFieldsExist(t *testing.T) {
	found := 0
	for i := range event.Engines {
		e := &event.Engines[i]
		for _, want := range leading[e.Name] {
			for k := range e.Fields {
				if e.Fields[k].FullName() == want {
					found++
				}
			}
		}
	}
	want := 0
	for _, list := range leading {
		want += len(list)
	}
	assert.Equal(t, want, found)
}
