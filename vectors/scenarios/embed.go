package scenarios

import "embed"

// Files holds every scenario of the project.
//
//go:embed *.scn
var Files embed.FS
