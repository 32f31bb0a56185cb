package main

import (
	"fmt"

	"metaroce/tandem/model/spec"
)

// luaType is the ProtoField of a header field: constructor, display base.
func luaType(f *spec.Field) (ctor, base string) {
	switch {
	case f.Width == 1 && f.Enum == "":
		return "bool", ""
	case f.Width > 64:
		return "bytes", ""
	}
	ctor = map[string]string{"uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64"}[unsigned(f.Width)]
	switch {
	case f.Name == "addr" || f.Name == "local_addr" || f.Name == "rkey" || f.Name == "local_key" || f.Name == "dst_conn" || f.Name == "src_conn":
		return ctor, "base.HEX"
	}
	return ctor, "base.DEC"
}

// genLua writes the Wireshark dissector.
func genLua(s *spec.Spec) []output {
	var w source
	w.f("-- %s", marker)
	w.f("%s", luaHead)
	w.f("local DEFAULT_PORT = %d\nlocal VERSION = %d\nlocal WINDOW_BITS = %d\n", s.Const("udp_port"), s.Const("version"), s.Const("window_bits"))
	for _, e := range s.Enums {
		if !e.Wire {
			continue
		}
		w.f("local enum_%s = {", e.Name)
		for _, v := range e.Values {
			w.f("  [%d] = %q,", v.Number, v.Name)
		}
		w.f("}\n")
	}
	w.f("-- Fields by header, in wire order: name, first bit, bits, ProtoField. Reserved bits have none.")
	w.f("local headers = {}")
	for _, h := range s.Headers {
		w.f("headers.%s = { size = %d, text = %q, fields = {", h.Name, h.Bytes, h.Text)
		for i := range h.Fields {
			f := &h.Fields[i]
			if f.Reserved {
				continue
			}
			ctor, base := luaType(f)
			args := fmt.Sprintf("%q, %q", "metaroce."+h.Name+"."+f.Name, f.Name)
			if ctor == "bool" || ctor == "bytes" {
				args += ", base.NONE"
				if ctor == "bool" {
					args = fmt.Sprintf("%q, %q", "metaroce."+h.Name+"."+f.Name, f.Name)
				}
			} else {
				args += ", " + base
				if f.Enum != "" {
					args += ", enum_" + f.Enum
				}
			}
			w.f("  { %q, %d, %d, ProtoField.%s(%s) }, -- %s", f.Name, f.Offset, f.Width, ctor, args, f.Text)
		}
		w.f("} }")
	}
	w.f("\n-- Packet kinds by opcode: name, headers behind base, payload allowed, psn taken.")
	w.f("local kinds = {")
	for i := range s.Packets {
		p := &s.Packets[i]
		list := ""
		for _, h := range p.Headers[1:] {
			list += fmt.Sprintf("%q, ", h)
		}
		w.f("  [0x%02x] = { name = %q, headers = { %s}, payload = %v, psn = %v },", p.Number, p.Name, list, p.Payload, p.Psn == "yes")
	}
	w.f("}\n%s", luaBody)
	return []output{{"docs/dissector/metaroce.lua", []byte(w.String())}}
}

const luaHead = `--
-- Wireshark and tshark dissector of the MetaRoCE working format. Use:
--   tshark -X lua_script:metaroce.lua -r FILE.pcapng
--   wireshark -X lua_script:metaroce.lua FILE.pcapng
-- A packet is ours by its UDP destination port (the source port is the path's entropy and says nothing).
local proto = Proto("metaroce", "MetaRoCE working format")
`

