// Package edge holds the RTL blocks at the edges of the receive side against the model, one block at a time: the parser,
// placement, the packets of ack, the registers, and the timers.
//
// It is made of tests only. Nearly each writes a stimulus and what the model says to it into hex files, and runs the bench of the
// block (rtl/<block>/tb) in Icarus, which shows what is not initialised. The engines between the edges are compared in
// lockstep, from one end to the other; these benches name the block and reach what is rare there: a frame every cycle, a
// packet buffer that is full, a descriptor queue that overruns, answers of the memory port that wait, time that passes 2^32.
package edge
