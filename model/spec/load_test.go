package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuiltTablesLoad(t *testing.T) {
	s, err := Load(Built())
	require.NoError(t, err)
	require.Len(t, s.Presets, 3)
	require.Equal(t, 20, s.Header("base").Bytes)
	require.Equal(t, uint64(0x13), s.Enum("opcode").Values[11].Number)
	require.NotZero(t, s.Hash)
	for i := range s.Engines {
		e := &s.Engines[i]
		checkLayout(t, e)
	}
}

// checkLayout looks at a layout from outside: values in order, aligned, none across the end of the head body.
func checkLayout(t *testing.T, e *Engine) {
	t.Helper()
	end, bits := HeadBytes, 0
	for _, f := range e.Layout.Fields {
		require.GreaterOrEqual(t, f.Offset, end, "%s.%s", e.Name, f.Name)
		require.Zero(t, f.Offset%min(f.Size, 4), "%s.%s", e.Name, f.Name)
		require.GreaterOrEqual(t, 8*f.Size, f.Width)
		require.False(t, f.Offset < RecordBytes && f.Offset+f.Size > RecordBytes, "%s.%s straddles", e.Name, f.Name)
		require.Equal(t, bits, f.Lsb)
		end, bits = f.Offset+f.Size, bits+f.Width
	}
	require.Equal(t, bits, e.Layout.Bits)
	require.LessOrEqual(t, end, RecordBytes*(1+e.Layout.Parts))
	require.LessOrEqual(t, e.Layout.StateBytes, RecordBytes*e.Layout.Parts)
}

// change replaces text in one built table, once, and gives the line where it stood.
func change(t *testing.T, table, old, now string) ([]Table, int) {
	t.Helper()
	in := Built()
	for i := range in {
		if in[i].Name != table {
			continue
		}
		text := string(in[i].Data)
		at := strings.Index(text, old)
		require.GreaterOrEqual(t, at, 0, "%q is not in %s: the test must follow the table", old, table)
		in[i].Data = []byte(text[:at] + now + text[at+len(old):])
		return in, strings.Count(text[:at], "\n") + 1
	}
	t.Fatalf("no table %s", table)
	return nil, 0
}

