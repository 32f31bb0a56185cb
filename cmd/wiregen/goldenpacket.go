package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"

	"metaroce/tandem/model/spec"
)

// goldenPacketBytes is the room for a UDP payload in packets.mem.
const goldenPacketBytes = 256

// packetMembers are the fields of all headers of a packet.
func packetMembers(s *spec.Spec, p *spec.Packet) []member {
	var out []member
	for _, name := range p.Headers {
		out = append(out, headerMembers(s.Header(name), name+".")...)
	}
	return out
}

// goldenPackets writes whole UDP payloads of every kind: headers, payload, padding, ICRC.
func goldenPackets(s *spec.Spec) []output {
	var text, mem source
	textHead(&text, "packet NAME CASE, the fields of its headers, its payload ('-': none), its UDP payload with padding and ICRC")
	memHead(&mem, "length in bytes (16 bits), then the UDP payload with its first byte lowest")
	for i := range s.Packets {
		p := &s.Packets[i]
		members := packetMembers(s, p)
		sizes := seedOf("payload of " + p.Name)
		for n, c := range cases("packet "+p.Name, members) {
			if strings.HasPrefix(c.name, "only_") {
				continue // headers.txt has those
			}
			var payload []byte
			if p.Payload {
				size := [...]int{4, 1, 2, 3, 0, 64, 63, 65, 100}[n%9]
				for range size {
					payload = append(payload, byte(sizes.next()))
				}
			}
			udp := goldenUDP(s, p, members, c, payload)
			text.f("packet %s %s", p.Name, c.name)
			for j, m := range members {
				if !m.reserved {
					text.f("  %s %x", m.name, c.values[j])
				}
			}
			if len(payload) == 0 {
				text.f("  payload -")
			} else {
				text.f("  payload %x", payload)
			}
			text.f("  udp %x", udp)
			mem.f("%04x_%s", len(udp), lowestFirst(udp, goldenPacketBytes))
		}
	}
	return []output{{goldenDir + "packets.txt", []byte(text.String())}, {goldenDir + "mem/packets.mem", []byte(mem.String())}}
}

// goldenUDP sets version, opcode and pad as they must be and lays the packet out.
func goldenUDP(s *spec.Spec, p *spec.Packet, members []member, c testCase, payload []byte) []byte {
	pad := -len(payload) & 3
	for j, m := range members {
		switch m.name {
		case "base.version":
			c.values[j] = big.NewInt(s.Const("version"))
		case "base.opcode":
			c.values[j] = new(big.Int).SetUint64(p.Number)
		case "base.pad":
			c.values[j] = big.NewInt(int64(pad))
		}
	}
	b := append(pack(members, c.values), payload...)
	b = append(b, make([]byte, pad)...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// lowestFirst is b as the hex digits of a vector of n bytes whose lowest byte is b[0].
func lowestFirst(b []byte, n int) string {
	var out strings.Builder
	for i := n - 1; i >= 0; i-- {
		v := byte(0)
		if i < len(b) {
			v = b[i]
		}
		fmt.Fprintf(&out, "%02x", v)
	}
	return out.String()
}

// goldenKinds is the table of opcodes as the RTL functions give it.
func goldenKinds(s *spec.Spec) output {
	var w source
	memHead(&w, "for each opcode from 0: known, header bytes (8 bits), payload, psn, tsn, receiver, has_stream, carries_message")
	for op := range 256 {
		line := "0_00_0_0_0_0_0_0"
		for i := range s.Packets {
			p := &s.Packets[i]
			if p.Number == uint64(op) {
				line = fmt.Sprintf("1_%02x_%d_%d_%d_%d_%d_%d", s.HeaderBytes(p), b2i(p.Payload), b2i(p.Psn == "yes"), b2i(p.Psn != "no"),
					b2i(p.Side != "sender"), b2i(s.HasStream(p)), b2i(p.HasHeader("message")))
			}
		}
		w.f("%s", line)
	}
	return output{goldenDir + "mem/kinds.mem", []byte(w.String())}
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// argRegs are the registers that commands take arguments from, in the order of their offsets.
func argRegs(s *spec.Spec) []*spec.Reg {
	taken := map[string]bool{}
	for _, c := range s.Commands {
		for _, a := range c.Args {
			taken[a.Reg] = true
		}
	}
	var out []*spec.Reg
	for i := range s.Regs {
		if taken[s.Regs[i].Name] {
			out = append(out, &s.Regs[i])
		}
	}
	return out
}

// goldenCommands says which descriptor each command makes.
func goldenCommands(s *spec.Spec) output {
	var w source
	regs := argRegs(s)
	desc := s.Struct("desc")
	memHead(&w, "op (4 bits), xid (32), argument registers (first lowest), descriptor (first field lowest, whole hex digits)")
	for i := range s.Commands {
		c := &s.Commands[i]
		r := seedOf("command " + c.Name)
		for range 4 {
			values := map[string]uint64{}
			args := new(big.Int)
			for k, reg := range regs {
				values[reg.Name] = r.next() & 0xffffffff
				args.Or(args, new(big.Int).Lsh(new(big.Int).SetUint64(values[reg.Name]), uint(32*k)))
			}
			xid := r.next() & 0xffffffff
			d := goldenDesc(desc, c, values, xid)
			w.f("%x_%08x_%s_%s", c.Number, xid, nibbles(args, 32*len(regs)), nibbles(d, sumWidth(desc.Fields)))
		}
	}
	return output{goldenDir + "mem/commands.mem", []byte(w.String())}
}

func goldenDesc(desc *spec.Struct, c *spec.Command, regs map[string]uint64, xid uint64) *big.Int {
	d := new(big.Int)
	put := func(field string, low int, v uint64) {
		lsb := low
		for _, f := range desc.Fields {
			if f.Name == field {
				break
			}
			lsb += f.Width
		}
		d.Or(d, new(big.Int).Lsh(new(big.Int).SetUint64(v), uint(lsb)))
	}
	put("op", 0, c.Number)
	put("xid", 0, xid)
	for _, a := range c.Args {
		put(a.Desc, a.DescLo, regs[a.Reg]>>a.RegLo&(1<<(a.RegHi-a.RegLo+1)-1))
	}
	return d
}
