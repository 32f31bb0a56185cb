package main

import "math/big"

// crcPoly is CRC-32 of IEEE 802.3, reflected: the bit that is sent first is bit 0.
const crcPoly = 0xedb88320

// crcStep moves the register by n data bits, bit 0 of data first.
func crcStep(state uint32, data *big.Int, n int) uint32 {
	for i := range n {
		fb := state&1 ^ uint32(data.Bit(i))
		state >>= 1
		if fb != 0 {
			state ^= crcPoly
		}
	}
	return state
}

// crcMasks gives, for each bit of the next register, which bits of {data, state} it is the parity of. The register is
// linear in both, so one pass over the unit vectors finds them.
func crcMasks(n int) [32]*big.Int {
	var masks [32]*big.Int
	for i := range masks {
		masks[i] = new(big.Int)
	}
	note := func(next uint32, from int) {
		for i := range masks {
			if next>>i&1 != 0 {
				masks[i].SetBit(masks[i], from, 1)
			}
		}
	}
	zero := new(big.Int)
	for b := range 32 {
		note(crcStep(1<<b, zero, n), b)
	}
	for b := range n {
		note(crcStep(0, new(big.Int).SetBit(zero, b, 1), n), 32+b)
		zero = new(big.Int)
	}
	return masks
}

// crcGood is the register after a message and its own CRC, before the final inversion.
const crcGood = 0xdebb20e3

// crcResidue is the register k zero words of 32 bits later.
func crcResidue(k int) uint32 { return crcStep(crcGood, new(big.Int), 32*k) }
