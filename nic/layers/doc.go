// Package layers makes MetaRoCE packets known to gopacket and builds whole frames.
//
//	Ethernet [Dot1Q] IPv4|IPv6 UDP Base [extension headers] payload [padding] ICRC
//
// Every header is a layer (LayerTypeBase, LayerTypeMessage, ...) with DecodeFromBytes and SerializeTo. Importing the
// package registers LayerTypeBase for the default UDP destination port, so gopacket.NewPacket shows MetaRoCE without
// more; RegisterPort adds ports. Which header follows which depends on the opcode, so an extension layer points to its
// Base (field Of): decoders here set it.
//
// Frame builds frames without gopacket for those who need many: it allocates nothing but room in the slice given.
// Codec: model/wire. What a device does with a frame: docs/receive.md, section 2.
package layers
