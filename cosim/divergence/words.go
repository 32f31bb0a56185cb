package divergence

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
)

// commandBit marks the numbers of register commands.
const commandBit = 0x8000_0000

// wrongShown is how many wrong values are told in words; the table has all.
const wrongShown = 4

// why tells a divergence in sentences.
func why(d *lockstep.Divergence) []string {
	engine := engineOf(d.Kind)
	var s []string
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	switch d.What {
	case "differs":
		say("The first record that differs is %s in cycle %d. The %s before it are equal.", subject(d), d.Cycle, count(d.Seq, "record"))
		for i, f := range rootFirst(d) {
			if i == wrongShown {
				say("%s more differ.", count(uint64(len(d.Fields)-i), "value"))
				break
			}
			say("%s %s%s.", f.Field, bothValues(f), meaning(engine, f.Field))
		}
	case "late":
		say("The device owes %s, and by cycle %d it is too late: %s.", subject(d), d.Cycle, d.Why)
	case "missing":
		say("The device came to its end and still owes %s: %s.", subject(d), d.Why)
	case "hang":
		say("The device hangs at cycle %d: %s.", d.Cycle, d.Why)
	default:
		say("The device did what it may not do there: %s in cycle %d. %s.", subject(d), d.Cycle, d.Why)
	}
	if d.What == "differs" && d.Why != "" {
		say("%s.", d.Why)
	}
	if engine != nil && engine.Rule == d.Rule {
		say("%s is the rule of %s: %s.", d.Rule, engine.Name, engine.Text)
	} else if d.Rule != "" {
		say("The rule is %s.", d.Rule)
	}
	return s
}

// rootFirst lists the wrong values, the one that the others follow from first.
func rootFirst(d *lockstep.Divergence) []lockstep.FieldDiff {
	root, _, _ := strings.Cut(d.Root(), " ") // an outcome's name stands behind it
	list := slices.Clone(d.Fields)
	slices.SortStableFunc(list, func(a, b lockstep.FieldDiff) int {
		order := map[bool]int{true: 0, false: 1}
		return order[a.Field == root] - order[b.Field == root]
	})
	return list
}

// wideDigits is from where on a value is told by the bits that differ.
const wideDigits, bitsShown = 24, 4

// bothValues tells a value on both sides.
func bothValues(f lockstep.FieldDiff) string {
	device, ok1 := new(big.Int).SetString(strings.TrimPrefix(f.Device, "0x"), 16)
	model, ok2 := new(big.Int).SetString(strings.TrimPrefix(f.Model, "0x"), 16)
	if len(f.Device) < wideDigits || !ok1 || !ok2 {
		return fmt.Sprintf("is %s in the device and %s in the model", f.Device, f.Model)
	}
	var bits []string
	x := new(big.Int).Xor(device, model)
	for i := range x.BitLen() {
		if x.Bit(i) == 0 {
			continue
		}
		if len(bits) == bitsShown {
			bits = append(bits, "and more")
			break
		}
		bits = append(bits, fmt.Sprintf("bit %d is %d in the device and %d in the model", i, device.Bit(i), model.Bit(i)))
	}
	return "differs: " + strings.Join(bits, ", ")
}

// subject names the transaction.
func subject(d *lockstep.Divergence) string {
	if d.Kind == "" {
		return "a record"
	}
	s := d.Kind
	if engine := engineOf(d.Kind); engine != nil && len(engine.Ops) > 0 {
		s += " " + d.Op
	}
	switch {
	case d.Xid >= commandBit:
		s += fmt.Sprintf(" of command %d", d.Xid-commandBit)
	case d.Xid > 0:
		s += fmt.Sprintf(" of frame %d", d.Xid)
	}
	return s + fmt.Sprintf(" (connection %d, path %d)", d.Conn, d.Path)
}

func engineOf(name string) *event.EngineInfo {
	for i := range event.Engines {
		if event.Engines[i].Name == name {
			return &event.Engines[i]
		}
	}
	return nil
}

// meaning is what the tables say of a field.
func meaning(engine *event.EngineInfo, field string) string {
	lists := [][]event.FieldInfo{event.HeadFields}
	if engine != nil {
		lists = append(lists, engine.Fields)
	}
	for _, list := range lists {
		for i := range list {
			if f := &list[i]; f.FullName() == field && f.Text != "" {
				return " (" + f.Text + ")"
			}
		}
	}
	return ""
}

func count(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
