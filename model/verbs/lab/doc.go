// Package lab is a channel between a few NICs: it calls them as a network would, and does to their packets what a network
// may do. Tests and examples use it; simulations of networks are the business of package fabric.
//
// Every NIC has one uplink a plane, which sends at the rate of the plane, and every packet arrives a fixed time after it
// left, as bytes, unless Trouble befalls it. Nothing is queued in between.
//
//	l, err := lab.New(lab.Default(), a, b)   // host 0, host 1
//	l.Until(limit, func() bool { ... })
//
// NICs may be called at any time between two steps, with the time l.Now(); what they have to send then is seen at the next.
package lab
