package mutate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/cosim/mutate/circuit"
	"metaroce/tandem/cosim/mutate/yosys"
	"metaroce/tandem/cosim/target"
)

// netlistModule is the name of the mutated top.
const netlistModule = "mr_rx_netlist"

const (
	topFile = "rtl/top/mr_rx_top.sv"
	ramFile = "rtl/common/mr_ram.sv"
)

// Block is a part of the device: the instances whose cells are its.
type Block struct {
	Name      string
	Instances []string
}

// Blocks of the device around its steps. What belongs to none is what Yosys joined over the borders of blocks.
var Blocks = []Block{
	{"parse", []string{"u_parse", "u_pbuf"}},
	{"regs", []string{"u_regs"}},
	{"admit", []string{"u_admit"}},
	{"window", []string{"u_window"}},
	{"key", []string{"u_key"}},
	{"recv", []string{"u_recv"}},
	{"message", []string{"u_message"}},
	{"place", []string{"u_place"}},
	{"complete", []string{"u_complete"}},
	{"coalesce", []string{"u_coalesce", "u_pending"}},
	{"ctimer", []string{"u_ctimer"}},
	{"ack", []string{"u_ack"}},
	{"queues", []string{"u_to_window", "u_to_key", "u_to_recv", "u_to_message", "u_want"}},
}

// netlist is the mutated device: the list of mutants, sources for a simulator, and the circuit for proofs.
type netlist struct {
	dir     string
	mutants []yosys.Mutant
	sources map[string]string // replacements for rtl.Options
}

// Two runs and one for the proofs: a list is a script, and Yosys reads a script whole before it runs any of it.
//
// The memories of the tables (mr_ram) stay as they are: on a chip they are macros. What nobody could see is taken out
// first (opt, wreduce). The rest is about speed: with enables of memories that are one bit instead of a vector of equal
// ones (opt_reduce, splitnets @en), and nets split where their drivers change (splitnets -driver), the simulator is
// twenty times as fast, because no statement a bit is written and no bits of one vector seem to depend on each other.
const chooseScript = yosys.Read + `delete mr_ram
read_verilog -sv -lib -Irtl/gen -Irtl/common ` + ramFile + `
hierarchy -check -top mr_rx_top
proc
setattr -mod -set keep_hierarchy 1 *_step
opt_clean
flatten
opt -full
wreduce
opt_expr
opt_reduce
opt_clean -purge
rename mr_rx_top ` + netlistModule + `
cd ` + netlistModule + `
select -set en t:$memwr_v2 %ci1:+[EN]
splitnets @en
opt_clean -purge
cd ..
write_ilang DIR/plain.il
cd ` + netlistModule + `
`

const applyScript = `read_ilang DIR/plain.il
cd ` + netlistModule + `
SCRIPTS
splitnets -driver
opt_clean -purge
cd ..
write_verilog -noattr DIR/netlist.v
`

// For proofs everything is gates and registers but the memories, those of the tables too: what they are given is an
// output, what they give an input. Only wires with a name of their own become ports, hence rename; what still has no
// driver may be anything in every cycle (anyseq). BASE is the folder of the netlist.
const proofScript = `read_ilang BASE/plain.il
cd ` + netlistModule + `
SCRIPTS
cd ..
delete mr_ram
read_verilog -sv -Irtl/gen -Irtl/common ` + ramFile + `
hierarchy -check -top ` + netlistModule + `
proc
setattr -mod -unset keep_hierarchy *_step
flatten
opt_clean
memory_collect
select -set given t:$mem_v2 %ci1:+[RD_ADDR,RD_EN,WR_ADDR,WR_DATA,WR_EN] t:$mem_v2 %d
select -set gives t:$mem_v2 %co1:+[RD_DATA] t:$mem_v2 %d
rename -enumerate -pattern memory_% @given
rename -enumerate -pattern memory_% @gives
select -set given t:$mem_v2 %ci1:+[RD_ADDR,RD_EN,WR_ADDR,WR_DATA,WR_EN] t:$mem_v2 %d
select -set gives t:$mem_v2 %co1:+[RD_DATA] t:$mem_v2 %d
expose @given
expose -cut @gives
delete t:$mem_v2
opt_clean -purge
async2sync
dffunmap
techmap
opt -fast -nodffe -nosdff
setundef -undriven -anyseq
aigmap
opt_clean -purge
write_aiger -symbols DIR/netlist.aig
`

