package wave

import (
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
)

// signal is something that is shown. Text alone is a heading.
type signal struct {
	text  string
	name  string // full, without its range
	width int
	part  *slice // of a vector that is shown in part
}

// slice is some bits of a vector under a name of their own. Low is the place of its lowest bit.
type slice struct {
	name       string
	low, width int
}

const (
	bench = "bench.mr_bench."
	core  = bench + "u_dut.u_core."
	cycle = "bench.cycle_o"
)

// ports are the signals of the bench at each boundary, as name or name:width.
var ports = map[string]string{
	"packet_in":    "frame_valid_q frame_last_q frame_bytes_q:7 frame_data_q:512",
	"packet_out":   "ack_valid ack_ready_q ack_first ack_last ack_xid:32 ack_conn:16 ack_path:8 ack_bytes:7 ack_data:512",
	"mem_write":    "mem_valid mem_ready_q mem_first mem_last mem_xid:32 mem_addr:64 mem_len:16 mem_data:512 rsp_valid_q rsp_error_q",
	"completion":   "cpl_valid cpl_ready_q cpl_xid:32 cpl_data:168",
	"register":     "reg_valid_q reg_ready reg_write_q reg_addr_q:12 reg_wdata_q:32 reg_answer reg_rdata:32",
	"command_done": "cmd_done cmd_done_op:4 cmd_done_xid:32",
}

// behind is the engine at each boundary: what leaves there is its doing, what comes in reaches it first.
var behind = map[string]string{"packet_in": "admit", "packet_out": "ack", "mem_write": "place", "completion": "complete", "command_done": "place"}

// streams are the handshakes of each engine: s_ ends in it, m_ begins there.
var streams = map[string]string{
	"admit": "s_desc s_cmd m_desc", "window": "s_desc m_desc m_want", "key": "s_desc m_desc", "recv": "s_desc m_desc",
	"message": "s_desc s_fault m_desc m_nak m_answer", "place": "s_desc m_mem m_done m_fault", "complete": "s_done m_cpl m_notice",
	"coalesce": "s_want m_request m_timer", "ctimer": "s_timer m_timer", "ack": "s_request s_timer s_notice s_nak s_answer m_build",
}

// signals are what is worth looking at, in the order in which it is shown.
func signals(d *lockstep.Divergence) []signal {
	list := []signal{{name: "bench.clk_i", width: 1}, {name: cycle, width: 64}, {name: bench + "ready", width: 1}, {name: bench + "idle", width: 1}}
	for _, line := range headings(d) {
		list = append(list, signal{text: line})
	}
	name := d.Kind
	if _, ok := ports[name]; ok {
		list = append(list, port(name)...)
		name = behind[name]
	}
	if _, ok := streams[name]; ok {
		list = append(list, engine(name, d.Fields)...)
	}
	for _, name := range []string{"packet_in", "register", "mem_write", "completion", "packet_out", "command_done"} {
		if name != d.Kind {
			list = append(list, port(name)...)
		}
	}
	return list
}

// headings say what went wrong, in lines that leave room for the waves.
func headings(d *lockstep.Divergence) []string {
	texts := []string{d.Line()}
	for i := range d.Fields[:min(len(d.Fields), fieldsSaid)] {
		f := &d.Fields[i]
		texts = append(texts, fmt.Sprintf("%s: device %s, model %s", f.Field, f.Device, f.Model))
	}
	var lines []string
	for _, text := range texts {
		line := ""
		for _, word := range strings.Fields(text) {
			if word = word[:min(len(word), longestLine)]; line != "" && len(line)+1+len(word) > longestLine {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		lines = append(lines, line)
	}
	return lines
}

const (
	fieldsSaid  = 8
	longestLine = 60 // bytes
)

func port(name string) []signal {
	list := []signal{{text: name}}
	for _, word := range strings.Fields(ports[name]) {
		short, bits, _ := strings.Cut(word, ":")
		s := signal{name: bench + short, width: 1}
		if bits != "" {
			_, _ = fmt.Sscan(bits, &s.width) // of the table above
		}
		list = append(list, s)
	}
	return list
}

// engine are the signals of an engine; of its state only the fields that are wrong.
func engine(name string, fields []lockstep.FieldDiff) []signal {
	scope := core + "u_" + name + "."
	list := []signal{{text: name}}
	for _, s := range strings.Fields(streams[name]) {
		valid, ready := "_valid_i", "_ready_o"
		if strings.HasPrefix(s, "m_") {
			valid, ready = "_valid_o", "_ready_i"
		}
		list = append(list, signal{name: scope + s + valid, width: 1}, signal{name: scope + s + ready, width: 1})
	}
	parts, width := commit(name)
	list = append(list, signal{text: "commit of " + name}, signal{name: scope + "trace_valid_o", width: 1})
	for i := range parts {
		wrong := slices.ContainsFunc(fields, func(f lockstep.FieldDiff) bool { return f.Field == parts[i].name })
		row := !strings.HasPrefix(parts[i].name, "head.") && !strings.HasPrefix(parts[i].name, "in.") && !strings.HasPrefix(parts[i].name, "out.")
		if wrong || !row {
			list = append(list, signal{name: scope + "trace_o", width: width, part: &parts[i]})
		}
	}
	return list
}

// commit is the layout of what an engine shows in its commit cycle (mr_ENGINE_commit_t), from the lowest bit: op, xid,
// conn, path, stream, and the fields of its record in their order.
func commit(kind string) (parts []slice, width int) {
	add := func(name string, bits int) {
		parts = append(parts, slice{name, width, bits})
		width += bits
	}
	add("head.op", 8)
	add("head.xid", 32)
	add("head.conn", 16)
	add("head.path", 8)
	add("head.stream", 16)
	for i := range event.Engines {
		e := &event.Engines[i]
		if e.Name != kind {
			continue
		}
		for k := range e.Fields {
			if f := &e.Fields[k]; f.Group != event.GroupHead {
				add(f.FullName(), f.Width)
			}
		}
	}
	return parts, width
}
