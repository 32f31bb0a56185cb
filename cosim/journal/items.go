package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"metaroce/tandem/vectors/stimulus"
)

// ItemBytes is the fixed part of an item; its data follows, filled with zeros to a multiple of 8.
// The C side is cosim/dpi/tandem_stim.c.
const ItemBytes = 40

// MaxFrame is the longest frame that can be driven: its length must fit a record.
const MaxFrame = 65535

// MaxFaults is the number of fault ranges that the bench holds at once.
const MaxFaults = 64

// ItemSize is the size of the encoded item.
func ItemSize(it *stimulus.Item) int { return ItemBytes + (len(it.Data)+7)/8*8 }

// AppendItem appends the encoded item.
func AppendItem(b []byte, it *stimulus.Item) []byte {
	le := binary.LittleEndian
	b = append(b, byte(it.Kind), byte(it.Port))
	b = le.AppendUint16(b, it.Addr)
	b = le.AppendUint32(b, it.Value)
	b = le.AppendUint32(b, it.Gap)
	b = le.AppendUint16(b, it.Permille)
	b = le.AppendUint16(b, it.Run)
	b = le.AppendUint64(b, it.Lo)
	b = le.AppendUint64(b, it.Hi)
	b = le.AppendUint32(b, uint32(len(it.Data)))
	b = le.AppendUint32(b, 0)
	b = append(b, it.Data...)
	for n := len(it.Data); n%8 != 0; n++ {
		b = append(b, 0)
	}
	return b
}

// DecodeItem reads the item at the front of b and returns its size. Data refers to b.
func DecodeItem(b []byte, it *stimulus.Item) (int, error) {
	if len(b) < ItemBytes {
		return 0, fmt.Errorf("stimulus cut short: %d bytes left, an item has at least %d", len(b), ItemBytes)
	}
	le := binary.LittleEndian
	n := le.Uint32(b[32:])
	*it = stimulus.Item{
		Kind: stimulus.Kind(b[0]), Port: stimulus.Port(b[1]), Addr: le.Uint16(b[2:]), Value: le.Uint32(b[4:]),
		Gap: le.Uint32(b[8:]), Permille: le.Uint16(b[12:]), Run: le.Uint16(b[14:]), Lo: le.Uint64(b[16:]), Hi: le.Uint64(b[24:]),
	}
	if n > MaxFrame {
		return 0, fmt.Errorf("stimulus item with %d bytes of data, at most %d can be", n, MaxFrame)
	}
	size := ItemBytes + (int(n)+7)/8*8
	if len(b) < size {
		return 0, fmt.Errorf("stimulus cut short: %d bytes left in an item of %d", len(b), size)
	}
	if n > 0 {
		it.Data = b[ItemBytes : ItemBytes+int(n) : ItemBytes+int(n)]
	}
	return size, nil
}

// DecodeItems reads a whole stimulus. Data refers to b.
func DecodeItems(b []byte) (stimulus.List, error) {
	var l stimulus.List
	for at := 0; at < len(b); {
		var it stimulus.Item
		n, err := DecodeItem(b[at:], &it)
		if err != nil {
			return l, fmt.Errorf("item %d at byte %d: %w", len(l), at, err)
		}
		l = append(l, it)
		at += n
	}
	return l, nil
}

// CheckItems says what the bench cannot do, all of it, before a run starts.
func CheckItems(l stimulus.List) error {
	var errs []error
	faults := 0
	for i := range l {
		it := &l[i]
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("stimulus item %d (%v): "+format, append([]any{i, it.Kind}, args...)...))
		}
		switch it.Kind {
		case stimulus.KindFrame:
			if len(it.Data) == 0 || len(it.Data) > MaxFrame {
				bad("%d bytes; 1 to %d can be driven", len(it.Data), MaxFrame)
			}
		case stimulus.KindWrite, stimulus.KindRead:
			if it.Addr >= 0x1000 { // 12 bits of address; where no register is, a multiple of 4 or not, is for the device to say
				bad("address %#x; below 0x1000 is possible", it.Addr)
			}
		case stimulus.KindFault:
			if faults++; it.Lo > it.Hi {
				faults = 0
			}
			if faults > MaxFaults {
				bad("more than %d ranges at once", MaxFaults)
			}
		case stimulus.KindLatency:
			if it.Lo > it.Hi || it.Hi > 1<<16 {
				bad("%d to %d cycles; want lo <= hi <= %d", it.Lo, it.Hi, 1<<16)
			}
		case stimulus.KindStall:
			if it.Port == stimulus.PortNone || it.Port > stimulus.PortRegister || it.Permille > 1000 {
				bad("port %v, %d permille", it.Port, it.Permille)
			}
		case stimulus.KindWaitCycles, stimulus.KindWaitIdle:
		default:
			bad("unknown kind")
		}
	}
	return errors.Join(errs...)
}
