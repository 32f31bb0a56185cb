package workload

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/sim"
)

// Problem is one thing that is wrong with the numbers of a workload.
type Problem struct {
	Workload string // the builder
	Field    string
	Value    string
	Rule     string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("workload %s: %s is %s: %s", p.Workload, p.Field, p.Value, p.Rule)
}

// check collects the problems of one workload.
type check struct {
	workload string
	all      []error
}

func (c *check) bad(field string, value any, rule string, args ...any) {
	c.all = append(c.all, &Problem{c.workload, field, fmt.Sprint(value), fmt.Sprintf(rule, args...)})
}

// err returns every problem, joined; nil where there is none.
func (c *check) err() error { return errors.Join(c.all...) }

// between holds a field to a range. A range that another field has emptied is no rule: that field is reported.
func between[T int | uint64 | sim.Picos](c *check, field string, value, lo, hi T) {
	if hi < lo {
		return
	}
	if value < lo || value > hi {
		c.bad(field, value, "want %d..%d", lo, hi)
	}
}

// total holds the number of messages, a product of checked factors, to what a graph may hold. It is called where
// nothing else is wrong: factors that are out of range give no product worth a message.
func (c *check) total(fields string, messages uint64) {
	if len(c.all) == 0 && messages > MaxMessages {
		c.bad(fields, messages, "want at most %d messages in all", uint64(MaxMessages))
	}
}

// orOne is the default of a count that a caller left at 0.
func orOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

// starts are seeded start times, uniform over 0..spread.
func starts(n int, spread sim.Picos, seed uint64) []sim.Picos {
	random := sim.NewRandom(seed, "workload.start")
	at := make([]sim.Picos, n)
	for i := range at {
		at[i] = sim.Picos(random.Between(0, uint64(spread)))
	}
	return at
}

// placing says at which host a rank sits: rank r at host r, or where a seeded shuffle put it.
func placing(n int, shuffle bool, seed uint64) []int {
	host := make([]int, n)
	for i := range host {
		host[i] = i
	}
	if !shuffle {
		return host
	}
	random := sim.NewRandom(seed, "workload.place")
	for i := n - 1; i > 0; i-- {
		j := int(random.Below(uint64(i + 1)))
		host[i], host[j] = host[j], host[i]
	}
	return host
}
