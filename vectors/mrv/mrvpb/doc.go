// Package mrvpb is what protoc makes of ../mrv.proto. Only tests use it: they read with it what package mrv wrote, so
// that the file is what the definition says and not only what mrv itself understands.
//
//go:generate protoc -I.. --go_out=. --go_opt=paths=source_relative mrv.proto
package mrvpb
