package block

import (
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/coalesce"
	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/place"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/recv"
	"metaroce/tandem/model/window"
	"metaroce/tandem/vectors/mrv"
)

// bodyAt is where the body of a record starts, behind its head.
const bodyAt = 36

// ByName finds an engine; nil: there is none.
func ByName(name string) *Engine {
	for i := range Engines {
		if Engines[i].Name == name {
			return &Engines[i]
		}
	}
	return nil
}

// Info describes the engine's records.
func (e *Engine) Info() *event.EngineInfo { return infoOf(e.Name) }

// BodyBytes is the length of a record's body.
func (e *Engine) BodyBytes() int { return event.RecordSize*(1+e.Info().Parts) - bodyAt }

// Answer makes the step that a body holds (row, input) and returns the body as the step leaves it.
func (e *Engine) Answer(op uint8, body []byte) ([]byte, error) {
	if err := e.takes(op, body); err != nil {
		return nil, err
	}
	var rec record
	info := e.Info()
	rec[0], rec[1], rec[2], rec[3], rec[23] = event.RecordVersion, byte(info.Kind), op, byte(info.Parts), 2<<info.Parts-1
	copy(rec[bodyAt:], body)
	if err := answers[e.Name](&rec); err != nil {
		return nil, err
	}
	return rec[bodyAt : bodyAt+len(body)], nil
}

// takes says what keeps an op and a body from being a step of this engine.
func (e *Engine) takes(op uint8, body []byte) error {
	if len(body) != e.BodyBytes() {
		return fmt.Errorf("%s: a body of %d bytes, its records have %d", e.Name, len(body), e.BodyBytes())
	}
	if !slices.ContainsFunc(e.Info().Ops, func(o event.OpInfo) bool { return o.Number == op }) {
		return fmt.Errorf("%s has no op %d", e.Name, op)
	}
	return nil
}

// Fits says what keeps the steps of a vector from being steps of this engine as it is here: another layout of its records,
// another length, an op that there is not.
func (e *Engine) Fits(v *mrv.Vector) error {
	if _, layout, ok := strings.Cut(v.Source.Revision, " layout "); ok && layout != e.Layout() {
		return fmt.Errorf("written for layout %s of %s's records, this program has %s: bless the set", layout, e.Name, e.Layout())
	}
	for i := range v.Steps {
		if err := e.takes(v.Steps[i].Op, v.Steps[i].Before); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// answers decode a record, make its step and encode what it leaves.
var answers = map[string]func(*record) error{
	"admit": func(rec *record) error {
		var r event.Admit
		err := r.Decode(rec[:])
		p := preset.Tiny
		admit.Step(&p, &r.Conn, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"window": func(rec *record) error {
		var r event.Window
		err := r.Decode(rec[:])
		window.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"key": func(rec *record) error {
		var r event.Key
		err := r.Decode(rec[:])
		key.Step(&r.Key, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"recv": func(rec *record) error {
		var r event.Recv
		err := r.Decode(rec[:])
		recv.Step(&r.Recv, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"message": func(rec *record) error {
		var r event.Message
		err := r.Decode(rec[:])
		message.Step(&r.Slot, &r.Stream, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"place": func(rec *record) error {
		var r event.Place
		err := r.Decode(rec[:])
		place.Step(&r.Tally, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"complete": func(rec *record) error {
		var r event.Complete
		err := r.Decode(rec[:])
		complete.Step(&r.Stream, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"coalesce": func(rec *record) error {
		var r event.Coalesce
		err := r.Decode(rec[:])
		coalesce.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"ctimer": func(rec *record) error {
		var r event.Ctimer
		err := r.Decode(rec[:])
		coalesce.Fire(&r.In, &r.Out)
		r.Encode(rec)
		return err
	},
	"ack": func(rec *record) error {
		var r event.Ack
		err := r.Decode(rec[:])
		ack.Step(&r.Path, r.Head.Op, &r.In, &r.Out)
		r.Encode(rec)
		return err
	},
}
