// Package show puts frames into words: a line a packet, or every field of it. What it prints comes from the tables of
// model/spec, so a field that is added there shows up here.
package show
