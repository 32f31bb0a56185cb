// Package mrv is the canonical form of test vectors: files ending in .mrv (docs/vectors.md).
//
// A file holds vectors. A vector has a name, an id that follows from its stimulus alone, what it is for (rules, what a
// target must be able to do), where it came from, the stimulus, and what must be seen. Vectors of a block hold steps
// instead: row, op and input before, row and decision after.
//
//	f, err := mrv.Read(r)            // whole and right, or an error with the offset at fault; never a part
//	err := mrv.Write(w, f, workers)  // equal files give equal bytes, for any number of workers
//
// On disk it is a sequence of zstd frames, so `zstd -dc FILE` gives the messages of mrv.proto, each behind its length.
// In front of every frame stands a skippable one with its length and checksum, and one more ends the file: what is cut
// off or changed is found at its place, before anything is taken out.
//
// The encoder is this package's own, since libraries for protobuf do not promise equal bytes from one version to the
// next; a test reads what it wrote with generated code. Packets are stored as their fields, payload not at all: it
// follows from connection, stream, message and offset (compose.Payload). Reading makes the frames again and holds them
// against the id, so a file never means other bytes than when it was written.
package mrv
