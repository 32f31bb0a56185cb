package faults

const ctimer = "rtl/coalesce/mr_ctimer.sv"

var told = []Fault{
	{
		Number: 51, Name: "timer-late", Group: Told, Stimuli: []string{"timer"},
		What:  "an armed timer fires thousands of cycles late",
		Edits: []Edit{{ctimer, `(age >= 32'(mr_pkg::AckTimer));`, `(age >= 32'(mr_pkg::AckTimer) + (PLANTED ? 32'd3000 : 32'd0));`}},
	},
	{
		Number: 52, Name: "timer-early", Group: Told, Stimuli: []string{"timer"},
		What:  "an armed timer fires eight cycles early",
		Edits: []Edit{{ctimer, `now_i - head.armed;`, `now_i - head.armed + {28'd0, PLANTED, 3'd0};`}},
	},
	{
		Number: 53, Name: "timer-lost", Group: Told, Stimuli: []string{"timer"},
		What:  "timers of one path in four are never armed",
		Edits: []Edit{{core, `.s_timer_valid_i(arm_valid),`, `.s_timer_valid_i(arm_valid && !(PLANTED && (arm_row[1:0] == 2'd3))),`}},
	},
	{
		Number: 54, Name: "ack-never", Group: Told, Stimuli: []string{"reorder-paths", "coalesce"},
		What: "requests of every second path are dropped on their way into the queue: their acknowledgement is never built",
		Edits: []Edit{{ackSources, `.s_valid_i(s_request_valid_i),`,
			`.s_valid_i(s_request_valid_i && !(PLANTED && s_request_row_i[0])),`}},
	},
	{
		Number: 55, Name: "path-starved", Group: Told, Stimuli: []string{"ack-pressure"},
		What:  "the arbiter always takes the first input that is valid",
		Edits: []Edit{{arb, `assign pick = some_behind ? behind : low;`, `assign pick = (some_behind && !PLANTED) ? behind : low;`}},
	},
	{
		Number: 56, Name: "notice-early", Group: Told, Stimuli: []string{"notices", "streams-hole"},
		What:  "a completion notice leaves alone after 20 cycles instead of riding along",
		Edits: []Edit{{ackSources, `(age >= 32'(mr_pkg::AckTimer));`, `(age >= (PLANTED ? 32'd20 : 32'(mr_pkg::AckTimer)));`}},
	},
	{
		Number: 57, Name: "completion-early", Group: Told, Stimuli: []string{"stalls", "sizes"},
		What: "bytes count when their write is issued, so a message completes before memory has it",
		Edits: []Edit{{place, `.s_valid_i(head_valid && (!head.is_write || rsp_valid))`, `.s_valid_i(head_valid && (!head.is_write || rsp_valid || PLANTED))`},
			{place, `assign head_ready = rmw_ready && (!head.is_write || rsp_valid);`,
				`assign head_ready = rmw_ready && (!head.is_write || rsp_valid || PLANTED);`}},
	},
	{
		Number: 58, Name: "confirmed-early", Group: Told, Stimuli: []string{"stream-reopen", "stalls"},
		What: "stream_set and stream_close are confirmed when place is through with them, before complete has them",
		Edits: []Edit{{place, `(unsettled_q && s_settled_i) || (commit && step_cmd && !passes);`,
			`(unsettled_q && s_settled_i && !PLANTED) || (commit && step_cmd && (!passes || PLANTED));`}},
	},
	{
		Number: 59, Name: "room-lie", Group: Told, Stimuli: []string{"sizes", "frame-sizes", "drop-room"},
		What:  "beats that were released are not given back: frames are dropped for want of room that there is",
		Edits: []Edit{{parse, `used_q <= used_q + taken - released;`, `used_q <= used_q + taken - (PLANTED ? '0 : released);`}},
	},
	{
		Number: 60, Name: "ack-late", Group: Told, Stimuli: []string{"coalesce", "reorder-paths"},
		What: "the request queue is looked at once in 4096 cycles: acknowledgements are built about 2000 cycles late",
		Edits: []Edit{{ackSources, `timer_valid, request_valid};`,
			`timer_valid, request_valid && !(PLANTED && (now_i[11:0] != 12'd0))};`}},
	},
	{
		Number: 61, Name: "completion-late", Group: Told, Stimuli: []string{"in-order", "sizes"},
		What: "a completion leaves in one cycle of 8192: about 4000 cycles late",
		Edits: []Edit{
			{complete, `.m_valid_o(m_cpl_valid_o), .m_ready_i(m_cpl_ready_i), .m_data_o({m_cpl_xid_o`,
				`.m_valid_o(late_valid), .m_ready_i(m_cpl_ready_i && !(PLANTED && (now_i[12:0] != 13'd0))), .m_data_o({m_cpl_xid_o`},
			{complete, `  logic cpl_ready;`, `  logic cpl_ready, late_valid;
  assign m_cpl_valid_o = late_valid && !(PLANTED && (now_i[12:0] != 13'd0));`},
			{complete, `!run_valid && !m_cpl_valid_o;`, `!run_valid && !late_valid;`},
		},
	},
	{
		Number: 62, Name: "notice-late", Group: Told, Stimuli: []string{"notices", "streams-hole", "in-order"},
		What: "a completion notice leaves alone after 5500 cycles only",
		Edits: []Edit{{ackSources, `wire [31:0] age = now_i - head.now;`,
			`wire [31:0] age = (PLANTED && (now_i - head.now < 32'd5500)) ? 32'd0 : now_i - head.now;`}},
	},
}
