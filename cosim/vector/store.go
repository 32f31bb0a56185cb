package vector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/internal/glob"
	"metaroce/tandem/vectors/mrv"
)

// Files of a set beside its .mrv files.
const (
	ManifestFile = "manifest.txt"
	ChangesFile  = "CHANGES.md"
)

// Store is a folder of vectors that is kept in version control.
type Store struct {
	Dir     string
	Version string
	Files   map[string]*mrv.File // by path below Dir, with slashes
}

// OpenStore reads a folder. One that is not there is an empty store of version 0.0.0; a file that cannot be read is an
// error, and all of them are told.
func OpenStore(dir string) (*Store, error) {
	s := &Store{Dir: dir, Version: "0.0.0", Files: map[string]*mrv.File{}}
	var errs []error
	b, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	line, _, _ := strings.Cut(string(b), "\n")
	version, found := strings.CutPrefix(line, "version ")
	switch {
	case err == nil && found:
		s.Version = version
	case err == nil:
		errs = append(errs, fmt.Errorf("%s:1: %q: want the version of the set: version 1.2.3", filepath.Join(dir, ManifestFile), line))
	case !errors.Is(err, os.ErrNotExist):
		errs = append(errs, err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".mrv") {
			return err
		}
		f, err := mrv.ReadFile(path)
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		s.Files[filepath.ToSlash(rel)] = f
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return s, errors.Join(append(errs, err)...)
}

// Vectors lists all, by path and place in the file.
func (s *Store) Vectors() []*mrv.Vector {
	var list []*mrv.Vector
	for _, p := range sortedKeys(s.Files) {
		list = append(list, s.Files[p].Vectors...)
	}
	return list
}

// Manifest is the list of a set as text, so that a change shows where it is reviewed.
func Manifest(version string, files map[string]*mrv.File) string {
	var b strings.Builder
	n := 0
	for _, f := range files {
		n += len(f.Vectors)
	}
	fmt.Fprintf(&b, "version %s\n# %d vectors. Written by `tandem vectors bless`: file, name, id, frames or steps, events, rules.\n", version, n)
	for _, p := range sortedKeys(files) {
		fmt.Fprintf(&b, "\n%s\n", p)
		for _, v := range files[p].Vectors {
			fmt.Fprintf(&b, "  %-44s %s %5d %6d  %s\n", v.Name, v.ID, max(v.Frames(), len(v.Steps)), v.Events(), strings.Join(v.Rules, " "))
		}
	}
	return b.String()
}

// Blessing is what Bless found and did.
type Blessing struct {
	Change  *Change `json:"change"`
	Before  string  `json:"before"` // version
	Version string  `json:"version"`
	Written bool    `json:"written"`
}

// Refusal is a change that was not taken over; what was made lies beside the files under names that end in .rej.
type Refusal struct{ Why string }

// Error says why.
func (r *Refusal) Error() string { return r.Why }

// BlessStore makes the parts anew and takes them over into a store. Without a reason nothing is written. A vector that
// would be gone has to be named in drop.
func BlessStore(ctx context.Context, s *Store, parts []Part, reason string, drop []string, workers int) (*Blessing, error) {
	files, err := MakeAll(ctx, parts, workers)
	if err != nil {
		return nil, err
	}
	now := map[string]*mrv.File{}
	var list []*mrv.Vector
	for i, p := range parts {
		now[p.Path] = files[i]
		list = append(list, files[i].Vectors...)
	}
	for _, p := range sortedKeys(s.Files) { // what is not made anew stays, unless it is no part of the set any more
		if now[p] == nil && isGolden(p) {
			now[p] = s.Files[p]
			list = append(list, s.Files[p].Vectors...)
		}
	}
	b := &Blessing{Change: Diff(s.Vectors(), list), Before: s.Version}
	if err := undropped(b.Change, drop); err != nil {
		return nil, err
	}
	if b.Version, err = b.Change.Bump(s.Version); err != nil || b.Change.None() {
		return b, err
	}
	if err := allowed(b.Change, reason, drop); err != nil {
		return b, errors.Join(err, s.write(now, ".rej", nil, workers))
	}
	note, err := s.note(b, reason)
	if err != nil {
		return b, err
	}
	texts := map[string]string{ChangesFile: note, ManifestFile: Manifest(b.Version, now)}
	if err := s.write(now, "", texts, workers); err != nil {
		return b, err
	}
	b.Written = true
	for p := range s.Files {
		if now[p] == nil {
			err = errors.Join(err, os.Remove(filepath.Join(s.Dir, p)))
		}
	}
	return b, errors.Join(err, s.sweep())
}

func isGolden(path string) bool {
	_, err := GoldenParts([]string{path})
	return err == nil
}

// undropped finds names that may be gone and are not: they are misspelt.
func undropped(c *Change, drop []string) error {
	var errs []error
	for _, n := range drop {
		if !slices.Contains(c.Removed, n) {
			errs = append(errs, fmt.Errorf("--drop %q: no vector of that name would be gone", n))
		}
	}
	return errors.Join(errs...)
}

func allowed(c *Change, reason string, drop []string) error {
	named := map[string]bool{}
	for _, n := range drop {
		named[n] = true
	}
	var gone []string
	for _, n := range c.Removed {
		if !named[n] {
			gone = append(gone, n)
		}
	}
	switch {
	case len(gone) > 0:
		return &Refusal{fmt.Sprintf("%d vectors would be gone: %s: a set does not shrink unless they are named with --drop", len(gone), strings.Join(gone, ", "))}
	case strings.TrimSpace(reason) == "":
		return &Refusal{"a change needs a reason: --reason TEXT"}
	}
	return nil
}

// write writes files that differ, and texts, all of them or none.
func (s *Store) write(files map[string]*mrv.File, suffix string, texts map[string]string, workers int) error {
	return atomicfile.Folder(s.Dir, func(work string) error {
		for _, p := range sortedKeys(files) {
			b, err := mrv.Encode(files[p], workers)
			if err != nil {
				return err
			}
			old, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(p)))
			if err == nil && (bytes.Equal(old, b) || suffix != "" && s.Files[p] != nil && Diff(s.Files[p].Vectors, files[p].Vectors).None()) {
				continue
			}
			path := filepath.Join(work, filepath.FromSlash(p+suffix))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
				return err
			}
		}
		for _, name := range sortedKeys(texts) {
			if err := os.WriteFile(filepath.Join(work, name), []byte(texts[name]), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// sweep removes what earlier refusals left.
func (s *Store) sweep() error {
	list, err := glob.In(s.Dir, "*/*.rej")
	for _, f := range list {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// note is the log of the set with the change on top.
func (s *Store) note(b *Blessing, reason string) (string, error) {
	const title = "# Changes of the golden set\n\nMajor: a vector is gone, or expects otherwise. Minor: vectors were added. Patch: only texts.\n"
	old, err := os.ReadFile(filepath.Join(s.Dir, ChangesFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	var e strings.Builder
	fmt.Fprintf(&e, "\n## %s\n\n%s\n\n", b.Version, strings.TrimSpace(reason))
	for _, l := range b.Change.Lines() {
		fmt.Fprintf(&e, "- %s\n", strings.TrimSpace(l))
	}
	return title + e.String() + strings.TrimPrefix(string(old), title), nil
}

// Select picks vectors by pattern (path.Match on names, * also over slashes); none: all. A pattern
// that picks nothing is an error.
func Select(list []*mrv.Vector, patterns []string) ([]*mrv.Vector, error) {
	if len(patterns) == 0 {
		return list, nil
	}
	var out []*mrv.Vector
	used := make([]bool, len(patterns))
	for _, v := range list {
		taken := false
		for i, p := range patterns {
			if matches(p, v.Name) || strings.HasPrefix(v.ID, p) && len(p) >= 8 {
				taken, used[i] = true, true
			}
		}
		if taken {
			out = append(out, v)
		}
	}
	var none []string
	for i, p := range patterns {
		if !used[i] {
			none = append(none, p)
		}
	}
	if none != nil {
		return nil, fmt.Errorf("no vector is called %s", strings.Join(none, " or "))
	}
	return out, nil
}

// matches is a match with * for any run of letters.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(name, p)
		}
		at := strings.Index(name, p)
		if at < 0 {
			return false
		}
		name = name[at+len(p):]
	}
	return name == ""
}