const luaBody = `
local f_payload = ProtoField.bytes("metaroce.payload", "payload", base.NONE)
local f_padding = ProtoField.bytes("metaroce.padding", "padding", base.NONE)
local f_icrc = ProtoField.uint32("metaroce.icrc", "ICRC", base.HEX)
local f_icrc_ok = ProtoField.bool("metaroce.icrc.ok", "ICRC is right")
local f_received = ProtoField.string("metaroce.ack.received", "received beyond cum")
local f_missing = ProtoField.string("metaroce.ack.missing", "missing")
local f_missing_count = ProtoField.uint32("metaroce.ack.missing_count", "missing packets", base.DEC)
local e_short = ProtoExpert.new("metaroce.short", "cut short", expert.group.MALFORMED, expert.severity.ERROR)
local e_icrc = ProtoExpert.new("metaroce.icrc.bad", "ICRC is wrong", expert.group.CHECKSUM, expert.severity.ERROR)
local e_version = ProtoExpert.new("metaroce.version.other", "another wire version", expert.group.PROTOCOL, expert.severity.WARN)
local e_opcode = ProtoExpert.new("metaroce.opcode.unknown", "unknown opcode", expert.group.PROTOCOL, expert.severity.WARN)
local e_gap = ProtoExpert.new("metaroce.ack.gap", "the vector shows a gap", expert.group.SEQUENCE, expert.severity.NOTE)

do
  local all = { f_payload, f_padding, f_icrc, f_icrc_ok, f_received, f_missing, f_missing_count }
  for _, header in pairs(headers) do
    for _, field in ipairs(header.fields) do all[#all + 1] = field[4] end
  end
  proto.fields = all
  proto.experts = { e_short, e_icrc, e_version, e_opcode, e_gap }
end
proto.prefs.port = Pref.uint("UDP destination port", DEFAULT_PORT, "port that the receiving side listens on")

-- CRC-32 (IEEE 802.3). The bit library has another name in other versions of Lua; without one nothing is said.
local bitlib = rawget(_G, "bit") or rawget(_G, "bit32")
local crc_table
if bitlib then
  crc_table = {}
  for i = 0, 255 do
    local c = i
    for _ = 1, 8 do
      local low = c % 2
      c = bitlib.rshift(c, 1)
      if low == 1 then c = bitlib.bxor(c, 0xedb88320) end
    end
    crc_table[i] = c
  end
end

local function crc32(bytes)
  local c = 0xffffffff
  for i = 0, bytes:len() - 1 do
    local index = bitlib.band(bitlib.bxor(c, bytes:get_index(i)), 0xff)
    c = bitlib.bxor(bitlib.rshift(c, 8), crc_table[index])
  end
  return bitlib.bxor(c, 0xffffffff) % 4294967296
end

-- Adds one header to the tree and returns its small values by name.
local function add_header(name, tvb, at, tree)
  local header = headers[name]
  local values = {}
  local branch = tree:add(tvb(at, header.size), name .. ": " .. header.text)
  for _, field in ipairs(header.fields) do
    local first, width = field[2], field[3]
    local byte, last = math.floor(first / 8), math.floor((first + width - 1) / 8)
    local range = tvb(at + byte, last - byte + 1)
    if width > 64 then
      branch:add(field[4], range)
    elseif width > 32 then
      branch:add(field[4], range, range:uint64())
    else
      local value = range:bitfield(first % 8, width)
      values[field[1]] = value
      if width == 1 then value = value == 1 end
      branch:add(field[4], range, value)
    end
  end
  return values, branch
end

-- Turns {first, last} runs of psn into text; psn are modulo 2^32.
local function runs_text(runs)
  local out = {}
  for _, run in ipairs(runs) do
    local first, last = run[1] % 4294967296, run[2] % 4294967296
    out[#out + 1] = first == last and string.format("%u", first) or string.format("%u-%u", first, last)
  end
  return table.concat(out, ",")
end

-- What the vector says: bit i stands for psn cum + i, most significant bit first on the wire. Below the highest bit
-- set, each zero is a packet that is missing (evidence of loss within one epoch).
local function add_gaps(tvb, at, cum, branch)
  local range = tvb(at + 16, WINDOW_BITS / 8)
  local received, missing, count, highest = {}, {}, 0, -1
  local set = {}
  for i = 0, WINDOW_BITS - 1 do
    set[i] = range(math.floor((WINDOW_BITS - 1 - i) / 8), 1):bitfield(7 - i % 8, 1) == 1
    if set[i] then highest = i end
  end
  local function extend(runs, psn)
    local run = runs[#runs]
    if run and run[2] + 1 == psn then run[2] = psn else runs[#runs + 1] = { psn, psn } end
  end
  for i = 0, highest do
    if set[i] then
      extend(received, cum + i)
    else
      extend(missing, cum + i)
      count = count + 1
    end
  end
  branch:add(f_received, range, runs_text(received)):set_generated()
  branch:add(f_missing, range, runs_text(missing)):set_generated()
  branch:add(f_missing_count, range, count):set_generated()
  if count > 0 then branch:add_proto_expert_info(e_gap, count .. " missing: " .. runs_text(missing)) end
end

local function add_tail(tvb, at, pad, tree)
  local stop = tvb:len() - 4
  if stop - pad > at then tree:add(f_payload, tvb(at, stop - pad - at)) end
  if pad > 0 then tree:add(f_padding, tvb(stop - pad, pad)) end
  local item = tree:add_le(f_icrc, tvb(stop, 4))
  if bitlib then
    local good = crc32(tvb(0, stop):bytes()) == tvb(stop, 4):le_uint()
    tree:add(f_icrc_ok, tvb(stop, 4), good):set_generated()
    if not good then item:add_proto_expert_info(e_icrc) end
  end
end

function proto.dissector(tvb, pinfo, root)
  if pinfo.dst_port ~= proto.prefs.port then return 0 end
  pinfo.cols.protocol = "MetaRoCE"
  local tree = root:add(proto, tvb())
  if tvb:len() < headers.base.size + 4 then
    tree:add_proto_expert_info(e_short, "no room for base header and ICRC")
    pinfo.cols.info = "cut short"
    return tvb:len()
  end
  local base = add_header("base", tvb, 0, tree)
  if base.version ~= VERSION then tree:add_proto_expert_info(e_version) end
  local kind = kinds[base.opcode]
  local info = string.format("%s path=%d", kind and kind.name or "opcode " .. base.opcode, base.path)
  local at = headers.base.size
  local room = tvb:len() - 4 - base.pad
  if not kind then
    tree:add_proto_expert_info(e_opcode)
  else
    if kind.psn then info = info .. string.format(" psn=%u tsn=%u", base.psn, base.tsn) end
    for _, name in ipairs(kind.headers) do
      if at + headers[name].size > room then
        tree:add_proto_expert_info(e_short, "cut short in header " .. name)
        pinfo.cols.info = info .. " [cut short]"
        return tvb:len()
      end
      local values, branch = add_header(name, tvb, at, tree)
      if name == "ack" then
        add_gaps(tvb, at, values.cum, branch)
        info = info .. string.format(" cum=%u", values.cum)
      elseif values.stream and values.msn then
        info = info .. string.format(" stream=%d msn=%u", values.stream, values.msn)
      end
      at = at + headers[name].size
    end
  end
  if room < at then
    tree:add_proto_expert_info(e_short, "padding longer than what is left")
  else
    add_tail(tvb, at, base.pad, tree)
  end
  pinfo.cols.info = info
  return tvb:len()
end

local table_udp = DissectorTable.get("udp.port")
local registered = DEFAULT_PORT
table_udp:add(registered, proto)
function proto.prefs_changed()
  if registered == proto.prefs.port then return end
  table_udp:remove(registered, proto)
  registered = proto.prefs.port
  table_udp:add(registered, proto)
end`
