package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// floatNames are the predeclared types that stand for floating point.
var floatNames = map[string]bool{"float32": true, "float64": true, "complex64": true, "complex128": true}

// CheckModelSource parses one production file of the model and returns what must not stand there: goroutines, channels
// and select (order would be the scheduler's), floating point (RTL could not mirror it), and anything printed.
// src is nil, or the text to read in place of the file.
func CheckModelSource(name string, src any) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var bad []string
	ast.Inspect(file, func(n ast.Node) bool {
		if what := forbidden(n); what != "" {
			bad = append(bad, fmt.Sprintf("%s: %s", files.Position(n.Pos()), what))
		}
		return true
	})
	return bad, nil
}

func forbidden(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "goroutine: the model runs in one"
	case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
		return "channel: the model runs in one goroutine"
	case *ast.Ident:
		if floatNames[n.Name] {
			return n.Name + ": no floating point in what RTL mirrors"
		}
	case *ast.BasicLit:
		if n.Kind == token.FLOAT || n.Kind == token.IMAG {
			return n.Value + ": no floating point in what RTL mirrors"
		}
	case *ast.CallExpr:
		return printing(n)
	}
	return ""
}

func printing(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		if f.Name == "print" || f.Name == "println" {
			return f.Name + ": what happened is a record, not a line of text"
		}
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.Ident); ok && of.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Print") {
			return "fmt." + f.Sel.Name + ": what happened is a record, not a line of text"
		}
	}
	return ""
}

// CheckDoc says what is wrong with a package's doc.go: it has to be there, and to hold the package comment.
// src is nil, or the text to read in place of the file; has says whether the package lists a doc.go.
func CheckDoc(p Package, has bool, name string, src any) []string {
	if !has {
		return []string{p.local() + ": no doc.go: what it is, who calls it, what holds in it"}
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return []string{fmt.Sprintf("%s: doc.go: %v", p.local(), err)}
	}
	text := file.Doc.Text()
	if !strings.HasPrefix(text, "Package ") && !strings.HasPrefix(text, "Command ") {
		return []string{p.local() + `: doc.go has no comment that begins with "Package" or "Command"`}
	}
	return nil
}
