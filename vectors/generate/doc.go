// Package generate makes random traffic from a seed: messages of all kinds spread over paths, lost, late, doubled,
// detoured and sent again, through changes of epoch, refusals and errors, with garbage between them and stalls on every
// stream. It plays a sender that keeps the rules (windows, one receive a message, epochs by probe) and a network that
// does not, and it never looks at the model.
//
// Every decision draws from a random stream with a name of its own, so that a draw added for one purpose moves no
// other. Equal seed, preset and length give equal bytes everywhere.
//
// Bound on serial numbers: no packet has a psn further than a quarter of the serial space from its path's window, which
// is what the proof of the window step assumes (docs/blocks/window.md).
package generate
