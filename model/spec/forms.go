package spec

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// form says what a keyword takes. A line that does not have its form is reported and not interpreted.
type form struct {
	args     []string // names of the positional arguments
	required []string // attributes that must be there
	optional []string // attributes that may be there
	flags    []string // words that may follow the positional arguments
	within   []string // keywords of the blocks it may stand in; none: it stands alone and ends the block before it
	block    bool     // it opens a block
}

// forms of each table. A member that may stand in two kinds of block (field) has one form for both.
var forms = map[string]map[string]form{
	"constant.tbl": {
		"const":  {args: []string{"name", "value"}, required: []string{"unit"}, flags: claimFlags},
		"preset": {args: []string{"name"}, block: true},
		"param":  {args: []string{"name"}, required: []string{"range"}, flags: []string{"pow2"}},
		"knob":   {args: []string{"name", "value", "rule"}, required: []string{"unit", "range"}},
	},
	"wire.tbl": {
		"enum":   {args: []string{"name"}, required: []string{"width"}, flags: claimFlags, block: true},
		"value":  {args: []string{"name", "number"}, flags: claimFlags, within: []string{"enum"}},
		"header": {args: []string{"name"}, required: []string{"bytes"}, flags: claimFlags, block: true},
		"field":  {args: []string{"name", "width"}, optional: []string{"enum"}, flags: claimFlags, within: []string{"header"}},
		"packet": {args: []string{"name"}, required: []string{"opcode", "headers", "payload", "psn", "side"}, flags: claimFlags},
	},
	"event.tbl": {
		"struct":   {args: []string{"name"}, block: true},
		"engine":   {args: []string{"name", "rule"}, required: []string{"id", "side", "order", "status"}, block: true},
		"boundary": {args: []string{"name", "rule"}, required: []string{"id"}, block: true},
		"op":       {args: []string{"name", "number"}, within: []string{"engine"}},
		"in":       {args: []string{"name", "width"}, optional: []string{"from", "legal", "bound", "enum"}, flags: []string{"told"}, within: []string{"engine", "boundary"}},
		"out":      {args: []string{"name", "width"}, optional: []string{"enum"}, within: []string{"engine"}},
		"row":      {args: []string{"name"}, required: []string{"rows", "index"}, optional: []string{"overflow"}, within: []string{"engine"}},
		"field":    {args: []string{"name", "width"}, optional: []string{"enum"}, within: []string{"struct", "engine"}},
	},
	"register.tbl": {
		"reg":     {args: []string{"name"}, required: []string{"offset", "access"}, optional: []string{"count", "stride"}},
		"command": {args: []string{"name", "number"}, block: true},
		"arg":     {args: []string{"name"}, required: []string{"reg", "desc"}, within: []string{"command"}},
		"reason":  {args: []string{"name", "number", "rule"}},
		"verdict": {args: []string{"name", "number"}},
		"class":   {args: []string{"name", "number"}},
	},
}

// claimFlags marks forms that end in STATUS SOURCE; those two words are read by claim, not as flags.
var claimFlags = []string{"STATUS", "SOURCE"}

// paramInPreset is the form of param inside a preset block, told apart by having no range=: NAME VALUE, no text of its own.
var paramInPreset = form{args: []string{"name", "value"}}

// fit reports everything about the line that its form does not allow.
func (f form) fit(l line, bad func(Pos, string, string)) bool {
	ok := true
	fail := func(format string, a ...any) {
		bad(l.Pos, RuleForm, l.keyword+": "+fmt.Sprintf(format, a...))
		ok = false
	}
	want := len(f.args)
	if len(l.args) < want {
		fail("%s is missing: takes %s", f.args[len(l.args)], strings.Join(f.args, ", "))
		return false
	}
	for _, extra := range l.args[want:] {
		switch {
		case slices.Equal(f.flags, claimFlags):
		case !slices.Contains(f.flags, extra):
			fail("%q is not known here", extra)
		}
	}
	for _, key := range f.required {
		if _, there := l.attrs[key]; !there {
			fail("%s= is missing", key)
		}
	}
	var unknown []string
	for key := range l.attrs {
		if !slices.Contains(f.required, key) && !slices.Contains(f.optional, key) {
			unknown = append(unknown, key)
		}
	}
	sort.Strings(unknown)
	for _, key := range unknown {
		fail("%s= is not known here", key)
	}
	return ok
}
