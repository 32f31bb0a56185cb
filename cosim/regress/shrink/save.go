package shrink

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"metaroce/tandem/internal/atomicfile"
)

// Saved is a result as it is written beside its text.
type Saved struct {
	File string `json:"file"` // the text, in the same folder
	*Result
	Again string `json:"again"` // a line that runs the text
}

// Save writes the text to a file ending in .scn, and what it is beside it as JSON. Both are written in one step each, the
// text first.
func Save(path string, r *Result, again string) error {
	b, err := json.MarshalIndent(Saved{filepath.Base(path), r, again}, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, r.Text); err != nil {
		return err
	}
	return atomicfile.Write(strings.TrimSuffix(path, ".scn")+".json", append(b, '\n'))
}
