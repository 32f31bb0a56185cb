// Package capture reads frames out of pcap and pcapng files and writes them.
//
// Writing goes through gopacket. Reading does not: files come from anywhere, and the reader there believes length
// fields (it allocates what they say), divides by a clock resolution of zero, indexes into options that are not there,
// and cannot say at which byte it stopped. This one walks blocks inside bounds, looks at nothing that is not needed to
// find frames, and names the place of every fault. Time stamps are not read: the device under test has its own clock.
package capture
