// DPI imports of the shim; tandem_shim.h says what each is for. Imports only, bit types, no context.
`ifndef TANDEM_DPI_SVH
`define TANDEM_DPI_SVH

import "DPI-C" function void tandem_param(input string name, input int value);
import "DPI-C" function int tandem_open(input string socket_path, input string plain, input string preset,
    input string simulator, input longint schema, input longint seed, input longint clock_ps);

import "DPI-C" function void tandem_record1(input bit [511:0] rec);
import "DPI-C" function void tandem_record2(input bit [1023:0] rec);
import "DPI-C" function void tandem_record3(input bit [1535:0] rec);
import "DPI-C" function void tandem_record4(input bit [2047:0] rec);

import "DPI-C" function void tandem_frame_beat(input longint cycle, input bit [511:0] data, input int bytes,
    input int last);
import "DPI-C" function void tandem_mem_beat(input longint cycle, input bit [511:0] data, input int first,
    input int last, input longint addr, input int length, input int xid);
import "DPI-C" function void tandem_ack_beat(input longint cycle, input bit [511:0] data, input int bytes,
    input int first, input int last, input int conn, input int path, input int sport, input int xid);

import "DPI-C" function int tandem_cycle(input longint cycle, input int seen, input longint mem_addr,
    input int mem_length, output bit [31:0] drive, output bit [31:0] reg_data, output bit [511:0] frame);

`endif
