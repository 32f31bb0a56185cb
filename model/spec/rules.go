package spec

import (
	"fmt"
	"sort"
	"strings"
)

// Rules of the tables. Each Problem names one of them.
const (
	RuleForm     = "S-FORM"     // the line has the arguments, attributes, flags and text its keyword takes, inside the block it belongs to
	RuleKeyword  = "S-KEYWORD"  // the keyword exists in this table
	RuleName     = "S-NAME"     // names are lower case words joined by '_' (registers: upper case), and generated names differ
	RuleDup      = "S-DUP"      // names, opcodes, numbers, ids and orders are unique where they must be
	RuleNumber   = "S-NUMBER"   // numbers parse and lie in their range
	RuleWidth    = "S-WIDTH"    // a field is 1..64 bits, or a multiple of 64 up to 1024
	RuleStraddle = "S-STRADDLE" // a wire field that does not start on a byte does not cross one; powers of two are aligned
	RuleSize     = "S-SIZE"     // the fields of a header fill its bytes exactly; headers end on 4 bytes
	RuleClaim    = "S-CLAIM"    // status is stated, inferred or chosen; source is ours or a tag of the announcement
	RuleRef      = "S-REF"      // what is referred to (enum, header, register, descriptor field, engine) exists
	RulePreset   = "S-PRESET"   // every preset sets every parameter, within its range, a power of two where required
	RuleTold     = "S-TOLD"     // a told input has a legality rule and a bound, lies in the head body, and at most 3 are told
	RuleRecord   = "S-RECORD"   // a record fits into 28 bytes of head body and 192 bytes of state
	RuleOverlap  = "S-OVERLAP"  // registers do not overlap, are 4-byte aligned and lie inside the register window
)

// Problem is one mistake in a table.
type Problem struct {
	Pos
	Rule string
	Text string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Rule, p.Text)
}

// Problems is every mistake found, in file and line order. It is an error when it is not empty.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

func (p Problems) sorted() Problems {
	sort.SliceStable(p, func(i, j int) bool {
		if p[i].File != p[j].File {
			return p[i].File < p[j].File
		}
		return p[i].Line < p[j].Line
	})
	return p
}

// tags are the facts of the announcement that a source may cite as ann:TAG. A source outside this list is a typing
// mistake or an invention; both must be seen.
var tags = map[string]bool{
	"intent": true, "ooo": true, "write": true, "send-match": true, "paths": true, "entropy": true, "planes": true,
	"path-state": true, "lossy": true, "sack": true, "gap-retransmit": true, "cc-sender": true, "cc-receiver": true,
	"incast": true, "fabric-asks": true, "streams": true, "verbs": true, "r-rccl": true, "r-loss": true,
	"r-planes": true, "r-failover": true, "a-spec": true, "a-suite": true, "a-soft": true, "a-pensando": true,
	"road": true,
}
