package source

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// most is where reporting stops: behind it mistakes are mostly echoes.
const most = 100

// File is a file that is being read, with the mistakes found so far.
type File struct {
	Name     string
	mistakes Mistakes
	anchors  map[string]ast.Node
}

// Parse reads the text of a file. A text that is no YAML has one mistake and an absent root.
func Parse(name string, text []byte) (*File, Value) {
	f := &File{Name: name, anchors: map[string]ast.Node{}}
	tree, err := parse(text)
	if err != nil {
		f.syntax(err)
		return f, Value{file: f}
	}
	root := Value{file: f, what: "the file"}
	switch {
	case len(tree.Docs) > 1:
		f.addAt(tree.Docs[1].GetToken(), "a second document: one file holds one")
	case len(tree.Docs) == 0 || tree.Docs[0].Body == nil:
		f.add(1, 1, "the file is empty")
	default:
		root.node = tree.Docs[0].Body
		ast.Walk(anchors{f}, root.node)
	}
	return f, root
}

// parse keeps a parser that fails on a strange text from taking the program with it.
func parse(text []byte) (tree *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			tree, err = nil, fmt.Errorf("this is no YAML (%v)", r)
		}
	}()
	return parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey()) // they are told of with all other mistakes
}

// anchors notes every anchor of a text.
type anchors struct{ f *File }

// Visit implements ast.Visitor.
func (a anchors) Visit(n ast.Node) ast.Visitor {
	if x, ok := n.(*ast.AnchorNode); ok && x.Name != nil {
		a.f.anchors[x.Name.String()] = x.Value
	}
	return a
}

func (f *File) syntax(err error) {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
		f.addAt(y.GetToken(), "%s", y.GetMessage())
		return
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	f.add(1, 1, "%s", first)
}

func (f *File) addAt(t *token.Token, format string, args ...any) {
	line, col := 1, 1
	if t != nil && t.Position != nil {
		line, col = t.Position.Line, t.Position.Column
	}
	f.add(line, col, format, args...)
}

func (f *File) add(line, col int, format string, args ...any) {
	if len(f.mistakes) < most {
		f.mistakes = append(f.mistakes, &Mistake{f.Name, line, col, fmt.Sprintf(format, args...)})
	}
}

// Fail notes a mistake of the file as a whole.
func (f *File) Fail(format string, args ...any) { f.add(0, 0, format, args...) }

// Err is nil or all mistakes.
func (f *File) Err() error { return Join(f) }

// Other is a file that something else than YAML was read from; what is wrong with it is noted all the same.
func Other(name string) *File { return &File{Name: name} }

// At is a place in such a file, to note mistakes at.
func (f *File) At(line, col int) Value { return Value{file: f, line: line, col: col} }
