package catalog

import (
	"errors"
	"fmt"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// Names of parameters that experiments share.
const (
	pKind       = "fabric"
	pHosts      = "hosts"
	pLeaf       = "hosts-per-leaf"
	pSpines     = "spines"
	pPlanes     = "planes"
	pRate       = "rate"
	pRtt        = "base-rtt"
	pBuffer     = "buffer"
	pEcn        = "ecn"
	pTransports = "transports"
	pPaths      = "paths"
	pQueues     = "queue-pairs"
	pLossy      = "lossy-most"
	pNic        = "nic"
)

// withNetwork appends the parameters that every network has to those of an experiment.
func withNetwork(own experiment.Params) experiment.Params {
	have := map[string]bool{}
	for _, p := range own {
		have[p.Name] = true
	}
	all := append(experiment.Params{}, own...)
	for _, p := range networkParams() {
		if !have[p.Name] {
			all = append(all, p)
		}
	}
	return append(all, knobParams()...)
}

// knobPrefix stands before the names of MetaRoCE's constants, which are parameters too.
const knobPrefix = "mr."

// knobParams are the constants of MetaRoCE that a run may set (docs/constants.md).
func knobParams() experiment.Params {
	var ps experiment.Params
	for _, k := range preset.Knobs() {
		ps = append(ps, experiment.Param{Name: knobPrefix + k.Name, Knob: true, Min: uint64(k.Lo), Max: uint64(k.Hi), Default: fmt.Sprint(k.Default), Why: k.Text + " [" + k.Unit + "] (" + k.Rule + ")"})
	}
	return ps
}

func networkParams() experiment.Params {
	return experiment.Params{
		{Name: pTransports, Kind: experiment.Choices, Options: transportNames(), Default: "metaroce,rocev2",
			Why: "the NICs: MetaRoCE; RoCEv2 with go-back-N and DCQCN on a lossy fabric; the same with priority flow control"},
		{Name: pPaths, Min: 0, Max: 64, Default: "0", Why: "paths of a MetaRoCE connection; 0: 8 on a single switch, 32 where a plane has many ways, and never fewer than planes"},
		{Name: pNic, Kind: experiment.Choice, Options: []string{"immediate", "cycles"}, Default: "immediate",
			Why: "MetaRoCE NICs: immediate takes no time inside, as the baseline's do; cycles has stages, queues and a host memory with latency (docs/endpoint.md)"},
		{Name: pQueues, Min: 1, Max: 256, Default: "1", Why: "RoCEv2 queue pairs that a flow is divided among, each with a way of its own for life"},
		{Name: pRate, Unit: experiment.Mbits, Min: 1000, Max: 1_600_000, Default: "400g", Why: "rate of every link: the announced NICs have 400 Gb/s"},
		{Name: pRtt, Unit: experiment.Nanos, Min: 1000, Max: 100_000_000, Default: "10us", Why: "round trip of a full packet and its acknowledgement with no queue, over the longest way; link delays follow from it"},
		{Name: pBuffer, Unit: experiment.Milli, Min: 10, Max: 1_000_000, Default: "1000", Why: "bytes that may wait at a port, in thousandths of rate x base RTT: 1000 is shallow, 50000 deep"},
		{Name: pEcn, Kind: experiment.Choice, Options: []string{"on", "off"}, Default: "on", Why: "marks from 0.2 to 0.8 of rate x base RTT waiting, whatever the buffer: what is published for such fabrics"},
	}
}

// kindParam is for experiments whose fabric may be chosen.
func kindParam(def, why string) experiment.Param {
	return experiment.Param{Name: pKind, Kind: experiment.Choice, Options: kindNames(), Default: def, Why: why}
}

// lossyParam bounds what RoCEv2 without flow control is asked to do: where it collapses, simulating every useless packet
// takes minutes, and says no more than a milder case.
func lossyParam(of string, most uint64, def string) experiment.Param {
	return experiment.Param{Name: pLossy, Max: most, Default: def, Why: "RoCEv2 without flow control is run up to so many " + of + ": beyond it collapses, and its useless packets take minutes to simulate"}
}

var kinds = []fabric.Kind{fabric.SingleSwitch, fabric.LeafSpine, fabric.FatTree}

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return names
}

func kindOf(name string) fabric.Kind {
	for _, k := range kinds {
		if k.String() == name {
			return k
		}
	}
	panic("catalog BUG: kind " + name)
}

// shape is the network of an experiment before delays and buffers are known.
func shape(kind fabric.Kind, hosts, planes int) fabric.Config {
	c := fabric.Default(kind, hosts)
	c.Planes = planes
	return c
}

// links on the way there and back: a delay of d on each of them adds so many d to the base round trip.
func links(kind fabric.Kind) sim.Picos {
	return map[fabric.Kind]sim.Picos{fabric.SingleSwitch: 4, fabric.LeafSpine: 8, fabric.FatTree: 12}[kind]
}

// fit sets rate, delays, buffers and marks as the parameters say. The error says what does not go together.
func fit(c *fabric.Config, v experiment.Values) error {
	c.LinkMbps = uint32(v.Number(pRate))
	rtt := sim.Picos(v.Number(pRtt)) * 1000
	c.LinkDelay, c.Buffer, c.EcnLo, c.EcnHi = 0, 1, 0, 0
	fixed, err := diameter(*c)
	if err != nil {
		return err
	}
	if fixed > rtt {
		return &experiment.Problem{Field: pRtt, Value: experiment.Nanos.Format(v.Number(pRtt)),
			Rule: fmt.Sprintf("switches, NICs and serialising alone take %s ns in this fabric", experiment.Whole((fixed+999)/1000))}
	}
	c.LinkDelay = (rtt - fixed) / links(c.Kind)
	bdp := bdpOf(c, v)
	c.Buffer = uint32(min(bdp*v.Number(pBuffer)/1000, 1<<32-1))
	if v.Word(pEcn) == "on" {
		c.EcnLo, c.EcnHi = uint32(bdp/5), uint32(bdp/5*4)
	}
	return nil
}

// bdpOf is the rate of a link times the base round trip, in bytes.
func bdpOf(c *fabric.Config, v experiment.Values) uint64 {
	return uint64(c.LinkMbps) * v.Number(pRtt) / 8000
}

// diameter is the base round trip of a network. What is wrong with it, all of it, is the error.
func diameter(c fabric.Config) (sim.Picos, error) {
	c.Script = nil
	n, err := fabric.New(c)
	if err != nil {
		return 0, err
	}
	return n.Diameter(dataSize, ackSize), nil
}

// problems joins what is wrong, each once.
type problems struct {
	list []error
	seen map[string]bool
}

func (p *problems) add(err error) {
	if err == nil {
		return
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			p.add(e)
		}
		return
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	if !p.seen[err.Error()] {
		p.seen[err.Error()] = true
		p.list = append(p.list, err)
	}
}

func (p *problems) err() error { return errors.Join(p.list...) }
