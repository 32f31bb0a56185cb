package cover

import _ "embed"

// Waivers is the text of waivers.txt.
//
//go:embed waivers.txt
var Waivers []byte
