package scenario

import (
	"slices"
	"strings"
)

// ruleIDs are the rules that a scenario may say it covers: those of docs/protocol.md, which a test holds this against.
var ruleIDs = []string{
	"R-ACK", "R-ACK-NOW", "R-ACKPORT", "R-ACKRECV", "R-ADMIT", "R-ARBITER", "R-ATOMIC-ONCE", "R-CC", "R-CHOICE",
	"R-CLOSE", "R-CMDDONE", "R-COALESCE", "R-COMPLETE", "R-COMPLETION", "R-CTIMER", "R-DETOUR", "R-DONE", "R-EPOCH",
	"R-EPOCH-CHANGE", "R-FATAL", "R-FLUSH", "R-FRAME", "R-GAP", "R-HINT", "R-HORIZON", "R-ICRC", "R-IDENTITY", "R-IDLE",
	"R-JOIN", "R-KEY", "R-LIFE", "R-MEMPORT", "R-MEMREAD", "R-MEMWRITE", "R-MESSAGE", "R-MSG-WINDOW", "R-NO-THIRD",
	"R-NOTICE", "R-OPEN", "R-ORDER", "R-PACE", "R-PKTIN", "R-PKTOUT", "R-PLACE", "R-PLANE", "R-PORT-RATE", "R-PROBE",
	"R-PSN-KINDS", "R-QUERY", "R-RECORD", "R-RECV", "R-REGISTER", "R-REMOVE", "R-REPLY-PORT", "R-RESPONSE", "R-RNR",
	"R-ROOM", "R-SCHED", "R-SELF-PLACING", "R-SERIAL", "R-SHARE", "R-SLOT", "R-TIMER", "R-TURN", "R-VISIBLE", "R-WALK", "R-WINDOW",
	"R-XMIT",
}

// nearRules names the rules that a mistyped one may have meant, or one to show the form.
func nearRules(typed string) string {
	var near []string
	for _, r := range ruleIDs {
		if distance(r, typed) <= 2 {
			near = append(near, r)
		}
	}
	if near == nil {
		return "R-WINDOW"
	}
	return strings.Join(near, ", ")
}

// IsRule says whether a rule is one of docs/protocol.md.
func IsRule(id string) bool { return slices.Contains(ruleIDs, id) }
