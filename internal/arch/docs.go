package arch

import (
	"fmt"
	"regexp"
	"sort"
)

var (
	ruleID   = regexp.MustCompile(`\bR-[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*\b`)
	ruleRow  = regexp.MustCompile(`(?m)^\| (R-[A-Z0-9-]+) \|`)
	tagID    = regexp.MustCompile(`\bann:[a-z][a-z-]*[a-z]\b`)
	tagInRow = regexp.MustCompile("(?m)^\\| (?:`ann:[a-z-]+`(?:, )?)+ \\|")
	mdLink   = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
)

// placeholders are what usage texts write in the place of an id.
var placeholders = map[string]bool{"R-NAME": true, "R-RULE": true}

// Defined are the rule ids and the announcement tags that the protocol page defines.
type Defined struct{ Rules, Tags map[string]bool }

// ReadProtocol takes the definitions from the text of docs/protocol.md: rows of tables that begin with them. An id that
// is defined twice is an error: it would be two rules.
func ReadProtocol(text string) (Defined, []string) {
	d := Defined{Rules: map[string]bool{}, Tags: map[string]bool{}}
	var bad []string
	for _, m := range ruleRow.FindAllStringSubmatch(text, -1) {
		if d.Rules[m[1]] {
			bad = append(bad, m[1]+" is defined twice")
		}
		d.Rules[m[1]] = true
	}
	for _, row := range tagInRow.FindAllString(text, -1) {
		for _, tag := range tagID.FindAllString(row, -1) {
			d.Tags[tag] = true
		}
	}
	return d, bad
}

// Undefined lists the rule ids and tags that a text uses and the protocol page does not define.
func (d Defined) Undefined(name, text string) []string {
	found := map[string]bool{}
	for _, id := range ruleID.FindAllString(text, -1) {
		if !d.Rules[id] && !placeholders[id] {
			found[fmt.Sprintf("%s: rule %s is not in docs/protocol.md", name, id)] = true
		}
	}
	for _, tag := range tagID.FindAllString(text, -1) {
		if !d.Tags[tag] {
			found[fmt.Sprintf("%s: tag %s is not in docs/protocol.md, section 10", name, tag)] = true
		}
	}
	var bad []string
	for line := range found {
		bad = append(bad, line)
	}
	sort.Strings(bad)
	return bad
}

// Links are the relative targets of the links of a Markdown text.
func Links(text string) []string {
	var links []string
	for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`^[a-z]+:`).MatchString(m[1]) {
			links = append(links, m[1])
		}
	}
	return links
}
