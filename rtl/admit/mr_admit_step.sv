// mr_admit_step: admitted or dropped, and why; rows of connection, path and stream. What may vanish vanishes here.
// Model twin: model/admit.Step. Rule: R-ADMIT. Combinational.
// open and completed are 0 where mr_admit_conn found a reason or the packet has no stream: they were not asked for.
`include "mr_types.svh"
`default_nettype none
module mr_admit_step #(
  parameter int Conns    = 4,
  parameter int Paths    = 4,
  parameter int Streams  = 16,
  parameter int MsgSlots = 64,
  parameter int Keys     = 16
) (
  input  wire mr_admit_conn_t row_i,
  input  wire logic [7:0]     op_i,
  input  wire mr_admit_in_t   in_i,
  output      mr_admit_conn_t row_o,
  output      mr_admit_out_t  out_o
);
  logic [4:0]  first;
  logic        has_stream;
  logic [15:0] stream_row;
  logic        is_void;
  mr_admit_conn #(.Conns(Conns), .Paths(Paths), .Streams(Streams), .Keys(Keys)) u_conn (
    .row_i(row_i), .in_i(in_i), .row_o(row_o),
    .reason_o(first), .has_stream_o(has_stream), .stream_row_o(stream_row), .void_o(is_void)
  );

  wire [31:0] path_row = 32'(in_i.dst_conn[15:0]) * 32'(Paths) + 32'(in_i.path);
  wire [31:0] ahead    = in_i.msn - in_i.completed;   // signed: below 0 if the message is complete
  wire carries         = (mr_pkg::kind_carries_message(in_i.opcode) == 1'b1);

  logic [4:0] reason;
  always @* begin
    reason = first;
    if (first == mr_pkg::ReasonNone) begin
      if (has_stream && !in_i.open) reason = mr_pkg::ReasonStream;
      else if (has_stream && !in_i.query && !ahead[31] && (ahead >= 32'(MsgSlots))) reason = mr_pkg::ReasonMsgWindow;
      else if (carries && (in_i.length != 32'd0) && (in_i.payload_len == 16'd0)) reason = mr_pkg::ReasonZeroPayload;
      else if (in_i.room == 2'd0) reason = mr_pkg::ReasonNoRoom;
    end
  end

  mr_admit_out_t out_d;
  always @* begin
    out_d = '0;
    if (op_i == mr_pkg::AdmitOpCommand) begin
      out_d.conn       = in_i.dst_conn[15:0];
      out_d.path_row   = (in_i.cmd == mr_pkg::CommandPathSet) ? path_row[15:0] : 16'd0;
      out_d.stream_row = in_i.stream_row_in;
      out_d.old        = is_void;
    end else if (reason != mr_pkg::ReasonNone) begin
      out_d.reason = reason;
    end else begin
      out_d.conn       = in_i.dst_conn[15:0];
      out_d.path_row   = path_row[15:0];
      out_d.stream_row = stream_row;
      out_d.old        = has_stream && ahead[31];
    end
  end
  assign out_o = out_d;

  wire unused = &{1'b0, path_row[31:16], in_i.frame_len};
endmodule
`default_nettype wire
