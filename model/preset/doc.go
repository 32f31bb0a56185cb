// Package preset holds the constants of the definition and the named sizes of the device, generated from
// model/spec/constant.tbl. RTL gets the same numbers as mr_pkg constants and module parameters.
package preset

import (
	"fmt"
	"strings"
)

// ByName finds a preset by its name in constant.tbl.
func ByName(name string) (Params, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Params{}, false
}

// Validate reports every parameter that breaks its rule, for sizes that are not a preset.
func (p Params) Validate() error {
	var bad []string
	for _, r := range rules {
		v := r.get(&p)
		switch {
		case v < r.lo || v > r.hi:
			bad = append(bad, fmt.Sprintf("%s is %d, not in %d..%d", r.name, v, r.lo, r.hi))
		case r.pow2 && v&(v-1) != 0:
			bad = append(bad, fmt.Sprintf("%s is %d, not a power of two", r.name, v))
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("preset %q: %s", p.Name, strings.Join(bad, "; "))
	}
	return nil
}
