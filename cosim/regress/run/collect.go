package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/internal/glob"
)

// collector reads the records that shards write, as they come. It believes nothing: a record has to be of a case of this
// run, made of the same.
type collector struct {
	dir   string
	cases map[string]*plan.Case // by ID
	files map[string]*tail      // by path
	got   map[string]result.Record
	notes []string
	fresh func(result.Record) // of every new record; nil: nobody
}

// tail is a file that is being written.
type tail struct {
	at  int64
	bad bool // nothing behind this can be believed
}

func newCollector(dir string, cases []plan.Case) *collector {
	c := &collector{dir: filepath.Join(dir, shard.Folder), cases: map[string]*plan.Case{}, files: map[string]*tail{}, got: map[string]result.Record{}}
	for i := range cases {
		c.cases[cases[i].ID()] = &cases[i]
	}
	return c
}

// poll reads what is new, in the order of the files' names.
func (c *collector) poll() error {
	names, err := glob.In(c.dir, "*.jsonl")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := c.read(name); err != nil {
			return err
		}
	}
	return nil
}

// read takes the whole lines that were added to a file.
func (c *collector) read(name string) error {
	t := c.files[name]
	if t == nil {
		t = &tail{}
		c.files[name] = t
	}
	if t.bad {
		return nil
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, t.at, 1<<40))
	if err != nil {
		return err
	}
	b = b[:bytes.LastIndexByte(b, '\n')+1]
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b = rest
		r, err := result.Decode(line)
		if err == nil {
			err = c.take(filepath.Base(name), r)
		}
		if err != nil {
			t.bad = true
			c.note("%s, byte %d: %v; what stands behind it is not used", filepath.Base(name), t.at, err)
			return nil
		}
		t.at += int64(len(line)) + 1
	}
	return nil
}

func (c *collector) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// take puts a record in.
func (c *collector) take(file string, r result.Record) error {
	id := r.ID()
	x := c.cases[id]
	if x == nil {
		return fmt.Errorf("a record of %s, which is no case of this run", id)
	}
	if want := x.Record(); r.Iteration != want.Iteration || r.Preset != want.Preset || r.Dut != want.Dut || r.Digest != want.Digest {
		return fmt.Errorf("the record of %s is of something else than the case", id)
	}
	old, twice := c.got[id]
	if !twice {
		c.got[id] = r
		if c.fresh != nil {
			c.fresh(r)
		}
		return nil
	}
	// given out again because its shard was taken for lost: both did it
	if same, err := equal(old, r); err != nil || same {
		return err
	}
	c.note("%s came to different ends when it was run twice (%s: %s, before: %s): the worse one counts", id, file, r.Verdict, old.Verdict)
	if r.Verdict.Rank() > old.Verdict.Rank() {
		c.got[id] = r
	}
	return nil
}

// equal compares records without their times.
func equal(a, b result.Record) (bool, error) {
	a, b = a.Without(), b.Without()
	x, err := a.Append(nil)
	if err != nil {
		return false, err
	}
	y, err := b.Append(nil)
	return bytes.Equal(x, y), err
}

// begun counts how often each case was begun, over all shards.
func (c *collector) begun() (map[string]int, error) {
	names, err := glob.In(c.dir, "*.begun")
	if err != nil {
		return nil, err
	}
	sum := map[string]int{}
	for _, name := range names {
		n, err := shard.ReadBegun(name)
		if err != nil {
			return nil, err
		}
		for id, k := range n {
			sum[id] += k
		}
	}
	return sum, nil
}

// running lists the cases that run, by the shards' signs of life.
func (c *collector) running(names []string) []string {
	var list []string
	for _, n := range names {
		if l, ok := shard.ReadLife(filepath.Join(c.dir, n+".beat")); ok && l.Case != "" && !l.Ended {
			name, _, _ := strings.Cut(l.Case, "@")
			list = append(list, name)
		}
	}
	return list
}

// pending lists the cases without a record, in their order.
func (c *collector) pending(cases []plan.Case) []int {
	var list []int
	for i := range cases {
		if _, ok := c.got[cases[i].ID()]; !ok {
			list = append(list, i)
		}
	}
	return list
}

// bad counts records that do not match.
func (c *collector) bad() int {
	n := 0
	for _, r := range c.got {
		if r.Verdict != result.Match {
			n++
		}
	}
	return n
}

// records are all that there are.
func (c *collector) records() []result.Record { return slices.Collect(maps.Values(c.got)) }
