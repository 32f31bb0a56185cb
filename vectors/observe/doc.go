// Package observe reads the events of a run and holds them against what the stimulus was meant to do. It knows nothing
// of the model: a run in which device and model agree and are both wrong is found here.
//
// Three things come of it: counts and last states by name (what `expect` lines of a scenario are about), breaches (an
// intent of the traffic that the events do not bear out, looked for in every run), and nothing else.
//
// Breaches are: bytes written to memory that no packet carried, or elsewhere than it said; an admitted frame that was
// made wrong; a completion without all its bytes, before an earlier message, twice, or with another message's
// particulars; completions that leave in another order than they were released; an acknowledgement of a psn that did
// not come, or that takes back an earlier one; a psn that is new twice on its path; an acknowledgement with counts that
// go back or are ahead of the packets, with a high_tsn or echo of no packet, or with a notice of what was not released or of
// a stream that is gone; a NAK that is not about its packet, an answer that does not give back its probe; a reply whose
// ICRC is wrong.
package observe
