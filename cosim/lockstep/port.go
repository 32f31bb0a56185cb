package lockstep

import "metaroce/tandem/model/event"

// portFaults are what the bench finds wrong with the beats of a write or packet, by the number that it puts into op of
// their record, where the model has 0 (enum port_fault of cosim/dpi/tandem_record.c; docs/memory-port.md).
var portFaults = []string{
	"",
	"first and last do not fit: a beat inside is first, or the first one is not",
	"what stands beside every beat changed within: address, length or xid; connection, path, source port or xid",
	"the beats do not fit the length: one that is not the last is not full, or the last is empty or ends early",
	"bytes behind the end are not zero",
}

// portFault gives rule and cause of a record whose beats were wrong.
func portFault(h *event.Head) (rule, why string) {
	switch h.Kind {
	case event.KindMemWrite:
		rule = "R-MEMPORT"
	case event.KindPacketOut:
		rule = "R-ACKPORT"
	}
	if rule == "" || h.Op == 0 || int(h.Op) >= len(portFaults) {
		return "", ""
	}
	return rule, portFaults[h.Op]
}
