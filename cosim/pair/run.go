package pair

import (
	"context"
	"fmt"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/model/verbs/lab"
)

// Changes of the weather in a run, where nobody says otherwise.
const Changes = 60

// MostChanges of one run.
const MostChanges = 100_000

// Config of a run. All seeds are alright; three of four begin shortly before serial numbers wrap.
type Config struct {
	Seed    uint64
	Changes int
}

// Report is what a run came to.
type Report struct {
	Posted  uint64       `json:"posted"`  // requests that were taken
	Ended   uint64       `json:"ended"`   // of these
	Records uint64       `json:"records"` // of the NIC whose bins are counted
	Time    uint64       `json:"us"`      // simulated
	Faults  []string     `json:"faults"`  // what a requester is promised and did not get
	Bins    *cover.Cover `json:"-"`
}

// settled is how long the network is well at the end: longer than it takes to give up a connection.
const settled = 4_000_000 * microsecond

// Run does a run. What is wrong with the NICs is in the report; an error is an interruption, or a mistake of the call.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Changes < 1 || c.Changes > MostChanges {
		return nil, fmt.Errorf("%d changes of the weather: want 1 to %d", c.Changes, MostChanges)
	}
	p, err := newPair(c.Seed)
	if err != nil {
		return nil, err
	}
	for i := range c.Changes {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("interrupted: %w", err)
		}
		if i == early {
			p.fail(streams - 1)
		}
		p.change(i)
	}
	for stream := range uint16(streams) {
		p.fail(stream)
	}
	p.settle()
	return &Report{p.posted, p.ended, p.bins.Records(), uint64(p.lab.Now() / microsecond), append([]string{}, p.faults...), p.bins}, nil
}

// settle lets the network be well until everything has ended, or could have.
func (p *pair) settle() {
	p.lab.Trouble = lab.Trouble{}
	limit := p.lab.Now() + settled
	for p.lab.Now() < limit && len(p.open[0])+len(p.open[1]) > 0 {
		p.lab.Run(1000 * microsecond)
		p.drain()
	}
	for host, open := range p.open {
		if n := len(open); n > 0 {
			p.faults = append(p.faults, fmt.Sprintf("host %d: %d requests have not ended, %d us after the network was well again", host, n, settled/microsecond))
		}
	}
}
