package modeltest

import (
	"fmt"

	"metaroce/tandem/model/event"
)

// Access is a register write.
type Access struct {
	Addr  uint16
	Value uint32
}

// Args are arguments of a command by the names of register.tbl.
type Args map[string]uint32

// Command returns the register writes that carry out a command: every argument, zero where not named, then CMD_OP. An
// argument that the command does not have is a mistake of the test and reported as an error.
func Command(cmd event.Command, args Args) ([]Access, error) {
	for i := range event.Commands {
		info := &event.Commands[i]
		if info.Command != cmd {
			continue
		}
		var out []Access
		used := 0
		for j := range info.Args {
			a := &info.Args[j]
			v, ok := args[a.Name]
			if ok {
				used++
			}
			out = append(out, Access{uint16(a.Reg), v << a.RegLsb})
		}
		if used != len(args) {
			return nil, fmt.Errorf("modeltest: command %v has no such arguments: %v", cmd, args)
		}
		return append(out, Access{event.RegCmdOp, uint32(cmd)}), nil
	}
	return nil, fmt.Errorf("modeltest: no command %v", cmd)
}
