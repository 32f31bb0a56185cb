// mr_admit_conn: the half of the admit step that needs the connection row only: checks up to the range of streams, and
// conn_set, conn_clear. Model twin: part of model/admit.Step. Rule: R-ADMIT. Combinational.
// It stands alone because the stream row can only be asked for behind it (mr_admit), while the step needs its result too.
`include "mr_types.svh"
`default_nettype none
module mr_admit_conn #(
  parameter int Conns   = 4,
  parameter int Paths   = 4,
  parameter int Streams = 16,
  parameter int Keys    = 16
) (
  input  wire mr_admit_conn_t row_i,
  input  wire mr_admit_in_t   in_i,
  output      mr_admit_conn_t row_o,
  output      logic [4:0]     reason_o,      // first reason up to the range of streams
  output      logic           has_stream_o,
  output      logic [15:0]    stream_row_o,  // of a packet; in range where the reason is none
  output      logic           void_o         // command with an index beyond its table
);
  wire [16:0] streams_of = (in_i.txn > 8'd16) ? 17'h1_ffff : (17'd1 << in_i.txn[4:0]);
  wire [17:0] streams_to = 18'(in_i.stream_row_in) + 18'(streams_of);
  wire        conn_out   = (32'(in_i.dst_conn[15:0]) >= 32'(Conns));
  wire        row_out    = (32'(in_i.stream_row_in) >= 32'(Streams));
  wire [3:0]  cmd        = in_i.cmd;

  assign has_stream_o = (mr_pkg::kind_has_stream(in_i.opcode) == 1'b1) ||
                        ((in_i.opcode == mr_pkg::OpcodeProbe) && in_i.query);

  wire stream_out = ((in_i.stream >> row_i.stream_log2) != 16'd0);
  always @* begin
    reason_o = mr_pkg::ReasonNone;
    if (in_i.room == 2'd2) reason_o = mr_pkg::ReasonOverrun;
    else if (in_i.reason_in != mr_pkg::ReasonNone) reason_o = in_i.reason_in;
    else if (!row_i.valid) reason_o = mr_pkg::ReasonConn;
    else if (in_i.dst_conn[23:16] != row_i.generation) reason_o = mr_pkg::ReasonGeneration;
    else if (in_i.path >= 8'(row_i.paths)) reason_o = mr_pkg::ReasonPath;
    else if (has_stream_o && stream_out) reason_o = mr_pkg::ReasonStream;
  end
  assign stream_row_o = row_i.stream_base + in_i.stream;

  always @* begin
    case (cmd)
      mr_pkg::CommandConnSet:   void_o = conn_out || (in_i.path > 8'(Paths)) || (streams_to > 18'(Streams));
      mr_pkg::CommandConnClear: void_o = conn_out;
      mr_pkg::CommandPathSet:   void_o = conn_out || (in_i.path >= 8'(Paths));
      mr_pkg::CommandStreamSet, mr_pkg::CommandStreamClose,
      mr_pkg::CommandRecvPost, mr_pkg::CommandRecvClear: void_o = row_out;
      mr_pkg::CommandKeySet, mr_pkg::CommandKeyClear: void_o = (32'(in_i.rkey[31:8]) >= 32'(Keys));
      default: void_o = 1'b0;
    endcase
  end

  mr_admit_conn_t row_d;
  always @* begin
    row_d = row_i;
    if ((cmd == mr_pkg::CommandConnSet) && !void_o) begin
      row_d.valid       = 1'b1;
      row_d.generation  = in_i.dst_conn[23:16];
      row_d.paths       = in_i.path[4:0];
      row_d.stream_base = in_i.stream_row_in;
      row_d.stream_log2 = in_i.txn[4:0];
    end else if ((cmd == mr_pkg::CommandConnClear) && !void_o) begin
      row_d = '0;
    end
  end
  assign row_o = row_d;

  wire unused = &{1'b0, in_i.frame_len, in_i.msn, in_i.length, in_i.payload_len, in_i.open, in_i.completed, in_i.rkey[7:0]};
endmodule
`default_nettype wire
