// Package cover carries the list of functional bins that cannot be filled, each with its reason, for cosim/cover.
package cover