// TestMistakes plants one mistake each in the real tables: it must be reported with its rule, at its line (or at the
// line `below` further down), and nothing else may be reported unless `more` says so.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name, table, old, now string
		rule, says            string
		below                 int
		more                  bool
	}{
		{name: "unknown keyword", table: "wire.tbl", old: "packet flush ", now: "paket flush ", rule: RuleKeyword, says: `"paket" is not known`, more: true},
		{name: "keyword of another table", table: "constant.tbl", old: "const tick_ps", now: "reg tick_ps", rule: RuleKeyword, says: "reg"},
		{name: "open quote", table: "constant.tbl", old: `"one tick`, now: `one tick`, rule: RuleForm, says: "a quote is not closed"},
		{name: "missing text", table: "constant.tbl", old: `"wire version"`, now: ``, rule: RuleForm, says: "text"},
		{name: "word behind text", table: "constant.tbl", old: `"wire version"`, now: `"wire version" reserved`, rule: RuleForm, says: "behind the text"},
		{name: "attribute twice", table: "constant.tbl", old: `1  unit=1 `, now: `1  unit=1 unit=2 `, rule: RuleForm, says: "twice"},
		{name: "unknown attribute", table: "constant.tbl", old: `1  unit=1 `, now: `1  unit=1 scale=2 `, rule: RuleForm, says: "scale=", more: true},
		{name: "missing attribute", table: "constant.tbl", old: `1  unit=1 `, now: `1  `, rule: RuleForm, says: "unit= is missing", more: true},
		{name: "missing argument", table: "wire.tbl", old: "field version      4 chosen   ours            ", now: "field version ", rule: RuleForm, says: "width is missing", more: true},
		{name: "unknown flag", table: "wire.tbl", old: `8 chosen   ours            reserved "zero"`, now: `8 chosen   ours            spare "zero"`, rule: RuleForm, says: `"spare"`},
		{name: "member outside its block", table: "wire.tbl", old: "packet nak  ", now: "  field x 8 chosen ours \"x\"\npacket nak  ", rule: RuleForm, says: "outside any block"},
		{name: "member in the wrong block", table: "wire.tbl", old: "field version      4", now: "value version      4", rule: RuleForm, says: "inside header", more: true},
		{name: "field outside a row", table: "event.tbl", old: "  in  cmd         4 ", now: "  field lost 4 \"x\"\n  in  cmd         4 ", rule: RuleForm, says: "outside any row"},
		{name: "payload neither yes nor no", table: "wire.tbl", old: "payload=yes psn=yes side=receiver stated ann:write", now: "payload=maybe psn=yes side=receiver stated ann:write", rule: RuleForm, says: "one of yes, no"},
		{name: "built engine without in", table: "event.tbl", old: `boundary mem_read `, now: "engine early id=99 side=send order=99 status=built R-EARLY \"x\"\n  op x 0 \"x\"\nboundary mem_read ", rule: RuleForm, says: "has no in"},

		{name: "upper case name", table: "wire.tbl", old: "field version ", now: "field Version ", rule: RuleName, says: `"Version"`, more: true},
		{name: "lower case register", table: "register.tbl", old: "reg SCHEMA_LO ", now: "reg schema_lo ", rule: RuleName, says: "upper case"},
		{name: "name ends in underscore", table: "constant.tbl", old: "const tick_ps ", now: "const tick_ ", rule: RuleName, says: `"tick_"`},
		{name: "rule of a reason", table: "register.tbl", old: "1 R-FRAME", now: "1 FRAME", rule: RuleName, says: "R-NAME"},
		{name: "row named like an op", table: "event.tbl", old: `op request 0`, now: `op path 0`, rule: RuleName, says: "generated name of op path", below: -1, more: true},
		{name: "row named head", table: "event.tbl", old: "row tally ", now: "row head ", rule: RuleName, says: "may not be called head"},

		{name: "header twice", table: "wire.tbl", old: "header target ", now: "header match ", rule: RuleDup, says: "header match", below: -1, more: true},
		{name: "field twice", table: "wire.tbl", old: "field echo_time   32", now: "field echo_psn    32", rule: RuleDup, says: "field echo_psn"},
		{name: "opcode number twice", table: "wire.tbl", old: "0x02 stated", now: "0x01 stated", rule: RuleDup, says: "number 1 is that of write"},
		{name: "opcode used twice", table: "wire.tbl", old: "opcode=send_imm ", now: "opcode=send ", rule: RuleDup, says: "opcode send", more: true},
		{name: "packet twice", table: "wire.tbl", old: "packet nak ", now: "packet ack ", rule: RuleDup, says: "packet ack"},
		{name: "header twice in a packet", table: "wire.tbl", old: "base,message,target,match", now: "base,message,message,match", rule: RuleDup, says: "header message"},
		{name: "engine id twice", table: "event.tbl", old: "id=2 ", now: "id=1 ", rule: RuleDup, says: "id 1"},
		{name: "engine order twice", table: "event.tbl", old: "order=5 ", now: "order=6 ", rule: RuleDup, says: "order 6", below: -1},
		{name: "op number twice", table: "event.tbl", old: `op flush  1`, now: `op flush  0`, rule: RuleDup, says: "op number 0"},
		{name: "reason number twice", table: "register.tbl", old: "too_long       2", now: "too_long       1", rule: RuleDup, says: "number 1 is that of runt"},
		{name: "constant twice", table: "constant.tbl", old: "const tick_ps ", now: "const version ", rule: RuleDup, says: "const version"},
		{name: "register twice", table: "register.tbl", old: "reg SCHEMA_HI ", now: "reg SCHEMA_LO ", rule: RuleDup, says: "reg SCHEMA_LO"},
		{name: "command number twice", table: "register.tbl", old: "command conn_clear   2", now: "command conn_clear   1", rule: RuleDup, says: "number 1"},
		{name: "argument twice", table: "register.tbl", old: "arg paths ", now: "arg conn ", rule: RuleDup, says: "arg conn of conn_set"},
		{name: "value twice in in", table: "event.tbl", old: "in  flag_d ", now: "in  flag_a ", rule: RuleDup, says: "flag_a"},

		{name: "knob twice", table: "constant.tbl", old: "knob cut_shift ", now: "knob window_floor ", rule: RuleDup, says: "knob window_floor"},
		{name: "knob beyond its range", table: "constant.tbl", old: "range=1..6 ", now: "range=3..6 ", rule: RuleNumber, says: "not in 3..6"},
		{name: "knob without a range", table: "constant.tbl", old: "range=1..6 ", now: "range=6 ", rule: RuleNumber, says: "LO..HI"},
		{name: "knob without a rule", table: "constant.tbl", old: "knob cut_shift       2 R-CC", now: "knob cut_shift       2 CC", rule: RuleName, says: "R-NAME"},
		{name: "knob without a unit", table: "constant.tbl", old: "knob cut_shift       2 R-CC unit=1 ", now: "knob cut_shift       2 R-CC ", rule: RuleForm, says: "unit= is missing"},
		{name: "no number", table: "constant.tbl", old: "tick_ps          4000", now: "tick_ps          4k", rule: RuleNumber, says: `"4k"`},
		{name: "number out of range", table: "wire.tbl", old: "0x16 chosen", now: "0x116 chosen", rule: RuleNumber, says: "0..255"},
		{name: "command number out of range", table: "register.tbl", old: "command recv_clear   9", now: "command recv_clear   16", rule: RuleNumber, says: "1..15", more: true},
		{name: "range upside down", table: "constant.tbl", old: "range=1..3 ", now: "range=3..1 ", rule: RuleNumber, says: "3..", more: true},
		{name: "range without dots", table: "constant.tbl", old: "range=1..3 ", now: "range=3 ", rule: RuleNumber, says: "LO..HI", more: true},
		{name: "bits upside down", table: "register.tbl", old: "desc=addr[31:0]", now: "desc=addr[0:31]", rule: RuleNumber, says: "hi:lo"},
		{name: "bit beyond the descriptor field", table: "register.tbl", old: "desc=addr[63:32]", now: "desc=stream[63:32]", rule: RuleNumber, says: "which has 16"},

		{name: "width zero", table: "wire.tbl", old: "field txn         16 chosen", now: "field txn         0 chosen", rule: RuleNumber, says: "width 0", more: true},
		{name: "width above 64", table: "event.tbl", old: "field vector   256", now: "field vector   250", rule: RuleWidth, says: "250 bits"},
		{name: "enum field of another width", table: "wire.tbl", old: "field syndrome     4 chosen   ours            enum=syndrome \"why\"", now: "field syndrome     4 chosen   ours            enum=opcode \"why\"", rule: RuleWidth, says: "enum opcode of 8"},
		{name: "value too narrow for its enum", table: "event.tbl", old: "out reason      5", now: "out reason      4", rule: RuleWidth, says: "enum reason of 5"},

		{name: "byte crossed", table: "wire.tbl", old: `rsv0        12 chosen   ours            reserved`, now: `rsv0        12 chosen   ours            `, rule: RuleStraddle, says: "bits 20..31 cross a byte"},
		{name: "unaligned", table: "wire.tbl", old: "field rsv1         8 chosen   ours            reserved \"zero\"\n  field psn         32", now: "field psn         32", rule: RuleStraddle, says: "not aligned", more: true},
		{name: "header too long", table: "wire.tbl", old: "header target bytes=12", now: "header target bytes=16", rule: RuleSize, says: "96 bits, bytes=16 wants 128"},
		{name: "header not on 4 bytes", table: "wire.tbl", old: "field recv_index  32", now: "field recv_index  24", rule: RuleSize, says: "24 bits", below: -1, more: true},

		{name: "missing status", table: "wire.tbl", old: "field txn         16 chosen   ours            ", now: "field txn         16 ", rule: RuleClaim, says: "missing"},
		{name: "unknown status", table: "wire.tbl", old: "field txn         16 chosen ", now: "field txn         16 guessed ", rule: RuleClaim, says: `"guessed"`},
		{name: "unknown source", table: "wire.tbl", old: "field txn         16 chosen   ours ", now: "field txn         16 chosen   rumour ", rule: RuleClaim, says: `"rumour"`},
		{name: "unknown tag", table: "wire.tbl", old: "inferred ann:paths ", now: "inferred ann:path ", rule: RuleClaim, says: "ann:path"},
		{name: "stated without a fact", table: "wire.tbl", old: "field txn         16 chosen   ours ", now: "field txn         16 stated   ours ", rule: RuleClaim, says: "needs the fact"},

		{name: "opcode not in the enum", table: "wire.tbl", old: "opcode=flush ", now: "opcode=flash ", rule: RuleRef, says: "flash is not in enum opcode", more: true},
		{name: "opcode without packet", table: "wire.tbl", old: "value control          0x16", now: "value spare 0x17 chosen ours \"x\"\n  value control          0x16", rule: RuleRef, says: "opcode spare has no packet"},
		{name: "unknown header in packet", table: "wire.tbl", old: "headers=base,ack ", now: "headers=base,ach ", rule: RuleRef, says: `no header "ach"`},
		{name: "packet without base", table: "wire.tbl", old: "headers=base,ack ", now: "headers=ack ", rule: RuleRef, says: "base stands first"},
		{name: "unknown enum", table: "wire.tbl", old: "enum=control_action", now: "enum=control_actor", rule: RuleRef, says: "no enum control_actor"},
		{name: "unknown engine", table: "event.tbl", old: "from=window.path", now: "from=windows.path", rule: RuleRef, says: "no engine windows"},
		{name: "unknown row to read from", table: "event.tbl", old: "from=window.path", now: "from=window.paths", rule: RuleRef, says: "has no row paths"},
		{name: "unknown parameter in rows", table: "event.tbl", old: `rows="keys"`, now: `rows="keyz"`, rule: RuleRef, says: `"keyz" is neither`},
		{name: "no row at all", table: "event.tbl", old: `rows="keys"`, now: `rows="keys*0"`, rule: RuleRef, says: `"0" is neither`},
		{name: "too many rows", table: "event.tbl", old: `rows="keys"`, now: `rows="keys*2000000*2000000"`, rule: RuleRef, says: `2^40`},
		{name: "unknown register of an argument", table: "register.tbl", old: "reg=CMD_PSN ", now: "reg=CMD_PSM ", rule: RuleRef, says: "no reg CMD_PSM"},
		{name: "read-only register of an argument", table: "register.tbl", old: "reg=CMD_PSN ", now: "reg=ID ", rule: RuleRef, says: "rw register"},
		{name: "unknown descriptor field", table: "register.tbl", old: "desc=epoch ", now: "desc=epok ", rule: RuleRef, says: "no field epok"},
		{name: "needed header gone", table: "wire.tbl", old: "header message ", now: "header massage ", rule: RuleRef, says: "no header message, which the generators need", more: true, below: -1},
		{name: "needed base field gone", table: "wire.tbl", old: "field dst_conn ", now: "field dst_con ", rule: RuleRef, says: "no field dst_conn", below: -1},

		{name: "parameter missing", table: "constant.tbl", old: "  param conns 4\n", now: "", rule: RulePreset, says: "preset tiny does not set conns", below: -1},
		{name: "parameter twice", table: "constant.tbl", old: "param paths 4\n", now: "param conns 4\n", rule: RuleDup, says: "param conns of preset tiny", more: true},
		{name: "unknown parameter", table: "constant.tbl", old: "param conns 4\n", now: "param cons 4\n", rule: RulePreset, says: "no param cons", more: true},
		{name: "parameter out of range", table: "constant.tbl", old: "param ram_latency 1", now: "param ram_latency 4", rule: RulePreset, says: "not in 1..3"},
		{name: "too many paths", table: "constant.tbl", old: "param conns 4000\n", now: "param conns 8193\n", rule: RulePreset, says: "conns * paths is 65544", below: -1},
		{name: "above the ceiling", table: "constant.tbl", old: "const table_ceiling    64", now: "const table_ceiling    40", rule: RulePreset, says: "preset full: tables and packet buffer take", below: -1},
		{name: "row without overflow rule", table: "event.tbl", old: "overflow=\"as message.slot\"", now: "", rule: RuleForm, says: "overflow= is missing"},
		{name: "no power of two", table: "constant.tbl", old: "param paths 4\n", now: "param paths 3\n", rule: RulePreset, says: "no power of two"},
		{name: "text on a preset parameter", table: "constant.tbl", old: "param paths 4\n", now: "param paths 4 \"x\"\n", rule: RuleForm, says: "no text"},

		{name: "told without legality", table: "event.tbl", old: `told legal="equals the op;`, now: `told leg="equals the op;`, rule: RuleForm, says: "leg=", more: true},
		{name: "told without bound", table: "event.tbl", old: `bound="decided when the frame ends; admit follows within told_bound cycles in which the pipeline had room" "1 taken`, now: `"1 taken`, rule: RuleTold, says: "without bound"},
		{name: "bound without told", table: "event.tbl", old: "room        2 told legal=", now: "room        2 legal=", rule: RuleTold, says: "is not told"},
		{name: "told beyond the head", table: "event.tbl", old: `in  sport      16 "UDP source port"` + "\n  out", now: `in  sport      16 told legal="x" bound="y" "UDP source port"` + "\n  out", rule: RuleTold, says: "state record 1"},
		{name: "four told", table: "event.tbl", old: `in  path_row   16 "row of the path"` + "\n" + `  in  grant       3`, now: `in  path_row   16 told legal="x" bound="y" "r"` + "\n" + `  in  more 1 told legal="x" bound="y" "m"` + "\n" + `  in  grant       3`, rule: RuleTold, says: "at most 3", below: -1, more: true},
		{name: "record too long", table: "event.tbl", old: "field vector   256", now: "field vector   1024", rule: RuleRecord, says: "a record holds 192", below: -1},

		{name: "registers overlap", table: "register.tbl", old: "reg SCHEMA_HI      offset=0x008", now: "reg SCHEMA_HI      offset=0x004", rule: RuleOverlap, says: "0x4 belongs to SCHEMA_LO"},
		{name: "array overlaps", table: "register.tbl", old: "count=32 ", now: "count=33 ", rule: RuleOverlap, says: "0x180 belongs to DROPS", below: 1},
		{name: "unaligned register", table: "register.tbl", old: "offset=0x008", now: "offset=0x009", rule: RuleOverlap, says: "multiples of 4"},
		{name: "register beyond the window", table: "register.tbl", old: "offset=0x180 access=rw count=16", now: "offset=0xff0 access=rw count=16", rule: RuleOverlap, says: "beyond the register window"},
		{name: "argument bits differ", table: "register.tbl", old: "desc=addr[63:32]", now: "desc=addr[63:31]", rule: RuleWidth, says: "do not fit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, line := change(t, c.table, c.old, c.now)
			_, err := Load(in)
			var problems Problems
			require.ErrorAs(t, err, &problems)
			hit := 0
			for _, p := range problems {
				if p.Rule == c.rule && strings.Contains(p.Text, c.says) && (c.below < 0 || p.Line == line+c.below) && p.File == c.table {
					hit++
				}
			}
			require.NotZero(t, hit, "line %d: wanted %s %q, got\n%v", line+c.below, c.rule, c.says, err)
			if !c.more {
				require.Len(t, problems, 1, "%v", err)
			}
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	in, _ := change(t, "wire.tbl", "field version      4", "field version      5")
	for i := range in {
		if in[i].Name == "register.tbl" {
			in[i].Data = []byte(strings.Replace(string(in[i].Data), "desc=epoch", "desc=epok", 1))
		}
	}
	in = append(in, Table{Name: "extra.tbl", Data: []byte("x")})
	_, err := Load(in)
	require.ErrorContains(t, err, "wire.tbl:")
	require.ErrorContains(t, err, "register.tbl:")
	require.ErrorContains(t, err, "extra.tbl:0: S-FORM: no such table")
	lines := strings.Split(err.Error(), "\n")
	require.IsIncreasing(t, []string{lines[0][:8], lines[1][:8], lines[len(lines)-1][:8]})
}

func TestMissingTableIsReported(t *testing.T) {
	_, err := Load(nil)
	require.ErrorContains(t, err, "there is no header base")
	require.ErrorContains(t, err, "there is no struct desc")
}

func TestHashSeesFormatsNotTexts(t *testing.T) {
	base, err := Load(Built())
	require.NoError(t, err)
	texts, _ := change(t, "constant.tbl", `"wire version"`, `"the version"   # said better`)
	s, err := Load(texts)
	require.NoError(t, err)
	require.Equal(t, base.Hash, s.Hash)
	for _, c := range [][3]string{
		{"constant.tbl", "tick_ps          4000", "tick_ps          4001"},
		{"constant.tbl", "param conns 64\n", "param conns 65\n"},
		{"wire.tbl", "0x16 chosen", "0x17 chosen"},
		{"event.tbl", `bound="decided when`, `bound="decided where`},
		{"register.tbl", "offset=0x018", "offset=0x01c"},
	} {
		in, _ := change(t, c[0], c[1], c[2])
		s, err := Load(in)
		require.NoError(t, err)
		require.NotEqual(t, base.Hash, s.Hash, "%v", c)
	}
}

// FuzzLoad: whatever the bytes, Load returns a definition or problems with rules and positions, and does not panic.
func FuzzLoad(f *testing.F) {
	for i, t := range Built() {
		f.Add(byte(i), t.Data)
	}
	f.Add(byte(1), []byte("header x bytes=4 chosen ours \"\"\nfield a 32 chosen ours \"\""))
	f.Add(byte(2), []byte("engine e id=1\nrow\nfield x\nrow a rows=1 index=2 \"\"\n field b 64 \"\""))
	f.Add(byte(3), []byte("command a 1 \"\"\narg x reg=A[ desc=]:\"\" \""))
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		in := Built()
		in[int(which)%len(in)].Data = data
		s, err := Load(in)
		if err == nil {
			if s == nil {
				t.Fatal("neither a definition nor problems")
			}
			return
		}
		problems, ok := err.(Problems)
		if !ok || len(problems) == 0 {
			t.Fatalf("%T", err)
		}
		for _, p := range problems {
			if p.Rule == "" || p.Text == "" || p.File == "" {
				t.Fatalf("incomplete problem %+v", p)
			}
		}
	})
}
