// Package glob lists files of a folder by a pattern.
//
//	In(dir, "*.jsonl")
//
// Only what stands below the folder is a pattern. filepath.Glob reads the folder itself as one too: a checkout or a run in a
// folder called run[1] would look empty.
package glob
