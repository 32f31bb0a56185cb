package cover

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// countsForm names the form of a file of counts.
const countsForm = "tandem-bins 1"

// Layout names the bins as they are defined here: counts by index mean nothing under other definitions.
func (c *Cover) Layout() string {
	h := sha256.New()
	for _, g := range c.groups {
		fmt.Fprintf(h, "%s\n", g.name)
		for _, d := range g.dims {
			fmt.Fprintf(h, " %s %s\n", d.name, strings.Join(d.values, " "))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Encode writes the counts as text: the form and the layout, the number of records, and for each group with hits a line
// "GROUP INDEX HITS INDEX HITS ...", indices rising. Equal counts give equal bytes.
func (c *Cover) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\nrecords %d\n", countsForm, c.Layout(), c.records)
	for _, g := range c.groups {
		line := g.name
		for i, n := range g.hits {
			if n > 0 {
				line += " " + strconv.Itoa(i) + " " + strconv.FormatUint(n, 10)
			}
		}
		if line != g.name {
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes()
}

// Add adds counts that Encode wrote. A text of another layout, or one that is garbled or cut off, adds nothing.
func (c *Cover) Add(in io.Reader) error {
	sum := c.like()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		return fmt.Errorf("bins: nothing to read (%w)", orEOF(lines.Err()))
	}
	if want := countsForm + " " + c.Layout(); lines.Text() != want {
		return fmt.Errorf("bins: the file is %q, this program has %q: the bins were defined otherwise when it was written", lines.Text(), want)
	}
	if !lines.Scan() {
		return fmt.Errorf("bins: cut off (%w)", orEOF(lines.Err()))
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(lines.Text(), "records "), 10, 64); err == nil {
		sum.records = n
	} else {
		return fmt.Errorf("bins: line 2: %q is no number of records", lines.Text())
	}
	for n := 3; lines.Scan(); n++ {
		if err := sum.addLine(strings.Fields(lines.Text())); err != nil {
			return fmt.Errorf("bins: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("bins: %w", err)
	}
	c.Merge(sum)
	return nil
}

// Hits are the numbers of the bins that were hit, rising, of the same bins under one Layout.
func (c *Cover) Hits() []int {
	var list []int
	first := 0
	for _, g := range c.groups {
		for i, n := range g.hits {
			if n > 0 {
				list = append(list, first+i)
			}
		}
		first += len(g.hits)
	}
	return list
}

// Bins is how many there are.
func (c *Cover) Bins() int {
	n := 0
	for _, g := range c.groups {
		n += len(g.hits)
	}
	return n
}

func orEOF(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (c *Cover) addLine(words []string) error {
	if len(words)%2 != 1 {
		return fmt.Errorf("%d words: want a group, then pairs of index and hits", len(words))
	}
	g := c.group(words[0])
	if g == nil {
		return fmt.Errorf("no group %q", words[0])
	}
	for i := 1; i < len(words); i += 2 {
		at, err := strconv.Atoi(words[i])
		if err != nil || at < 0 || at >= len(g.hits) {
			return fmt.Errorf("group %s has no bin %s", g.name, words[i])
		}
		hits, err := strconv.ParseUint(words[i+1], 10, 64)
		if err != nil || hits == 0 {
			return fmt.Errorf("bin %d of %s: %q is no number of hits", at, g.name, words[i+1])
		}
		g.hits[at] += hits
	}
	return nil
}
