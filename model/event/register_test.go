package event_test

import (
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/spec"
)

// descFields reads the order and widths of the descriptor from the definition itself.
func descFields(t *testing.T) []spec.Var {
	t.Helper()
	s, err := spec.Load(spec.Built())
	require.NoError(t, err)
	require.Equal(t, s.Hash, event.SchemaHash, "the generated code is of another definition: run wiregen")
	return s.Struct("desc").Fields
}

// TestCommandsAgainstGolden: the descriptor of a command as RTL makes it (commands.mem) and as SetDesc does.
func TestCommandsAgainstGolden(t *testing.T) {
	data, err := os.ReadFile("../../vectors/golden/wire/mem/commands.mem")
	require.NoError(t, err)
	fields := descFields(t)
	lines := 0
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		lines++
		part := strings.Split(line, "_")
		require.Len(t, part, 4)
		var v [4]*big.Int
		for i := range v {
			v[i], _ = new(big.Int).SetString(part[i], 16)
		}
		d := event.Desc{Op: event.Command(v[0].Uint64()), Xid: uint32(v[1].Uint64())}
		for _, c := range event.Commands {
			if c.Command != d.Op {
				continue
			}
			for i := range c.Args {
				c.Args[i].SetDesc(&d, argValue(v[2], c.Args[i].Reg))
			}
		}
		require.Zero(t, v[3].Cmp(descVector(fields, &d)), "%s: got %x", line, descVector(fields, &d))
	}
	require.Equal(t, 4*len(event.Commands), lines)
}

// argValue finds a register in the vector of argument registers, which holds the CMD_ registers in offset order.
func argValue(args *big.Int, reg int) uint32 {
	at := 0
	for _, r := range event.Registers {
		if r.Access == "rw" && strings.HasPrefix(r.Name, "CMD_") {
			if r.Offset == reg {
				return uint32(new(big.Int).And(new(big.Int).Rsh(args, uint(at)), big.NewInt(0xffffffff)).Uint64())
			}
			at += 32
		}
	}
	return 0
}

func descVector(fields []spec.Var, d *event.Desc) *big.Int {
	out, at := new(big.Int), 0
	v := reflect.ValueOf(*d)
	for _, f := range fields {
		x := v.FieldByName(goName(f.Name))
		n := uint64(0)
		if x.Kind() == reflect.Bool {
			if x.Bool() {
				n = 1
			}
		} else {
			n = x.Uint()
		}
		out.Or(out, new(big.Int).Lsh(new(big.Int).SetUint64(n), uint(at)))
		at += f.Width
	}
	return out
}

func TestNames(t *testing.T) {
	require.Equal(t, "window", event.KindWindow.String())
	require.Equal(t, "kind(0)", event.Kind(0).String())
	require.Equal(t, "runt", event.ReasonRunt.String())
	require.Equal(t, "fatal_now", event.VerdictFatalNow.String())
	require.Equal(t, "flush", event.ClassFlush.String())
	require.Equal(t, "path_set", event.CommandPathSet.String())
	require.Equal(t, "flush", event.OpName(event.KindWindow, event.WindowFlush))
	require.Equal(t, "op77", event.OpName(event.KindWindow, 77))
	require.Nil(t, event.Info(0))
	require.Equal(t, "row", event.GroupRow.String())
	require.Equal(t, 0x010, event.RegUDPPort)
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		kind event.Kind
		name string
		le   []byte
		want string
	}{
		{event.KindWindow, "out.class", []byte{3}, "new"},
		{event.KindAdmit, "out.reason", []byte{1}, "runt"},
		{event.KindMessage, "out.verdict", []byte{1}, "place"},
		{event.KindMessage, "in.opcode", []byte{3}, "send"},
		{event.KindMessage, "out.syndrome", []byte{1}, "rnr"},
		{event.KindAdmit, "in.cmd", []byte{1}, "conn_set"},
		{event.KindWindow, "in.psn", []byte{0x10, 1, 0, 0}, "272 (0x110)"},
		{event.KindWindow, "in.psn", []byte{9, 0, 0, 0}, "9"},
		{event.KindWindow, "path.vector", append(make([]byte, 31), 0x80), "0x80" + strings.Repeat("0", 62)},
	} {
		found := false
		for _, f := range event.Info(c.kind).Fields {
			if f.FullName() == c.name {
				found = true
				require.Equal(t, c.want, f.Format(c.le))
			}
		}
		require.True(t, found, c.name)
	}
	require.Equal(t, "ack", event.HeadFields[1].Format([]byte{byte(event.KindAck)}))
}
