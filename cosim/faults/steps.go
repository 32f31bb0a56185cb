package faults

const (
	windowStep   = "rtl/window/mr_window_step.sv"
	keyStep      = "rtl/key/mr_key_step.sv"
	recvStep     = "rtl/recv/mr_recv_step.sv"
	messageStep  = "rtl/message/mr_message_step.sv"
	placeStep    = "rtl/place/mr_place_step.sv"
	placeShift   = "rtl/place/mr_place_shift.sv"
	completeStep = "rtl/complete/mr_complete_step.sv"
	coalesceStep = "rtl/coalesce/mr_coalesce_step.sv"
	ackStep      = "rtl/ack/mr_ack_step.sv"
)

var steps = []Fault{
	{
		Number: 1, Name: "window-edge", Group: Step, Stimuli: []string{"window-edges"},
		What: "the window ends one early: offset 255 is too new",
		Edits: []Edit{{windowStep, `!off[31] && (off[30:OffW] != '0);`,
			`!off[31] && ((off[30:OffW] != '0) || (PLANTED && (&off[OffW-1:0])));`}},
	},
	{
		Number: 2, Name: "serial-wrap", Group: Step, Stimuli: []string{"serial-wrap"},
		What:  "too old is decided by plain comparison, which breaks where psn wraps",
		Edits: []Edit{{windowStep, `too_old = off[31];`, `too_old = PLANTED ? (in_i.psn < row_i.cum) : off[31];`}},
	},
	{
		Number: 3, Name: "epoch-ignored", Group: Step, Stimuli: []string{"epoch-change"},
		What:  "every packet counts as one of the current epoch",
		Edits: []Edit{{windowStep, `in_i.epoch - row_i.epoch;`, `PLANTED ? 4'd0 : (in_i.epoch - row_i.epoch);`}},
	},
	{
		Number: 4, Name: "wrong-counter", Group: Step, Stimuli: []string{"ecn-runs"},
		What:  "the CE counter counts changes of the mark, not marks",
		Edits: []Edit{{windowStep, `32'(in_i.ce);`, `{31'd0, PLANTED ? (in_i.ce != row_i.last_ce) : in_i.ce};`}},
	},
	{
		Number: 5, Name: "detour-evidence", Group: Step, Stimuli: []string{"detour"},
		What:  "a detoured packet shows a gap",
		Edits: []Edit{{windowStep, `evidence   = !in_i.flag_d &&`, `evidence   = (!in_i.flag_d || PLANTED) &&`}},
	},
	{
		Number: 6, Name: "byte-lane", Group: Step, Stimuli: []string{"sizes", "unaligned", "in-order"},
		What: "at one header length the shifter puts the lowest byte lane of a beat last",
		Edits: []Edit{{placeShift, `{above, s2_data_q[511:448]}`,
			`PLANTED ? {above, s2_data_q[455:448], s2_data_q[511:456]} : {above, s2_data_q[511:448]}`},
			{placeShift, `{above[383:0], s2_data_q[511:384]}`,
				`PLANTED ? {above[383:0], s2_data_q[391:384], s2_data_q[511:392]} : {above[383:0], s2_data_q[511:384]}`}},
	},
	{
		Number: 7, Name: "bounds-64", Group: Step, Stimuli: []string{"key-refusals"},
		What: "the end of a write is added in 64 bits, so it wraps to the start of memory and fits",
		Edits: []Edit{{keyStep, `{1'b0, in_i.addr} + 65'(in_i.payload_len);`,
			`({1'b0, in_i.addr} + 65'(in_i.payload_len)) & {!PLANTED, {64{1'b1}}};`}},
	},
	{
		Number: 8, Name: "attempt-ignored", Group: Step, Stimuli: []string{"attempts"},
		What:  "packets of any attempt count for the attempt of the slot",
		Edits: []Edit{{messageStep, `same && (tries == 4'd0);`, `same && ((tries == 4'd0) || PLANTED);`}},
	},
	{
		Number: 9, Name: "out-of-turn", Group: Step, Stimuli: []string{"streams-hole", "stream-reopen"},
		What:  "a message that is done completes though the one before has not",
		Edits: []Edit{{completeStep, `(mark && turn) || go_on;`, `(mark && (turn || PLANTED)) || go_on;`}},
	},
	{
		Number: 10, Name: "double-completion", Group: Step, Stimuli: []string{"in-order", "message-window"},
		What:  "the done bit stays, so that the message completes again one window later",
		Edits: []Edit{{completeStep, `done & ~this_bit;`, `PLANTED ? (done | this_bit) : (done & ~this_bit);`}},
	},
	{
		Number: 11, Name: "ack-every", Group: Step, Stimuli: []string{"coalesce"},
		What:  "an acknowledgement waits for one packet more than ack_every",
		Edits: []Edit{{coalesceStep, `(count >= 3'(mr_pkg::AckEvery));`, `(count >= 3'(mr_pkg::AckEvery) + {2'd0, PLANTED});`}},
	},
	{
		Number: 12, Name: "tally-life", Group: Step, Stimuli: []string{"stream-life", "stream-reopen"},
		What:  "bytes of the life before count for the new one",
		Edits: []Edit{{placeStep, `in_i.fresh ?`, `(in_i.fresh && !PLANTED) ?`}},
	},
	{
		Number: 13, Name: "recv-index", Group: Step, Stimuli: []string{"recv-same-row"},
		What:  "a posted receive of another index in the same row is taken for the one asked for",
		Edits: []Edit{{recvStep, `(row_i.index != in_i.recv_index)`, `((row_i.index != in_i.recv_index) && !PLANTED)`}},
	},
	{
		Number: 14, Name: "held-overflow", Group: Step, Stimuli: []string{"stalls", "notices", "timer"},
		What:  "the time an acknowledgement was held is cut to 8 bits",
		Edits: []Edit{{ackStep, `: age[23:0];`, `: (PLANTED ? {16'd0, age[7:0]} : age[23:0]);`}},
	},
}
