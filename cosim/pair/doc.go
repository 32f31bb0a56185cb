// Package pair runs two whole NICs of the model against each other: work of all kinds at both ends, through a network that
// loses, doubles, delays and marks packets and takes planes away. It is for what only the model has, the send side, whose
// functional bins it counts (package cover) from the records of one of the two.
//
// A run is held to what a requester is promised: every request that was taken ends once, with its own number, and once the
// network is well again all of them do. Equal seeds give equal runs.
//
//	r, err := pair.Run(ctx, pair.Config{Seed: 1, Changes: pair.Changes})
package pair
