// Package sim is what the model needs to be simulated and knows no protocol: units of time, a queue and a list of
// events to come that do not allocate, and named streams of random numbers.
//
// Nothing here reads a clock or a global source of randomness: equal seeds give equal runs on every machine.
package sim
