package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toldCall is a call in a message: between `, or alone in brackets.
var toldCall = regexp.MustCompile("`(tandem [a-z][^`]*)`|\\((tandem [a-z][^)]*)\\)|: (tandem [a-z][^;:]*?)(?: makes it)?$")

// TestCallsInMessages: what a message or a help says to call can be called. A call that is put together is not looked at.
func TestCallsInMessages(t *testing.T) {
	n := 0
	for _, dir := range []string{"../../cmd/tandem", "../../cosim", "../../experiment", "../../vectors"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			ast.Inspect(file, func(x ast.Node) bool {
				lit, ok := x.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				for _, m := range toldCall.FindAllStringSubmatch(text, -1) {
					n++
					call := strings.TrimSuffix(strings.ReplaceAll(m[1]+m[2]+m[3], "%s", "NAME"), ".")
					assert.Empty(t, wrong(t, call), "%s: %s", path, call)
				}
				return true
			})
			return err
		}))
	}
	assert.Greater(t, n, 20)
}