// scripts choose count mutants of each block, numbered one block behind the other, and apply them.
func scripts(count int, seed uint64) []yosys.Script {
	var choose strings.Builder
	choose.WriteString(chooseScript)
	for i, b := range Blocks {
		choose.WriteString("select -none\n")
		for _, inst := range b.Instances {
			fmt.Fprintf(&choose, "select -add c:*\\%s.*\n", inst)
		}
		fmt.Fprintf(&choose, "select -del t:$mem*\nmutate -list %d -seed %d -ctrl mutsel 16 %d -o DIR/%s.ys %%\n", count, seed, 1+i*count, b.Name)
	}
	return []yosys.Script{yosys.Script(choose.String()), apply(applyScript, "DIR")}
}

// apply puts the lists of mutants, which are in a folder, into a script.
func apply(script, dir string) yosys.Script {
	var lists strings.Builder
	for _, b := range Blocks {
		fmt.Fprintf(&lists, "script %s/%s.ys\n", dir, b.Name)
	}
	return yosys.Script(strings.NewReplacer("SCRIPTS\n", lists.String(), "BASE", dir).Replace(script))
}

// makeNetlist lets Yosys choose and apply the mutants, unless the cache has them.
func makeNetlist(ctx context.Context, root string, count int, seed uint64, say func(string)) (*netlist, error) {
	dir, err := yosys.Make(ctx, root, "around", scripts(count, seed), func() {
		say(fmt.Sprintf("choosing and applying %d mutants of each of %d blocks (Yosys)", count, len(Blocks)))
	})
	if err != nil {
		return nil, err
	}
	n := &netlist{dir: dir, sources: map[string]string{}}
	for _, b := range Blocks {
		list, err := yosys.Load(dir, b.Name+".ys")
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			m.Block = b.Name
			n.mutants = append(n.mutants, m)
		}
	}
	return n, n.replace(root)
}

// replace makes the replacements: the netlist brings every module but the package and the memory, so that all other
// files are replaced by nothing, and the top's file by the wrapper.
func (n *netlist) replace(root string) error {
	files, err := yosys.Files(root)
	if err != nil {
		return err
	}
	top, err := os.ReadFile(filepath.Join(root, topFile))
	if err != nil {
		return target.Fail("build", err, "cannot read the RTL")
	}
	text, err := wrapper(string(top))
	if err != nil {
		return target.Fail("build", err, "cannot wrap %s", topFile)
	}
	verilog, err := os.ReadFile(filepath.Join(n.dir, "netlist.v"))
	if err != nil {
		return target.Fail("build", err, "cannot read the mutants")
	}
	empty, wrapped := filepath.Join(n.dir, "empty.sv"), filepath.Join(n.dir, "wrapper.sv")
	for name, content := range map[string]string{empty: "", wrapped: text + string(verilog)} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return target.Fail("build", err, "cannot write the mutants")
		}
	}
	keep := []string{"rtl/gen/mr_pkg.sv", ramFile}
	for _, f := range files {
		if !slices.Contains(keep, f) {
			n.sources[f] = empty
		}
	}
	n.sources[topFile] = wrapped
	return nil
}

// circuit makes the netlist for proofs and reads it.
func (n *netlist) circuit(ctx context.Context, root string, say func(string)) (*circuit.Circuit, error) {
	dir, err := yosys.Make(ctx, root, "proof", []yosys.Script{apply(proofScript, n.dir)}, func() { say("a circuit for proofs (Yosys)") })
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "netlist.aig"))
	if err != nil {
		return nil, target.Fail("build", err, "cannot read the mutants")
	}
	defer f.Close()
	c, err := circuit.Read(f)
	if err != nil {
		return nil, target.Fail("build", err, "the circuit of the mutants")
	}
	return c, nil
}
