package cover

import (
	"bytes"
	"io"
	"strings"
)

// All are the bins of both sides of a NIC: an execution counts one of them, and a run has executions of both kinds.
type All struct{ receive, sender *Cover }

// NewAll makes empty bins of both sides.
func NewAll() *All { return &All{New(), NewSender()} }

// counted are the sides of which records were looked at; of none, the receive side.
func (a *All) counted() []*Cover {
	switch {
	case a.sender.records == 0:
		return []*Cover{a.receive}
	case a.receive.records == 0:
		return []*Cover{a.sender}
	}
	return []*Cover{a.receive, a.sender}
}

// Add adds counts that the Encode of a side, or of both, wrote. Of a text that is garbled nothing is added.
func (a *All) Add(in io.Reader) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	sum := NewAll()
	for _, part := range parts(string(text)) {
		side := sum.receive
		if strings.HasPrefix(part, countsForm+" "+sum.sender.Layout()+"\n") {
			side = sum.sender
		}
		if err := side.Add(strings.NewReader(part)); err != nil {
			return err
		}
	}
	a.Merge(sum)
	return nil
}

// parts cuts a text in front of every line that a side's counts begin with.
func parts(text string) []string {
	var list []string
	for {
		at := strings.Index(text, "\n"+countsForm+" ")
		if at < 0 {
			return append(list, text)
		}
		list, text = append(list, text[:at+1]), text[at+1:]
	}
}

// Merge adds the counts of another.
func (a *All) Merge(o *All) {
	a.receive.Merge(o.receive)
	a.sender.Merge(o.sender)
}

// Encode writes the counts of the sides that were counted, one behind the other.
func (a *All) Encode() []byte {
	var b bytes.Buffer
	for _, c := range a.counted() {
		b.Write(c.Encode())
	}
	return b.Bytes()
}

// Hits are the numbers of the bins that were hit, rising; those of the sender stand behind those of the receive side.
func (a *All) Hits() []int {
	list := a.receive.Hits()
	for _, n := range a.sender.Hits() {
		list = append(list, a.receive.Bins()+n)
	}
	return list
}

// Bins is how many there are.
func (a *All) Bins() int { return a.receive.Bins() + a.sender.Bins() }

// Report holds the sides that were counted against waivers.
func (a *All) Report(waivers []Waiver, day string) *Report {
	sum := &Report{Empty: []string{}, Stale: []string{}}
	for _, c := range a.counted() {
		r := c.Report(waivers, day)
		sum.Groups, sum.Empty, sum.Stale = append(sum.Groups, r.Groups...), append(sum.Empty, r.Empty...), append(sum.Stale, r.Stale...)
		sum.Bins, sum.Hit, sum.Waived = sum.Bins+r.Bins, sum.Hit+r.Hit, sum.Waived+r.Waived
	}
	return sum
}

// Groups are the names of all groups.
func (a *All) Groups() []string {
	var names []string
	for _, c := range []*Cover{a.receive, a.sender} {
		for _, g := range c.groups {
			names = append(names, g.name)
		}
	}
	return names
}
