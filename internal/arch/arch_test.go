package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// modulePackages asks go list for every package of this module, with the tests that need a browser.
func modulePackages(t *testing.T) []Package {
	t.Helper()
	list := exec.Command("go", "list", "-tags", "browser", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", Module+"/...")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	require.NoError(t, err, stderr.String())
	var packages []Package
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
	require.Greater(t, len(packages), 2, "go list found next to nothing")
	return packages
}

func TestImportsOfTheModule(t *testing.T) {
	assert.Empty(t, strings.Join(CheckImports(modulePackages(t)), "\n"))
}

func TestSourceOfTheModel(t *testing.T) {
	files := 0
	for _, p := range modulePackages(t) {
		if !covers("model/...", p.local()) {
			continue
		}
		for _, name := range p.GoFiles {
			files++
			bad, err := CheckModelSource(filepath.Join(p.Dir, name), nil)
			require.NoError(t, err)
			assert.Empty(t, bad)
		}
	}
	assert.Positive(t, files, "no file of the model was read")
}

func TestEveryPackageHasDoc(t *testing.T) {
	for _, p := range modulePackages(t) {
		if len(p.GoFiles) == 0 {
			continue // only tests: nobody can import it
		}
		assert.Empty(t, CheckDoc(p, slices.Contains(p.GoFiles, "doc.go"), filepath.Join(p.Dir, "doc.go"), nil))
	}
}

// TestRowsAreOfThisModule: a row that nothing matches any more is a rule about nothing, and every dependency of others
// that is used has its line in docs/dependencies.md.
func TestRowsAreOfThisModule(t *testing.T) {
	packages := modulePackages(t)
	for _, row := range append(append([]allowed{}, layers...), testExtra...) {
		assert.True(t, slices.ContainsFunc(packages, func(p Package) bool { return covers(row.pattern, p.local()) }), "no package matches %s", row.pattern)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	require.NoError(t, err)
	for _, third := range thirds {
		used := slices.ContainsFunc(packages, func(p Package) bool {
			all := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
			return slices.ContainsFunc(all, func(path string) bool { return path == third.path || strings.HasPrefix(path, third.path+"/") })
		})
		assert.True(t, used, "%s is not used: take its row away, and its line in docs/dependencies.md", third.path)
		assert.Contains(t, string(page), "`"+third.path+"`", "docs/dependencies.md says nothing of it")
	}
}

// own builds a package with one import in its production code.
func own(from, to string) Package {
	return Package{ImportPath: Module + "/" + from, Imports: []string{to}}
}

func TestPlantedImports(t *testing.T) {
	cases := []struct {
		name    string
		p       Package
		problem string // empty: allowed
	}{
		{"block uses records", own("model/window", Module+"/model/event"), ""},
		{"block uses another block", own("model/window", Module+"/model/ack"), "must not import model/ack"},
		{"conn uses a block", own("model/conn", Module+"/model/ack"), ""},
		{"wire uses records", own("model/wire", Module+"/model/event"), "must not import model/event"},
		{"model uses the clock", own("model/window", "time"), "must not import time"},
		{"model uses a socket", own("model/conn", "net/netip"), "must not import net/netip"},
		{"model uses a lock", own("model/event", "sync/atomic"), "must not import sync/atomic"},
		{"model uses global randomness", own("model/pipe", "math/rand/v2"), "must not import math/rand/v2"},
		{"model uses the math of floats", own("model/ack", "math"), "must not import math"},
		{"model counts bits", own("model/ack", "math/bits"), ""},
		{"model writes a file", own("model/ack", Module+"/internal/atomicfile"), "must not import internal/atomicfile"},
		{"vectors write a file", own("vectors/export", Module+"/internal/atomicfile"), ""},
		{"model uses C", own("model/ack", "C"), "uses cgo"},
		{"model uses gopacket", own("model/admit", "github.com/google/gopacket/layers"), "must not import github.com/google/gopacket"},
		{"layers use gopacket", own("nic/layers", "github.com/google/gopacket"), ""},
		{"protobuf in lockstep", own("cosim/lockstep", "google.golang.org/protobuf/proto"), "must not import google.golang.org/protobuf"},
		{"protobuf in the bridge", own("cosim/bridge", "google.golang.org/protobuf/proto"), ""},
		{"cobra outside cmd", own("cosim/rtl", "github.com/spf13/cobra"), "must not import github.com/spf13/cobra"},
		{"testify in production", own("vectors/scenario", "github.com/stretchr/testify/assert"), "must not import github.com/stretchr/testify"},
		{"dependency nobody named", own("vectors/scenario", "example.com/left/pad"), "which no rule names"},
		{"import of a command", own("cosim/rtl", Module+"/cmd/tandem"), "nothing imports a command"},
		{"nic uses the model", own("nic/wire", Module+"/model/conn"), "must not import model/conn"},
		{"target uses lockstep", own("cosim/target", Module+"/cosim/lockstep"), "must not import cosim/lockstep"},
		{"wiregen uses what it writes", own("cmd/wiregen", Module+"/model/wire"), "must not import model/wire"},
		{"package without a place", own("helpers", "fmt"), "no row of internal/arch/rules.go"},
		{"test of a block uses a twin elsewhere", Package{ImportPath: Module + "/model/window", TestImports: []string{Module + "/model/ack"}}, ""},
		{"test of a block uses lockstep", Package{ImportPath: Module + "/model/window", XTestImports: []string{Module + "/cosim/lockstep"}}, "test must not import cosim/lockstep"},
		{"test uses the clock", Package{ImportPath: Module + "/model/window", TestImports: []string{"time"}}, ""},
		{"test uses testify", Package{ImportPath: Module + "/model/window", TestImports: []string{"github.com/stretchr/testify/assert"}}, ""},
		{"testscript in a block", Package{ImportPath: Module + "/model/window", TestImports: []string{"github.com/rogpeppe/go-internal/testscript"}}, "must not import github.com/rogpeppe"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bad := CheckImports([]Package{c.p})
			if c.problem == "" {
				assert.Empty(t, bad)
				return
			}
			assert.Contains(t, strings.Join(bad, "\n"), c.problem)
		})
	}
}

func TestPlantedSource(t *testing.T) {
	cases := []struct {
		name, body, problem string // empty: allowed
	}{
		{"integers", "x := uint32(1) << 3; _ = x", ""},
		{"Sprintf", `_ = fmt.Sprintf("%d", 1)`, ""},
		{"goroutine", "go func() {}()", "goroutine"},
		{"channel", "_ = make(chan int)", "channel"},
		{"select", "select {}", "channel"},
		{"float type", "var x float64; _ = x", "float64"},
		{"float literal", "x := 0.5; _ = x", "0.5"},
		{"Println", "fmt.Println()", "fmt.Println"},
		{"builtin print", "println(1)", "println"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bad, err := CheckModelSource("planted.go", "package p\nimport \"fmt\"\nfunc f() {\n"+c.body+"\n}")
			require.NoError(t, err)
			if c.problem == "" {
				assert.Empty(t, bad)
				return
			}
			require.NotEmpty(t, bad)
			assert.Contains(t, bad[0], c.problem)
			assert.Contains(t, bad[0], "planted.go:4:")
		})
	}
	_, err := CheckModelSource("planted.go", "package")
	assert.Error(t, err, "a file that cannot be read is not a clean file")
}

