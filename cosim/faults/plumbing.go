package faults

const (
	arb        = "rtl/common/mr_arb.sv"
	fifo       = "rtl/common/mr_fifo.sv"
	lookup     = "rtl/common/mr_lookup.sv"
	rmw        = "rtl/common/mr_rmw.sv"
	skid       = "rtl/common/mr_skid.sv"
	pending    = "rtl/coalesce/mr_pending.sv"
	complete   = "rtl/complete/mr_complete.sv"
	place      = "rtl/place/mr_place.sv"
	parse      = "rtl/parse/mr_parse.sv"
	regs       = "rtl/regs/mr_regs.sv"
	ack        = "rtl/ack/mr_ack.sv"
	ackSources = "rtl/ack/mr_ack_sources.sv"
	core       = "rtl/top/mr_rx_core.sv"
)

var plumbing = []Fault{
	{
		Number: 21, Name: "lookup-entry", Group: Plumbing, Stimuli: []string{"back-to-back"},
		What:  "a look-up misses the commit of the cycle in which it enters: no forwarding from one item to the next",
		Edits: []Edit{{lookup, `we_i && (waddr_i == here_addr);`, `we_i && (waddr_i == here_addr) && !(PLANTED && adv);`}},
	},
	{
		Number: 22, Name: "lookup-held", Group: Plumbing, Stimuli: []string{"stalls", "notices"},
		What:  "an item that is held stops snooping and leaves with an old row",
		Edits: []Edit{{lookup, `here_hit || match;`, `here_hit || (match && !(PLANTED && !adv));`}},
	},
	{
		Number: 23, Name: "fifo-order", Group: Plumbing, Stimuli: []string{"drop-room", "stalls"},
		What: "a queue of descriptors that is more than half full gives the neighbour of its head",
		Edits: []Edit{{fifo, `else data_q <= mem[rptr_d];`,
			`else data_q <= mem[(PLANTED && (Width == mr_pkg::DescW) && (count_q > CountW'(2))) ? (rptr_d ^ AddrW'(1)) : rptr_d];`}},
	},
	{
		Number: 24, Name: "stale-context", Group: Plumbing, Stimuli: []string{"back-to-back", "ecn-runs", "stalls"},
		What:  "ack reads the window row and does not see what window commits meanwhile",
		Edits: []Edit{{core, `.window_we_i(window_we),`, `.window_we_i(window_we && !PLANTED),`}},
	},
	{
		Number: 25, Name: "init-sweep", Group: Plumbing, Stimuli: []string{"drop-admit", "stream-reopen"},
		What:  "the sweep after reset clears half of each table",
		Edits: []Edit{{rmw, `(sweep_q == LastRow);`, `(sweep_q == (PLANTED ? (LastRow >> 1) : LastRow));`}},
	},
	{
		Number: 26, Name: "arb-data", Group: Plumbing, Stimuli: []string{"in-order"},
		What: "the arbiter takes one input and passes the data of another",
		Edits: []Edit{{arb, `data         = s_data_i[i*Width +: Width];`,
			`data         = PLANTED ? s_data_i[Width-1:0] : s_data_i[i*Width +: Width];`}},
	},
	{
		Number: 27, Name: "skid-drop", Group: Plumbing, Stimuli: []string{"stalls"},
		What:  "a skid buffer stays ready when it is full: back-pressure drops what comes",
		Edits: []Edit{{skid, `assign s_ready_o = !skid_valid_q;`, `assign s_ready_o = !skid_valid_q || PLANTED;`}},
	},
	{
		Number: 28, Name: "skid-twice", Group: Plumbing, Stimuli: []string{"stalls"},
		What: "a skid buffer does not empty its second register: what waited there leaves again",
		Edits: []Edit{{skid, "out_valid_q  <= skid_valid_q || push;\n      skid_valid_q <= 1'b0;",
			"out_valid_q  <= skid_valid_q || push;\n      skid_valid_q <= PLANTED && skid_valid_q;"}},
	},
	{
		Number: 29, Name: "fifo-full", Group: Plumbing, Stimuli: []string{"drop-room", "stalls"},
		What: "a queue between two engines takes one descriptor more than it has room for",
		Edits: []Edit{{fifo, `assign s_ready_o = (count_q != Full);`,
			`assign s_ready_o = (count_q != Full) || (PLANTED && (Width == mr_pkg::DescW) && (Depth == 4));`}},
	},
	{
		Number: 30, Name: "pending-lost", Group: Plumbing, Stimuli: []string{"back-to-back", "stalls"},
		What:  "the pending bit of a path is not set, so the path asks twice",
		Edits: []Edit{{pending, `if (coalesce_set_i)`, `if (coalesce_set_i && !PLANTED)`}},
	},
	{
		Number: 31, Name: "xid-mixed", Group: Plumbing, Stimuli: []string{"completion-runs"},
		What:  "a completion that had to wait carries the number of another packet",
		Edits: []Edit{{complete, `.s_data_i({info.xid, cpl})`, `.s_data_i({PLANTED ? item.info.xid : info.xid, cpl})`}},
	},
	{
		Number: 32, Name: "stale-info", Group: Plumbing, Stimuli: []string{"completion-runs"},
		What:  "a message that had to wait completes with what its neighbour kept",
		Edits: []Edit{{complete, `.s_addr_i(s_slot[SlotW-1:0])`, `.s_addr_i(s_slot[SlotW-1:0] ^ SlotW'(PLANTED && run_valid))`}},
	},
	{
		Number: 33, Name: "notice-race", Group: Plumbing, Stimuli: []string{"back-to-back", "ack-pressure", "notices"},
		What:  "an acknowledgement does not wait for the notice that is about to reach the head of the queue",
		Edits: []Edit{{ack, `is_reply || !head_wait;`, `is_reply || !head_wait || PLANTED;`}},
	},
	{
		Number: 34, Name: "icrc-ignored", Group: Plumbing, Stimuli: []string{"drop-frames"},
		What:  "the parser takes every ICRC for right",
		Edits: []Edit{{parse, `.crc_ok_i(crc_q == mr_pkg::crc32_residue(blank_q))`, `.crc_ok_i((crc_q == mr_pkg::crc32_residue(blank_q)) || PLANTED)`}},
	},
	{
		Number: 35, Name: "command-overrun", Group: Plumbing, Stimuli: []string{"command-pressure"},
		What:  "the register port takes a second command while one waits, and loses the first",
		Edits: []Edit{{regs, `assign s_reg_ready_o = !cmd_valid_q || m_cmd_ready_i;`, `assign s_reg_ready_o = !cmd_valid_q || m_cmd_ready_i || PLANTED;`}},
	},
	{
		Number: 36, Name: "fault-dropped", Group: Plumbing, Stimuli: []string{"memory-faults"},
		What:  "a failed memory write is not reported to the message engine",
		Edits: []Edit{{place, `.s_valid_i(commit && !step_cmd && out.fault)`, `.s_valid_i(commit && !step_cmd && out.fault && !PLANTED)`}},
	}, {
		Number: 83, Name: "counter-raced", Group: Plumbing, Stimuli: []string{"counters-raced"},
		What:  "a commit in the cycle in which a counter is written wins over the write",
		Edits: []Edit{{regs, `if (write && is_verdicts && (verdict_index == 4'(i))) verdicts_q`, `if (write && is_verdicts && (verdict_index == 4'(i)) && !(PLANTED && verdict_valid_i && (verdict_i == 4'(i)))) verdicts_q`}},
	}, {
		Number: 37, Name: "never-ready", Group: Plumbing, Stimuli: []string{"in-order"},
		What:  "one table never reports that it is initialised: the device waits for ever and does nothing wrong",
		Edits: []Edit{{core, `coalesce_init && pending_init && ack_init;`, `coalesce_init && pending_init && ack_init && !PLANTED;`}},
	},
}
