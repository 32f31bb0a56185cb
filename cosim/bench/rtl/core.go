package rtl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	simulator "metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// benchFile takes the place of the bench that lockstep uses.
const (
	benchFile = "cosim/bench/rtl/mr_core_bench.sv"
	replaced  = "cosim/dpi/mr_bench.sv"
)

// Patterns of the descriptors that are injected, by +tandem_pattern.
var Patterns = []string{"one path", "two paths in turn", "random paths", "random everything"}

// Core is what mr_rx_core did while a descriptor was offered in every cycle.
type Core struct {
	Pattern   string         `json:"pattern"`
	Cycles    int            `json:"cycles"` // counted, with the pipeline full
	Held      int            `json:"held"`   // of these, cycles in which the descriptor had to wait
	Dropped   int            `json:"dropped"`
	Sent      int            `json:"sent"` // over the whole run
	Completed int            `json:"completed"`
	Commits   map[string]int `json:"commits"` // in the counted cycles, by engine
	Missing   []string       `json:"missing,omitempty"`
}

// merged are the engines that take no descriptor: they build acknowledgements, several descriptors into one.
var merged = map[event.Kind]bool{event.KindCtimer: true, event.KindAck: true}

// Holds says whether no engine lost a cycle.
func (c *Core) Holds() bool { return len(c.Missing) == 0 }

// result of the simulator, as it prints it.
type printed struct {
	Cycles, Sent, Held, Dropped, Completed, Idle int
	Commits                                      []int
}

// MeasureCore runs every pattern.
func MeasureCore(ctx context.Context, opt simulator.Options, presetName string) ([]Core, error) {
	p, ok := preset.ByName(presetName)
	if !ok {
		return nil, &target.Unsupported{What: "preset " + presetName}
	}
	root, err := rootOf(opt)
	if err != nil {
		return nil, err
	}
	opt.Sources = map[string]string{replaced: root + "/" + benchFile}
	binary, err := simulator.Build(ctx, p, &opt)
	if err != nil {
		return nil, err
	}
	var list []Core
	for i, name := range Patterns {
		out, err := execute(ctx, binary, append(simulator.SeedArgs(uint64(i+1)), fmt.Sprintf("+tandem_pattern=%d", i)))
		if err != nil {
			return list, err
		}
		c, err := judge(name, out)
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	return list, nil
}

func rootOf(opt simulator.Options) (string, error) {
	if opt.Root != "" {
		return opt.Root, nil
	}
	return simulator.FindRoot()
}

func execute(ctx context.Context, binary string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", target.Fail("host", ctx.Err(), "interrupted")
		}
		return "", target.Fail("device", err, "the bench of the core ended badly: %s", strings.TrimSpace(out.String()))
	}
	return out.String(), nil
}

// judge reads what the bench printed and holds it to one commit a cycle.
func judge(name, out string) (Core, error) {
	var p printed
	c := Core{Pattern: name, Commits: map[string]int{}}
	at := strings.IndexByte(out, '{')
	if at < 0 {
		return c, target.Fail("device", nil, "the bench of the core reported nothing")
	}
	if err := json.NewDecoder(strings.NewReader(out[at:])).Decode(&p); err != nil {
		return c, target.Fail("device", err, "the bench of the core reported nonsense")
	}
	c.Cycles, c.Held, c.Dropped, c.Sent, c.Completed = p.Cycles, p.Held, p.Dropped, p.Sent, p.Completed
	miss := func(format string, args ...any) { c.Missing = append(c.Missing, fmt.Sprintf(format, args...)) }
	n := 0
	for i := range event.Engines {
		e := &event.Engines[i]
		if !e.Built || e.Boundary {
			continue
		}
		if n == len(p.Commits) {
			return c, target.Fail("device", nil, "the bench of the core counts %d engines, the definition has more", n)
		}
		c.Commits[e.Name] = p.Commits[n]
		if !merged[e.Kind] && p.Commits[n] != p.Cycles {
			miss("%s committed in %d of %d cycles", e.Name, p.Commits[n], p.Cycles)
		}
		n++
	}
	if p.Cycles == 0 || p.Sent == 0 {
		miss("nothing was measured")
	}
	if p.Held > 0 {
		miss("a descriptor had to wait in %d cycles", p.Held)
	}
	if p.Dropped > 0 {
		miss("%d descriptors were dropped", p.Dropped)
	}
	if p.Completed != p.Sent {
		miss("%d messages sent, %d completed", p.Sent, p.Completed)
	}
	if c.Commits["ack"] == 0 {
		miss("no acknowledgement was built")
	}
	return c, nil
}
