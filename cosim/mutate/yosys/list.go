package yosys

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Mutant is one change that Yosys made.
type Mutant struct {
	Block  string `json:"block"`  // whose list it was chosen from
	Number int    `json:"number"` // what +tandem_mutant selects
	Mode   string `json:"mode"`   // inv, const0, const1, cnot0, cnot1: see `yosys -p "help mutate"`
	Cell   string `json:"cell"`   // with its path through the hierarchy
	Port   string `json:"port"`   // with the bit
	Source string `json:"source"` // file and line
}

// ParseList reads the script that `mutate -list -o` wrote.
func ParseList(text string) ([]Mutant, error) {
	var list []Mutant
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		m, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the list of mutants: %w", n+1, err)
		}
		if n > 0 && m.Number != list[n-1].Number+1 {
			return nil, fmt.Errorf("line %d of the list of mutants has number %d", n+1, m.Number)
		}
		list = append(list, m)
	}
	return list, nil
}

func parseLine(line string) (Mutant, error) {
	var m Mutant
	var sources []string
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "mutate" {
		return m, fmt.Errorf("want a mutate command, found %.40q", line)
	}
	bit := ""
	for i := 1; i+1 < len(words); i++ {
		switch words[i] {
		case "-ctrl": // name, width, value
			if i+3 >= len(words) {
				return m, fmt.Errorf("-ctrl is cut short")
			}
			n, err := strconv.Atoi(words[i+3])
			if err != nil {
				return m, fmt.Errorf("-ctrl: %w", err)
			}
			m.Number = n
		case "-mode":
			m.Mode = words[i+1]
		case "-cell":
			m.Cell = words[i+1]
		case "-port":
			m.Port = words[i+1]
		case "-portbit":
			bit = words[i+1]
		case "-src":
			sources = append(sources, words[i+1])
		}
	}
	if m.Number == 0 || m.Mode == "" || m.Cell == "" || m.Port == "" || bit == "" {
		return m, fmt.Errorf("number, mode, cell, port or bit is missing in %.80q", line)
	}
	m.Port += "[" + bit + "]"
	m.Source = sourceOf(m.Cell, sources)
	return m, nil
}

var (
	inCell = regexp.MustCompile(`\$(rtl/[^$:]+\.sv:\d+)\$`)
	span   = regexp.MustCompile(`^(rtl/[^:]+\.sv):(\d+)\.(\d+)-(\d+)\.(\d+)$`)
)

// sourceOf picks the line that people want to see. Operators carry it in their name; of others Yosys lists everything
// from the instances above down to the branch, in no order: the narrowest span below the top is the branch.
func sourceOf(cell string, sources []string) string {
	if m := inCell.FindStringSubmatch(cell); m != nil {
		return m[1]
	}
	best, width := "", 1<<30
	for _, s := range sources {
		m := span.FindStringSubmatch(s)
		if m == nil || m[2] == "0" {
			continue
		}
		n := make([]int, 6)
		for i := 2; i < 6; i++ {
			n[i], _ = strconv.Atoi(m[i])
		}
		w := (n[4]-n[2])*200 + n[5] - n[3]
		if strings.HasPrefix(m[1], "rtl/top/") || strings.HasPrefix(m[1], "rtl/gen/") {
			w += 1 << 20
		}
		if w < width {
			best, width = m[1]+":"+m[2], w
		}
	}
	return best
}
