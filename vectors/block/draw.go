package block

import "metaroce/tandem/model/sim"

// draw gives random values that sit on edges far more often than even ones would.
type draw struct{ sim.Random }

func (d *draw) flip() bool { return d.Below(2) == 0 }

// rarely is true in one of n draws.
func (d *draw) rarely(n uint64) bool { return d.Below(n) == 0 }

// of picks one of the values.
func of[T any](d *draw, values ...T) T { return values[d.Below(uint64(len(values)))] }

// u64 is a corner of width bits, or any value of them.
func (d *draw) u64(width int) uint64 {
	top := uint64(1)<<(width-1)<<1 - 1 // also for width 64
	half := uint64(1) << (width - 1)
	if d.flip() {
		return d.Uint64() & top
	}
	return of(d, 0, 1, 2, top, top-1, half, half-1, half+1) & top
}

// sparse has about a quarter of its bits set.
func (d *draw) sparse() uint64 {
	a := d.Uint64()
	return a & d.Uint64()
}

func (d *draw) u32() uint32          { return uint32(d.u64(32)) }
func (d *draw) u16() uint16          { return uint16(d.u64(16)) }
func (d *draw) u8() uint8            { return uint8(d.u64(8)) }
func (d *draw) bits(width int) uint8 { return uint8(d.u64(width)) }
func (d *draw) serial() uint32 {
	return of(d, 0, 1, 1<<32-1, 1<<32-2, 1<<31, 1<<31-1, uint32(d.Uint64()))
}
func (d *draw) small(n uint64) uint32 { return uint32(d.Below(n)) }

// near is x, or something that differs from it by little or by a bit; width bits.
func (d *draw) near(x uint64, width int) uint64 {
	top := uint64(1)<<(width-1)<<1 - 1
	switch d.Below(8) {
	case 0:
		return (x + 1) & top
	case 1:
		return (x - 1) & top
	case 2:
		return (x ^ 1<<d.Below(uint64(width))) & top
	case 3:
		return d.Uint64() & top
	default:
		return x
	}
}

func (d *draw) near32(x uint32) uint32 { return uint32(d.near(uint64(x), 32)) }
func (d *draw) near16(x uint16) uint16 { return uint16(d.near(uint64(x), 16)) }
func (d *draw) near8(x uint8) uint8    { return uint8(d.near(uint64(x), 8)) }

// opcode is one of those that carry messages, or any other.
func (d *draw) opcode() uint8 {
	if d.rarely(6) {
		return d.u8()
	}
	return of[uint8](d, 0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x10, 0x13)
}
