package faults

const (
	monitor    = "cosim/dpi/mr_monitor.sv"
	shimRecord = "cosim/dpi/tandem_record.c"
	shimStim   = "cosim/dpi/tandem_stim.c"
)

var bridge = []Fault{
	{
		Number: 71, Name: "record-lost", Group: Bridge, Stimuli: []string{"in-order", "reorder-paths"},
		What: "the shim loses one record without a trace",
		Edits: []Edit{{shimRecord, `int words = tandem_state_words(slot[TANDEM_HEAD_KIND]);`, `if (PLANTED && seq == 90 && !tandem_once++) return;
  int words = tandem_state_words(slot[TANDEM_HEAD_KIND]);`}},
	},
	{
		Number: 72, Name: "record-twice", Group: Bridge, Stimuli: []string{"in-order", "reorder-paths"},
		What: "the shim sends one record twice",
		Edits: []Edit{{shimRecord, `if (++out_count >= terms.batch) record_flush();`, `if (++out_count >= terms.batch) record_flush();
  if (PLANTED && seq == 90 && !tandem_once++) {
    memcpy(ring[seq % RING], slot, SLOT);
    commit(ring[seq % RING], pieces);
  }`}},
	},
	{
		Number: 73, Name: "record-byte", Group: Bridge, Stimuli: []string{"in-order", "reorder-paths"},
		What: "one bit of one record changes between the monitor and the socket",
		Edits: []Edit{{shimRecord, `heads = fold(heads, slot);`, `if (PLANTED && seq == 90) out[WIRE_HEADER + out_length - length + 40] ^= 4;
  heads = fold(heads, slot);`}},
	},
	{
		Number: 74, Name: "records-swapped", Group: Bridge, Stimuli: []string{"in-order", "reorder-paths"}, Refused: true,
		What: "two neighbouring records change places in a batch",
		Edits: []Edit{{shimRecord, `last_cycle = get64(slot + TANDEM_HEAD_CYCLE);`, `last_cycle = get64(slot + TANDEM_HEAD_CYCLE);
  if (PLANTED && seq > 60 && out_count && pieces == tandem_pieces && !tandem_once++) {
    static uint8_t kept[SLOT];
    uint8_t *b = out + WIRE_HEADER + out_length - length, *a = b - length;
    memcpy(kept, a, length);
    memcpy(a, b, length);
    memcpy(b, kept, length);
  }
  tandem_pieces = pieces;`}},
	},
	{
		Number: 75, Name: "monitor-stale", Group: Bridge, Stimuli: []string{"key-refusals", "in-order"},
		What: "the monitor samples the data of key one cycle late",
		Edits: []Edit{{monitor, `assign cpl = cpl_data_i;`, `assign cpl = cpl_data_i;
  logic [mr_pkg::KeyCommitW-1:0] planted_q;
  always @(posedge clk_i) planted_q <= key_data_i;`},
			{monitor, `mr_record_key(cycle_i, key_data_i)`, `mr_record_key(cycle_i, PLANTED ? planted_q : key_data_i)`}},
	},
	{
		Number: 76, Name: "monitor-cycle", Group: Bridge, Stimuli: []string{"in-order"},
		What:  "the monitor stamps records of window with the cycle behind",
		Edits: []Edit{{monitor, `mr_record_window(cycle_i, window_data_i)`, `mr_record_window(cycle_i + 64'(PLANTED), window_data_i)`}},
	},
	{
		Number: 77, Name: "monitor-order", Group: Bridge, Stimuli: []string{"ecn-runs", "back-to-back", "stalls"},
		What: "the monitor puts the reader behind the owner: ack stands behind window in a cycle that both commit in",
		Edits: []Edit{{monitor, `if (ack_i) `, `if (ack_i && !PLANTED) `},
			{monitor, `if (key_i) `, `if (ack_i && PLANTED) tandem_record2(mr_record_ack(cycle_i, ack_data_commit_i));
      if (key_i) `}},
	},
	{
		Number: 78, Name: "stimulus-bit", Group: Bridge, Stimuli: []string{"in-order"},
		What: "the shim flips a bit of the fifth frame that it drives",
		Edits: []Edit{{shimStim, `memcpy(data, f->data + f->at, bytes);`, `memcpy(data, f->data + f->at, bytes);
  if (PLANTED && f->at == 0 && ++tandem_once == 5) ((uint8_t *)data)[40] ^= 1;`}},
	},
	{
		Number: 79, Name: "register-bit", Group: Bridge, Stimuli: []string{"in-order"},
		What:  "the shim changes a bit of a register write",
		Edits: []Edit{{shimStim, `*reg_data = (svBitVecVal)a;`, `*reg_data = (svBitVecVal)a ^ (PLANTED && reg_head == 4);`}},
	},
	{
		Number: 80, Name: "count-wrong", Group: Bridge, Stimuli: []string{"in-order"}, Refused: true,
		What: "the shim reports one transaction more at the end than it sent",
		Edits: []Edit{{shimRecord, `meta_terminate(message + WIRE_HEADER, cycles, seq, heads,`,
			`meta_terminate(message + WIRE_HEADER, cycles, seq + PLANTED, heads,`}},
	},
	{
		Number: 81, Name: "memory-error", Group: Bridge, Stimuli: []string{"in-order", "sizes"},
		What: "the memory of the bench answers a good write with an error",
		Edits: []Edit{{shimStim, `.error = stim_faulty(addr, length);`,
			`.error = stim_faulty(addr, length) || (PLANTED && ++tandem_once == 7);`}},
	},
	{
		Number: 82, Name: "answer-lost", Group: Bridge, Stimuli: []string{"in-order", "sizes"},
		What: "the memory of the bench loses an answer",
		Edits: []Edit{{shimStim, `drive |= TANDEM_DRIVE_MEM_ANSWER;`,
			`drive |= PLANTED && ++tandem_once == 7 ? 0 : TANDEM_DRIVE_MEM_ANSWER;`}},
	},
}
