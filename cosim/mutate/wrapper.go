package mutate

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	header = regexp.MustCompile(`(?s)\nmodule mr_rx_top (#\(.*?\n\) \(\n.*?\n\);)`)
	output = regexp.MustCompile(`(?m)^ *output +(?:wire +)?logic +(?:\[([^\]]+)\])? *(\w+),? *(?://.*)?$`)
)

// wrapper is a module of the top's name and ports around the netlist. It chooses the mutant, and, when asked to, folds
// what the outputs show in each cycle into a number: two runs with equal numbers showed the same.
//
// What counts: every output, data only while their valid is high, what stands beside the first beat only there, bytes
// of a beat only up to its end. trace_register is left out: the bench leaves it open, since it watches the register
// port itself.
func wrapper(top string) (string, error) {
	m := header.FindStringSubmatch(top)
	if m == nil {
		return "", fmt.Errorf("no module mr_rx_top with parameters and ports in the form this expects")
	}
	outputs := output.FindAllStringSubmatch(m[1], -1)
	have := map[string]bool{}
	for _, o := range outputs {
		have[o[2]] = true
	}
	var masked, raw []string
	for _, o := range outputs {
		name := o[2]
		if strings.HasPrefix(name, "trace_register") {
			continue
		}
		term := name
		if strings.HasSuffix(name, "_data_o") && strings.HasPrefix(name, "m_mem") {
			term = "mem_data"
		} else if name == "m_ack_data_o" {
			term = "ack_data"
		}
		if when := condition(name, have); when != "" {
			term = fmt.Sprintf("(%s ? %s : '0)", when, term)
		}
		masked = append(masked, term)
		raw = append(raw, name)
	}
	if len(masked) < 40 {
		return "", fmt.Errorf("only %d outputs found", len(masked))
	}
	return fmt.Sprintf(wrapperText, m[1], netlistModule, strings.Join(masked, ",\n    "), strings.Join(raw, ", ")), nil
}

// condition says when an output means something; empty: always.
func condition(name string, have map[string]bool) string {
	if strings.HasSuffix(name, "_valid_o") {
		return ""
	}
	stem := strings.TrimSuffix(name, "_o")
	valid := stem + "_valid_o" // trace_window_o: trace_window_valid_o
	for !have[valid] {
		i := strings.LastIndexByte(stem, '_')
		if i < 0 {
			return ""
		}
		stem = stem[:i]
		valid = stem + "_valid_o"
	}
	for _, beside := range []string{"_xid_o", "_addr_o", "_len_o", "_conn_o", "_path_o", "_sport_o"} {
		if have[stem+"_first_o"] && name == stem+beside {
			return valid + " && " + stem + "_first_o"
		}
	}
	return valid
}

const wrapperText = `
` + "`include \"mr_types.svh\"" + `
module mr_rx_top %s
  int mutant, watch;
  initial begin
    if (!$value$plusargs("tandem_mutant=%%d", mutant)) mutant = 0;
    if (!$value$plusargs("tandem_watch=%%d", watch)) watch = 0;
  end
  %s u_netlist (.*, .mutsel(mutant[15:0]));

  // bytes that the memory or the peer looks at
  logic [15:0]  left_q;
  wire  [15:0]  left = m_mem_first_o ? m_mem_len_o : left_q;
  logic [511:0] mem_data, ack_data;
  always_comb begin
    for (int i = 0; i < 64; i++) begin
      mem_data[8*i +: 8] = (16'(i) < left) ? m_mem_data_o[8*i +: 8] : 8'd0;
      ack_data[8*i +: 8] = (7'(i) < m_ack_bytes_o) ? m_ack_data_o[8*i +: 8] : 8'd0;
    end
  end
  always_ff @(posedge clk_i) if (m_mem_valid_o && m_mem_ready_i) left_q <= left - 16'd64;

  localparam int Most = 128 * 64;
  wire [Most-1:0] masked = Most'({
    %s});
  wire [Most-1:0] raw = Most'({%s});
  logic [63:0] masked_q = 64'd0, raw_q = 64'd0;
  function automatic [63:0] fold(input [63:0] h, input [Most-1:0] v);
    fold = h;
    for (int i = 0; i < Most; i += 64) begin
      fold = (fold ^ v[i +: 64]) * 64'h9e3779b97f4a7c15;
      fold = fold ^ (fold >> 32);
    end
  endfunction
  always_ff @(posedge clk_i) begin
    if (watch != 0 && rst_ni) begin
      masked_q <= fold(masked_q, masked);
      raw_q    <= fold(raw_q, raw);
    end
  end
  final if (watch != 0) $display("tandem_outputs %%h %%h", masked_q, raw_q);
endmodule
`

// outputs stand for everything that a run showed: where outputs count, and all of it.
type outputs struct{ counted, all string }

// parseOutputs finds the line of the wrapper in what a simulator printed.
func parseOutputs(text string) (outputs, error) {
	for _, line := range strings.Split(text, "\n") {
		w := strings.Fields(line)
		if len(w) == 3 && w[0] == "tandem_outputs" {
			return outputs{w[1], w[2]}, nil
		}
	}
	return outputs{}, fmt.Errorf("the simulator did not say what its outputs were")
}
