package vector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/scenario"
)

// Lint finds what is wrong with vectors, all of it: names, rules, capabilities, double stimulus, nothing expected, and
// an outcome that hangs on time.
func Lint(ctx context.Context, list []*mrv.Vector) error {
	var errs []error
	ids := map[string]string{}
	for _, v := range list {
		if ctx.Err() != nil {
			return Interrupted(ctx)
		}
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s: "+format, append([]any{v.Name}, args...)...))
		}
		for _, r := range v.Rules {
			if !scenario.IsRule(r) && !isEventRule(r) {
				bad("rule %s is not in docs/protocol.md", r)
			}
		}
		if len(v.Rules) == 0 {
			bad("it names no rule that it is about")
		}
		for _, r := range v.Requires {
			if !slices.Contains(scenario.Capabilities, r) {
				bad("it requires %q; there are %s", r, strings.Join(scenario.Capabilities, ", "))
			}
		}
		if o := ids[v.ID]; o != "" {
			bad("it has the same stimulus as %s", o)
		}
		ids[v.ID] = v.Name
		if v.Title == "" {
			bad("it has no title")
		}
		if v.Events() == 0 {
			bad("it expects nothing")
		}
		switch {
		case !knownKind(v.Kind):
			bad("kind %q: there are %s", v.Kind, kinds())
		case IsBlock(v.Kind) && len(v.Steps) == 0:
			bad("it is of engine %s and has no steps", v.Kind)
		case IsBlock(v.Kind):
			if len(v.Items) > 0 {
				bad("%d frames and accesses, which an engine is not given", len(v.Items))
			}
			if err := block.ByName(v.Kind).Fits(v); err != nil {
				bad("%v", err)
			}
		case len(v.Steps) > 0:
			bad("%d steps, which are for engines", len(v.Steps))
		case v.Kind == mrv.Receive:
			var u *Unstable
			if err := steadyAll(ctx, v); errors.As(err, &u) {
				bad("its outcome hangs on time: %s", u.Mismatches[0].String())
			} else if err != nil {
				bad("%v", err)
			}
		}
	}
	return errors.Join(errs...)
}

// isEventRule: rules of engines are those of the definition.
func isEventRule(r string) bool {
	return slices.ContainsFunc(event.Engines, func(e event.EngineInfo) bool { return e.Rule == r })
}
