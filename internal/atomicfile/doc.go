// Package atomicfile writes files that others rely on. A file is whole, or it is what it was: what is new is written under
// another name in the same folder, which then takes the place of the old. A full disk or a signal leaves the old one.
//
//	Write   one file
//	Folder  many files: all of them are written before the first takes its place
//
// Errors name what the caller named, never the name that is used on the way. A kill in the middle may leave such a name
// behind: it begins with Prefix.
package atomicfile
