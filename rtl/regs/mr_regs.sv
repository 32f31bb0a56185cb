// mr_regs: register port, commands into the pipeline, counters.
// Model twin: Receiver.SetRegister and GetRegister of model/conn. Rules: R-REGISTER, model/spec/register.tbl.
// Latency: a read is answered one cycle after it was taken; a write is in force in the next cycle. A read taken in cycle t
// gives what stands after the commits of cycle t (they are added on the way), so that its record may stand last in cycle t.
// Back-pressure: s_reg_ready_o falls only while a write to CMD_OP waits for room in the pipeline (one command is held here),
// and then for accesses of any kind, so that reads and writes keep their order. Answers to reads never wait.
// A command becomes a descriptor with its own arguments and its xid set; all other fields are zero. The xid follows CMD_SENT.
// Arguments keep and show all 32 bits; UDP_PORT, HINT and HINT_GEN only those they have. Addresses that hold nothing read 0;
// writes to them, and to registers that cannot be written, change nothing.
// A counter that is written goes on from there. What commits in the cycle of the write counts before it, so it is lost.
`include "mr_types.svh"
`default_nettype none
module mr_regs (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        s_reg_valid_i,
  output      logic        s_reg_ready_o,
  input  wire logic        s_reg_write_i,
  input  wire logic [11:0] s_reg_addr_i,
  input  wire logic [31:0] s_reg_wdata_i,
  output      logic        m_reg_valid_o,
  output      logic [31:0] m_reg_rdata_o,
  output      logic        m_cmd_valid_o,
  input  wire logic        m_cmd_ready_i,
  output      logic [mr_pkg::DescW-1:0] m_cmd_data_o,
  output      logic [15:0] udp_port_o,
  output      logic [19:0] hint_o,
  output      logic [ 7:0] hint_gen_o,
  input  wire logic        drop_valid_i,      // one admit commit of a frame, in its cycle
  input  wire logic [ 4:0] drop_reason_i,
  input  wire logic        verdict_valid_i,   // one message commit of a packet, in its cycle
  input  wire logic [ 3:0] verdict_i,
  input  wire logic        cmd_done_i,        // a command was confirmed
  output      logic        trace_valid_o,     // an access was taken
  output      logic [mr_pkg::RegisterInW-1:0] trace_o,
  output      logic        idle_o
);
  localparam logic [31:0] IdValue  = 32'h4d52_0001;

  wire take  = s_reg_valid_i && s_reg_ready_o;
  wire write = take && s_reg_write_i;

  // ---- arguments and set-up. A write never meets a held command's arguments: they were copied into the descriptor.
  logic [31:0] conn_q, path_q, stream_q, msn_q, psn_q, tsn_q, epoch_q, peer_q, rkey_q, addr_lo_q, addr_hi_q;
  logic [31:0] length_q, length_hi_q, recv_q, wr_id_q, misc_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      udp_port_o  <= 16'(mr_pkg::UdpPort);
      hint_o      <= 20'd0;
      hint_gen_o  <= 8'd0;
      conn_q      <= 32'd0;
      path_q      <= 32'd0;
      stream_q    <= 32'd0;
      msn_q       <= 32'd0;
      psn_q       <= 32'd0;
      tsn_q       <= 32'd0;
      epoch_q     <= 32'd0;
      peer_q      <= 32'd0;
      rkey_q      <= 32'd0;
      addr_lo_q   <= 32'd0;
      addr_hi_q   <= 32'd0;
      length_q    <= 32'd0;
      length_hi_q <= 32'd0;
      recv_q      <= 32'd0;
      wr_id_q     <= 32'd0;
      misc_q      <= 32'd0;
    end else if (write) begin
      case (s_reg_addr_i)
        mr_pkg::RegUdpPort:     udp_port_o  <= s_reg_wdata_i[15:0];
        mr_pkg::RegHint:        hint_o      <= s_reg_wdata_i[19:0];
        mr_pkg::RegHintGen:     hint_gen_o  <= s_reg_wdata_i[7:0];
        mr_pkg::RegCmdConn:     conn_q      <= s_reg_wdata_i;
        mr_pkg::RegCmdPath:     path_q      <= s_reg_wdata_i;
        mr_pkg::RegCmdStream:   stream_q    <= s_reg_wdata_i;
        mr_pkg::RegCmdMsn:      msn_q       <= s_reg_wdata_i;
        mr_pkg::RegCmdPsn:      psn_q       <= s_reg_wdata_i;
        mr_pkg::RegCmdTsn:      tsn_q       <= s_reg_wdata_i;
        mr_pkg::RegCmdEpoch:    epoch_q     <= s_reg_wdata_i;
        mr_pkg::RegCmdPeer:     peer_q      <= s_reg_wdata_i;
        mr_pkg::RegCmdRkey:     rkey_q      <= s_reg_wdata_i;
        mr_pkg::RegCmdAddrLo:   addr_lo_q   <= s_reg_wdata_i;
        mr_pkg::RegCmdAddrHi:   addr_hi_q   <= s_reg_wdata_i;
        mr_pkg::RegCmdLength:   length_q    <= s_reg_wdata_i;
        mr_pkg::RegCmdLengthHi: length_hi_q <= s_reg_wdata_i;
        mr_pkg::RegCmdRecv:     recv_q      <= s_reg_wdata_i;
        mr_pkg::RegCmdWrId:     wr_id_q     <= s_reg_wdata_i;
        mr_pkg::RegCmdMisc:     misc_q      <= s_reg_wdata_i;
        default: ;
      endcase
    end
  end

  // ---- commands
  logic [31:0] sent_q, done_q;
  logic        cmd_valid_q;
  mr_desc_t    cmd_q, cmd;
  wire         is_cmd = (s_reg_wdata_i >= 32'd1) && (s_reg_wdata_i <= 32'(mr_pkg::CommandRecvClear));
  wire         start  = write && (s_reg_addr_i == mr_pkg::RegCmdOp) && is_cmd;
  wire [3:0]   op     = s_reg_wdata_i[3:0];

  always_comb begin
    cmd     = '0;
    cmd.op  = op;
    cmd.xid = {1'b1, sent_q[30:0] + 31'd1};
    cmd.room = 2'd0;
    case (op)
      mr_pkg::CommandConnSet: begin
        cmd.dst_conn   = conn_q[23:0];
        cmd.path       = path_q[7:0];
        cmd.stream_row = stream_q[15:0];
        cmd.txn        = misc_q[7:0];
      end
      mr_pkg::CommandConnClear: cmd.dst_conn = conn_q[23:0];
      mr_pkg::CommandPathSet: begin
        cmd.dst_conn = conn_q[23:0];
        cmd.path     = path_q[7:0];
        cmd.psn      = psn_q;
        cmd.tsn      = tsn_q;
        cmd.epoch    = epoch_q[3:0];
        cmd.tx_time  = peer_q;
      end
      mr_pkg::CommandStreamSet: begin
        cmd.stream_row = stream_q[15:0];
        cmd.msn        = msn_q;
        cmd.txn        = misc_q[7:0];
      end
      mr_pkg::CommandStreamClose: cmd.stream_row = stream_q[15:0];
      mr_pkg::CommandKeySet: begin
        cmd.rkey     = rkey_q;
        cmd.dst_conn = conn_q[23:0];
        cmd.addr     = {addr_hi_q, addr_lo_q};
        cmd.length   = length_q;
        cmd.offset   = length_hi_q;
        cmd.txn      = misc_q[7:0];
      end
      mr_pkg::CommandKeyClear: cmd.rkey = rkey_q;
      mr_pkg::CommandRecvPost: begin
        cmd.stream_row = stream_q[15:0];
        cmd.recv_index = recv_q;
        cmd.addr       = {addr_hi_q, addr_lo_q};
        cmd.length     = length_q;
        cmd.wr_id      = wr_id_q;
      end
      default: begin   // recv_clear
        cmd.stream_row = stream_q[15:0];
        cmd.recv_index = recv_q;
      end
    endcase
  end

  assign m_cmd_valid_o = cmd_valid_q;
  assign m_cmd_data_o  = cmd_q;
  assign s_reg_ready_o = !cmd_valid_q || m_cmd_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cmd_valid_q <= 1'b0;
      sent_q      <= 32'd0;
      done_q      <= 32'd0;
    end else begin
      if (start) cmd_valid_q <= 1'b1;
      else if (m_cmd_ready_i) cmd_valid_q <= 1'b0;
      if (start) sent_q <= sent_q + 32'd1;
      else if (write && (s_reg_addr_i == mr_pkg::RegCmdSent)) sent_q <= s_reg_wdata_i;
      if (write && (s_reg_addr_i == mr_pkg::RegCmdDone)) done_q <= s_reg_wdata_i;
      else if (cmd_done_i) done_q <= done_q + 32'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) cmd_q <= cmd;
  end

  // ---- counters
  wire is_drops    = (s_reg_addr_i[11:7] == mr_pkg::RegDrops[11:7]) && (s_reg_addr_i[1:0] == 2'd0);
  wire is_verdicts = (s_reg_addr_i[11:6] == mr_pkg::RegVerdicts[11:6]) && (s_reg_addr_i[1:0] == 2'd0);
  wire [4:0] drop_index    = s_reg_addr_i[6:2];
  wire [3:0] verdict_index = s_reg_addr_i[5:2];
  logic [32*mr_pkg::RegDropsCount-1:0]    drops_q;
  logic [32*mr_pkg::RegVerdictsCount-1:0] verdicts_q;
  // entries of numbers without a name are registers that nothing counts
  wire [31:0] drops_next    = drops_q[32*drop_reason_i +: 32] + 32'd1;
  wire [31:0] verdicts_next = verdicts_q[32*verdict_i +: 32] + 32'd1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drops_q    <= '0;
      verdicts_q <= '0;
    end else begin
      for (int i = 0; i < mr_pkg::RegDropsCount; i++) begin
        if (write && is_drops && (drop_index == 5'(i))) drops_q[32*i +: 32] <= s_reg_wdata_i;
        else if ((i <= mr_pkg::ReasonLast) && drop_valid_i && (drop_reason_i == 5'(i))) drops_q[32*i +: 32] <= drops_next;
      end
      for (int i = 0; i < mr_pkg::RegVerdictsCount; i++) begin
        if (write && is_verdicts && (verdict_index == 4'(i))) verdicts_q[32*i +: 32] <= s_reg_wdata_i;
        else if ((i <= mr_pkg::VerdictLast) && verdict_valid_i && (verdict_i == 4'(i))) verdicts_q[32*i +: 32] <= verdicts_next;
      end
    end
  end

  // ---- reads
  wire       drop_now      = drop_valid_i && (drop_reason_i == drop_index);
  wire       verdict_now   = verdict_valid_i && (verdict_i == verdict_index);
  logic [31:0] rdata;
  always_comb begin
    case (s_reg_addr_i)
      mr_pkg::RegId:          rdata = IdValue;
      mr_pkg::RegSchemaLo:    rdata = mr_pkg::SchemaHash[31:0];
      mr_pkg::RegSchemaHi:    rdata = mr_pkg::SchemaHash[63:32];
      mr_pkg::RegUdpPort:     rdata = {16'd0, udp_port_o};
      mr_pkg::RegHint:        rdata = {12'd0, hint_o};
      mr_pkg::RegHintGen:     rdata = {24'd0, hint_gen_o};
      mr_pkg::RegCmdConn:     rdata = conn_q;
      mr_pkg::RegCmdPath:     rdata = path_q;
      mr_pkg::RegCmdStream:   rdata = stream_q;
      mr_pkg::RegCmdMsn:      rdata = msn_q;
      mr_pkg::RegCmdPsn:      rdata = psn_q;
      mr_pkg::RegCmdTsn:      rdata = tsn_q;
      mr_pkg::RegCmdEpoch:    rdata = epoch_q;
      mr_pkg::RegCmdPeer:     rdata = peer_q;
      mr_pkg::RegCmdRkey:     rdata = rkey_q;
      mr_pkg::RegCmdAddrLo:   rdata = addr_lo_q;
      mr_pkg::RegCmdAddrHi:   rdata = addr_hi_q;
      mr_pkg::RegCmdLength:   rdata = length_q;
      mr_pkg::RegCmdLengthHi: rdata = length_hi_q;
      mr_pkg::RegCmdRecv:     rdata = recv_q;
      mr_pkg::RegCmdWrId:     rdata = wr_id_q;
      mr_pkg::RegCmdMisc:     rdata = misc_q;
      mr_pkg::RegCmdDone:     rdata = done_q + {31'd0, cmd_done_i};
      mr_pkg::RegCmdSent:     rdata = sent_q;
      default: begin
        if (is_drops)         rdata = drops_q[32*drop_index +: 32] + {31'd0, drop_now};
        else if (is_verdicts) rdata = verdicts_q[32*verdict_index +: 32] + {31'd0, verdict_now};
        else                  rdata = 32'd0;
      end
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_reg_valid_o <= 1'b0;
    else m_reg_valid_o <= take && !s_reg_write_i;
  end
  always_ff @(posedge clk_i) begin
    if (take) m_reg_rdata_o <= rdata;
  end

  mr_register_in_t trace;
  always_comb begin
    trace.addr  = {4'd0, s_reg_addr_i};
    trace.write = s_reg_write_i;
    trace.data  = s_reg_write_i ? s_reg_wdata_i : rdata;
  end
  assign trace_valid_o = take;
  assign trace_o       = trace;

  assign idle_o = !cmd_valid_q;
endmodule
`default_nettype wire
