package scenario

// File is a parsed scenario. Comments and blank lines are kept, so that Format loses nothing.
type File struct {
	Name  string // as given to Parse, for messages
	Stmts []*Stmt
	Tail  Lead // what stands behind the last statement

	mistakes Errors // what Parse found; the words and lines that they are in are not in Stmts
}

// Lead is what stands before a statement.
type Lead struct {
	Blank    bool     // an empty line first
	Comments []string // without the mark
}

// Stmt is one line, for a block with the lines inside it.
type Stmt struct {
	Pos     Pos
	Lead    Lead
	Gap     *Arg // "+N" in front of a packet: idle cycles before it
	Word    string
	Args    []*Arg
	Comment string // behind it on the same line
	Body    []*Stmt
	End     Lead   // before the "end" of a block
	EndNote string // comment behind "end"
	HasEnd  bool
}

// Arg is a bare word (Key empty) or key, operator and value.
type Arg struct {
	Pos    Pos // of the key, or of the bare word
	Key    string
	Op     string // "=", ">=" or "<="
	Val    string
	ValPos Pos
	Quoted bool // the value stood in quotes
}

// Title is the sentence of the file's title line, "" where there is none.
func (f *File) Title() string {
	for _, s := range f.Stmts {
		if s.Word == "title" && len(s.Args) > 0 {
			return s.Args[0].Val
		}
	}
	return ""
}
