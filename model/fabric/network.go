package fabric

import "metaroce/tandem/model/sim"

// Network is one fabric with all its planes. It runs in the goroutine of its caller.
type Network struct {
	cfg Config
}

// New builds a network. The error is that of Config.Validate.
func New(cfg Config) (*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Network{cfg: cfg}, nil
}

// Attach gives a host its NIC; every host needs one before the first step.
func (n *Network) Attach(host int, h Host) {}

// Kick says that the host has something for the uplink of a plane. It costs next to nothing where the uplink is busy
// or was kicked already. Pull follows before time goes on.
func (n *Network) Kick(host, plane int) {}

// Wake asks for Host.Tick at a time; what is past means now. A host has one pending wake: an earlier time replaces a
// later one, a later one is forgotten.
func (n *Network) Wake(host int, at sim.Picos) {}

// Now is the time of the newest event, or what Run went to.
func (n *Network) Now() sim.Picos { return 0 }

// Next is the time of the next event; false when there is none.
func (n *Network) Next() (sim.Picos, bool) { return 0, false }

// Step executes the next event; false when there is none.
func (n *Network) Step() bool { return false }

// Run executes all events up to and with that time, and leaves Now there.
func (n *Network) Run(until sim.Picos) {}

// Stats is what has happened so far.
func (n *Network) Stats() Stats { return Stats{} }

// InFlight is the packets between their injection and their delivery or loss.
func (n *Network) InFlight() int { return 0 }

// BaseRTT is the time of a packet from src to dst and of one of ackSize back, on the shortest way and with no queue.
func (n *Network) BaseRTT(src, dst, dataSize, ackSize int) sim.Picos { return 0 }

// Diameter is the largest BaseRTT of any two hosts, over the longest of the ways that ECMP may take.
func (n *Network) Diameter(dataSize, ackSize int) sim.Picos { return 0 }
