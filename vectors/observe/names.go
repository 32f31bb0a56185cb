package observe

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// CountText tells what each count is. Names with a family behind a dot are in CountFamilies.
var CountText = map[string]string{
	"frames": "frames that reached the device", "admitted": "frames let in", "drops": "frames dropped", "commands": "commands that entered the pipeline",
	"confirmed": "commands confirmed", "gaps": "packets that showed a gap", "fills": "packets that filled one", "ack_now": "window steps that ask for an ACK at once",
	"naks": "refusals", "queries": "status queries", "faults": "failed writes that reached the message table", "writes": "writes at the memory port",
	"writes.failed": "of these answered with an error", "bytes": "bytes that memory took", "done": "messages whose bytes are all in",
	"released": "completions released", "runs": "of these that waited for an earlier message", "completions": "completions that left",
	"pushed": "paths put into the request queue", "merged": "wishes for an ACK at once that joined a waiting one", "armed": "timers started",
	"timers": "timers that fired", "timers.pushed": "of these that led to an ACK", "notices": "completion notices that left", "notices.stale": "completion notices thrown away: their stream was closed or opened again", "reads": "registers read",
	"replies": "packets that left", "acks": "of these ACKs", "nak_replies": "of these NAKs", "answers": "of these answers",
}

// CountFamilies gives the members of counts with a dot.
func CountFamilies() map[string][]string {
	f := map[string][]string{}
	for r := event.ReasonNone + 1; r <= event.ReasonOverrun; r++ {
		f["drops"] = append(f["drops"], r.String())
	}
	for c := event.ClassTooNew; c <= event.ClassSet; c++ {
		f["class"] = append(f["class"], c.String())
	}
	for v := event.VerdictNone; v <= event.VerdictFatalNow; v++ {
		f["verdict"] = append(f["verdict"], v.String())
	}
	for s := wire.SyndromeNone; s <= wire.SyndromeRemoteOp; s++ {
		for _, family := range []string{"naks", "key", "recv", "nak_replies"} {
			f[family] = append(f[family], s.String())
		}
	}
	for op := range wire.Kinds {
		if wire.Kinds[op].CarriesMessage {
			f["completions"] = append(f["completions"], wire.Opcode(op).String())
		}
	}
	for _, o := range event.Info(event.KindAck).Ops {
		f["built"] = append(f["built"], o.Name)
	}
	return f
}