func TestPlantedDoc(t *testing.T) {
	p := own("model/window", "fmt")
	assert.Empty(t, CheckDoc(p, true, "doc.go", "// Package window is the window.\npackage window"))
	assert.NotEmpty(t, CheckDoc(p, false, "doc.go", ""))
	assert.NotEmpty(t, CheckDoc(p, true, "doc.go", "package window"))
	assert.NotEmpty(t, CheckDoc(p, true, "doc.go", "// Some words.\npackage window"))
	assert.NotEmpty(t, CheckDoc(p, true, "doc.go", "// Package"))
}

// TestEveryRowIsReasoned: a row without its reason is a rule that nobody can weigh against a wish.
func TestEveryRowIsReasoned(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range layers {
		assert.NotEmpty(t, row.why, row.pattern)
		assert.False(t, seen[row.pattern], "%s stands twice: the second row never counts", row.pattern)
		seen[row.pattern] = true
	}
	for _, row := range testExtra {
		assert.NotEmpty(t, row.why, row.pattern)
	}
	for _, row := range thirds {
		assert.NotEmpty(t, row.why, row.path)
	}
}

// TestFoldersAreNoPatterns: filepath.Glob finds nothing in a folder called run[1], so nobody uses it.
func TestFoldersAreNoPatterns(t *testing.T) {
	n := eachSource(t, func(path, text string) {
		if filepath.Ext(path) == ".go" && filepath.Base(filepath.Dir(path)) != "glob" {
			assert.NotContains(t, text, "filepath.Glob(", "%s: use internal/glob", path)
		}
	})
	assert.Greater(t, n, 500)
}
