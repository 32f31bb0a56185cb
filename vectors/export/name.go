package export

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"metaroce/tandem/vectors/mrv"
)

var unsafePart = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)

// FileName is a vector's name as a file or folder: nothing in it that a shell or simulator minds. Of a name that has
// nothing else it is the id.
func FileName(v *mrv.Vector) string {
	if s := strings.Trim(unsafePart.ReplaceAllString(v.Name, "-"), "-."); s != "" {
		return s
	}
	return v.ID
}

// Distinct says which vectors would be written over each other, all of them: names that differ in what FileName leaves
// out, and equal ones of several files.
func Distinct(vectors []*mrv.Vector) error {
	by := map[string][]string{}
	for _, v := range vectors {
		by[FileName(v)] = append(by[FileName(v)], fmt.Sprintf("%s (%.8s)", v.Name, v.ID))
	}
	var errs []error
	for _, n := range slices.Sorted(maps.Keys(by)) {
		if len(by[n]) > 1 {
			errs = append(errs, fmt.Errorf("%s would all be written to %s: export them one at a time, into folders of their own (--only takes a name or an id)", strings.Join(by[n], ", "), n))
		}
	}
	return errors.Join(errs...)
}
