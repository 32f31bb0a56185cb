// mr_monitor: the commits and the beats at the edges of mr_rx_top become records (docs/receive.md, sections 4 and 5).
// One clocked block, so that the records of a cycle come in the one order that both sides know: packet_in, the engines
// by `order` of event.tbl with mem_write just before place, completion, packet_out, command_done, register.
// Watches only; never part of the synthesizable design. Rules: R-PKTIN, R-PKTOUT, R-MEMWRITE, R-COMPLETION, R-REGISTER,
// R-CMDDONE. X on a valid stops a 4-state simulator before it could turn into a 0 at the DPI boundary.
`include "mr_types.svh"
`include "mr_monitor_gen.svh"
`include "tandem_dpi.svh"
`default_nettype none
module mr_monitor (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic         on_i,         // records wanted
  input wire logic [63:0]  cycle_i,

  input wire logic         frame_valid_i,
  input wire logic         frame_last_i,
  input wire logic [6:0]   frame_bytes_i,
  input wire logic [511:0] frame_data_i,

  input wire logic         reg_write_i,  // a write is accepted in this cycle
  input wire logic [11:0]  reg_addr_i,
  input wire logic [31:0]  reg_wdata_i,
  input wire logic         reg_read_i,   // a read is accepted in this cycle; the device says what it will answer
  input wire logic [mr_pkg::RegisterInW-1:0] reg_read_data_i,
  input wire logic         reg_answer_i, // the answer
  input wire logic [31:0]  reg_rdata_i,

  input wire logic         mem_beat_i,   // accepted
  input wire logic         mem_first_i,
  input wire logic         mem_last_i,
  input wire logic [63:0]  mem_addr_i,
  input wire logic [15:0]  mem_len_i,
  input wire logic [511:0] mem_data_i,
  input wire logic [31:0]  mem_xid_i,

  input wire logic         cpl_i,        // accepted
  input wire logic [mr_pkg::CompletionInW-1:0] cpl_data_i,
  input wire logic [31:0]  cpl_xid_i,

  input wire logic         ack_beat_i,   // accepted
  input wire logic         ack_first_i,
  input wire logic         ack_last_i,
  input wire logic [6:0]   ack_bytes_i,
  input wire logic [511:0] ack_data_i,
  input wire logic [15:0]  ack_conn_i,
  input wire logic [7:0]   ack_path_i,
  input wire logic [15:0]  ack_sport_i,
  input wire logic [31:0]  ack_xid_i,

  input wire logic         cmd_done_i,
  input wire logic [3:0]   cmd_done_op_i,
  input wire logic [31:0]  cmd_done_xid_i,

  input wire logic         admit_i,
  input wire logic [mr_pkg::AdmitCommitW-1:0]    admit_data_i,
  input wire logic         coalesce_i,
  input wire logic [mr_pkg::CoalesceCommitW-1:0] coalesce_data_i,
  input wire logic         ctimer_i,
  input wire logic [mr_pkg::CtimerCommitW-1:0]   ctimer_data_i,
  input wire logic         ack_i,
  input wire logic [mr_pkg::AckCommitW-1:0]      ack_data_commit_i,
  input wire logic         window_i,
  input wire logic [mr_pkg::WindowCommitW-1:0]   window_data_i,
  input wire logic         key_i,
  input wire logic [mr_pkg::KeyCommitW-1:0]      key_data_i,
  input wire logic         recv_i,
  input wire logic [mr_pkg::RecvCommitW-1:0]     recv_data_i,
  input wire logic         message_i,
  input wire logic [mr_pkg::MessageCommitW-1:0]  message_data_i,
  input wire logic         place_i,
  input wire logic [mr_pkg::PlaceCommitW-1:0]    place_data_i,
  input wire logic         complete_i,
  input wire logic [mr_pkg::CompleteCommitW-1:0] complete_data_i
);
  mr_completion_in_t cpl;
  assign cpl = cpl_data_i;

  // A read's record belongs to the cycle of its acceptance, when the value stands but is not on the port yet. What the
  // port then says must be the same; if not, it makes a second record, which no model owes.
  mr_register_in_t read_now, read_q;
  assign read_now = reg_read_data_i;
  always @(posedge clk_i) if (reg_read_i) read_q <= read_now;

  always @(posedge clk_i) begin
    if (rst_ni && on_i) begin
      if ($isunknown({frame_valid_i, admit_i, coalesce_i, ctimer_i, ack_i, window_i, key_i, recv_i, message_i, place_i,
                      complete_i, mem_beat_i, cpl_i, ack_beat_i, cmd_done_i, reg_write_i, reg_read_i, reg_answer_i}))
        $fatal(1, "mr_monitor: a valid is X at cycle %0d", cycle_i);

      if (frame_valid_i)
        tandem_frame_beat(cycle_i, frame_data_i, int'({25'd0, frame_bytes_i}), {31'd0, frame_last_i});

      if (admit_i)    tandem_record2(mr_record_admit(cycle_i, admit_data_i));
      if (coalesce_i) tandem_record1(mr_record_coalesce(cycle_i, coalesce_data_i));
      if (ctimer_i)   tandem_record1(mr_record_ctimer(cycle_i, ctimer_data_i));
      if (ack_i)      tandem_record2(mr_record_ack(cycle_i, ack_data_commit_i));
      if (window_i)   tandem_record3(mr_record_window(cycle_i, window_data_i));
      if (key_i)      tandem_record2(mr_record_key(cycle_i, key_data_i));
      if (recv_i)     tandem_record2(mr_record_recv(cycle_i, recv_data_i));
      if (message_i)  tandem_record2(mr_record_message(cycle_i, message_data_i));
      if (mem_beat_i)
        tandem_mem_beat(cycle_i, mem_data_i, {31'd0, mem_first_i}, {31'd0, mem_last_i}, mem_addr_i, {16'd0, mem_len_i},
                        mem_xid_i);
      if (place_i)    tandem_record2(mr_record_place(cycle_i, place_data_i));
      if (complete_i) tandem_record2(mr_record_complete(cycle_i, complete_data_i));

      if (cpl_i)
        tandem_record1(mr_record_completion(cycle_i, cpl_xid_i, cpl.conn, 8'd0, cpl.stream, cpl_data_i));
      if (ack_beat_i)
        tandem_ack_beat(cycle_i, ack_data_i, {25'd0, ack_bytes_i}, {31'd0, ack_first_i}, {31'd0, ack_last_i},
                        {16'd0, ack_conn_i}, {24'd0, ack_path_i}, {16'd0, ack_sport_i}, ack_xid_i);
      if (cmd_done_i)
        tandem_record1(mr_record_command_done(cycle_i, cmd_done_xid_i, 16'd0, 8'd0, 16'd0, cmd_done_op_i));
      if (reg_write_i)
        tandem_record1(mr_record_register(cycle_i, 32'd0, 16'd0, 8'd0, 16'd0, {reg_wdata_i, 1'b1, 4'd0, reg_addr_i}));
      if (reg_read_i)
        tandem_record1(mr_record_register(cycle_i, 32'd0, 16'd0, 8'd0, 16'd0, read_now));
      if (reg_answer_i && reg_rdata_i != read_q.data)
        tandem_record1(mr_record_register(cycle_i, 32'd0, 16'd0, 8'd0, 16'd0, {reg_rdata_i, 1'b0, read_q.addr}));
    end
  end
endmodule
`default_nettype wire
