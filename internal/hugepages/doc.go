// Package hugepages has the Go heap grow into huge pages. A simulation of a thousand NICs goes through tens of megabytes again
// and again, a packet here and a packet there, and with pages of 4 KB nearly each of these steps misses the TLB too.
//
//	hugepages.Reserve(256 << 20) // before what is large is made
//
// It is a wish, and changes nothing but time: a system that has no huge pages, or keeps them for itself, does as before.
package hugepages
