package rtl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
)

// sources of a simulator, relative to the root, in the order of the command line.
type sources struct {
	verilog  []string // packages first
	headers  []string // included by name
	includes []string // directories
	c        []string // the shim
	main     string
}

const (
	packageFile = "rtl/gen/mr_pkg.sv"
	dpiDir      = "cosim/dpi"
)

// find lists what a build consists of: every module below rtl/ but benches and proofs, and cosim/dpi.
func find(root string) (*sources, error) {
	s := &sources{verilog: []string{packageFile}, main: dpiDir + "/sim_main.cpp"}
	dirs := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "rtl"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (d.Name() == "tb" || d.Name() == "formal" || d.Name() == "lint"):
			return filepath.SkipDir
		case d.IsDir():
		case strings.HasSuffix(rel, ".svh"):
			s.headers = append(s.headers, rel)
			dirs[filepath.Dir(rel)] = true
		case strings.HasSuffix(rel, ".sv") && rel != packageFile:
			s.verilog = append(s.verilog, rel)
		}
		return nil
	})
	if err != nil {
		return nil, target.Fail("build", err, "cannot list the RTL")
	}
	for d := range dirs {
		s.includes = append(s.includes, d)
	}
	sort.Strings(s.includes)
	sort.Strings(s.verilog[1:])
	s.includes = append(s.includes, dpiDir, dpiDir+"/gen")
	s.verilog = append(s.verilog, dpiDir+"/mr_monitor.sv", dpiDir+"/mr_bench.sv")
	s.headers = append(s.headers, dpiDir+"/tandem_dpi.svh", dpiDir+"/gen/mr_monitor_gen.svh", dpiDir+"/tandem_shim.h",
		dpiDir+"/tandem_internal.h", dpiDir+"/gen/tandem_record.h")
	s.c = []string{dpiDir + "/tandem_wire.c", dpiDir + "/tandem_meta.c", dpiDir + "/tandem_record.c", dpiDir + "/tandem_stim.c"}
	return s, nil
}

// path is where a source is read from: its replacement if there is one.
func (b *build) path(rel string) string {
	if p, ok := b.opt.Sources[rel]; ok {
		return p
	}
	return filepath.Join(b.root, rel)
}

// key is over everything that the binary depends on: contents, flags, tools.
func (b *build) key() (string, error) {
	h := sha256.New()
	for _, list := range [][]string{b.src.verilog, b.src.headers, b.src.c, {b.src.main}} {
		for _, rel := range list {
			f, err := os.Open(b.path(rel))
			if err != nil {
				return "", target.Fail("build", err, "cannot read a source")
			}
			fmt.Fprintf(h, "%s\n", rel)
			_, err = io.Copy(h, f)
			_ = f.Close()
			if err != nil {
				return "", target.Fail("build", err, "cannot read a source")
			}
		}
	}
	for rel := range b.opt.Sources {
		if !b.src.has(rel) {
			return "", target.Fail("build", nil, "%s is to be replaced, but no build has such a source", rel)
		}
	}
	fmt.Fprintf(h, "%s\n%q\n%q\n%q\n", b.version, b.flags(), cFlags, notCounted)
	return hex.EncodeToString(h.Sum(nil))[:20], nil
}

func (s *sources) has(rel string) bool {
	for _, list := range [][]string{s.verilog, s.c} {
		for _, f := range list {
			if f == rel {
				return true
			}
		}
	}
	return false
}

// Version is what the installed Verilator calls itself.
func Version() (string, error) {
	out, err := exec.Command("verilator", "--version").Output()
	if err != nil {
		return "", target.Fail("build", err, "verilator does not run; install it (Debian: apt-get install verilator g++ make)")
	}
	return strings.TrimSpace(string(out)), nil
}

// presetParams are a preset's parameters as the handshake and constant.tbl name them; sv is the module parameter.
func presetParams(p *preset.Params) []struct {
	Name, SV string
	Value    int
} {
	return []struct {
		Name, SV string
		Value    int
	}{
		{"conns", "Conns", p.Conns}, {"paths", "Paths", p.Paths}, {"streams", "Streams", p.Streams},
		{"msg_slots", "MsgSlots", p.MsgSlots}, {"recvs", "Recvs", p.Recvs}, {"keys", "Keys", p.Keys},
		{"buf_beats", "BufBeats", p.BufBeats}, {"ram_latency", "RamLatency", p.RamLatency}, {"desc_depth", "DescDepth", p.DescDepth},
	}
}
