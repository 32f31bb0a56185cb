package message_test

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// twin is a stream's message table as maps: what each attempt of each message has, with nothing reused. Serial
// numbers do not wrap in it. The slots are only in newest: which message a slot serves.
type twin struct {
	slots    int64
	open     bool
	err      wire.Syndrome
	errMsn   int64
	errTry   uint8
	arrived  map[try]int64
	form     map[try]form
	refused  map[try]bool
	attempts map[int64]uint8 // newest attempt of a message
	newest   map[int64]int64 // slot -> message
	fresh    bool            // the last packet made its entry
}

type try struct {
	msn     int64
	attempt uint8
}

type form struct {
	opcode wire.Opcode
	length uint32
}

func newTwin(slots int64) *twin {
	return &twin{
		slots: slots, open: true, arrived: map[try]int64{}, form: map[try]form{}, refused: map[try]bool{},
		attempts: map[int64]uint8{}, newest: map[int64]int64{},
	}
}

func (w *twin) packet(msn int64, in *event.MessageIn) event.Verdict {
	serves, used := w.newest[msn%w.slots]
	current, begun := w.attempts[msn]
	begun = begun && used && serves == msn
	age := (in.Attempt - current) & 15
	t := try{msn, in.Attempt}
	cont := begun && age == 0
	w.fresh = !cont
	switch {
	case !w.open:
		return event.VerdictClosed
	case w.err != wire.SyndromeNone:
		return event.VerdictStreamError
	case in.Old || used && serves > msn:
		return event.VerdictOldMessage
	case begun && age >= 8:
		return event.VerdictOldAttempt
	case cont && w.refused[t]:
		return event.VerdictRefusedBefore
	}
	syndrome := w.judge(t, cont, in)
	switch syndrome {
	case wire.SyndromeNone, wire.SyndromeRnr:
		if !cont { // a new entry, or a newer attempt in its place
			delete(w.arrived, t)
			delete(w.refused, t)
		}
		w.newest[msn%w.slots], w.attempts[msn] = msn, in.Attempt
		w.form[t] = form{in.Opcode, in.Length}
		if syndrome == wire.SyndromeRnr {
			w.refused[t] = true
			return event.VerdictRefusedNow
		}
		w.arrived[t] += int64(in.PayloadLen)
		return event.VerdictPlace
	}
	w.err, w.errMsn, w.errTry = syndrome, msn, in.Attempt
	return event.VerdictFatalNow
}

func (w *twin) judge(t try, cont bool, in *event.MessageIn) wire.Syndrome {
	if in.Opcode == wire.OpcodeReadRequest || in.Opcode == wire.OpcodeAtomicRequest {
		return wire.SyndromeUnsupported
	}
	have := int64(0)
	if cont {
		have = w.arrived[t]
		if w.form[t] != (form{in.Opcode, in.Length}) || in.Length == 0 {
			return wire.SyndromeMalformed
		}
	}
	if int64(in.Offset)+int64(in.PayloadLen) > int64(in.Length) || have+int64(in.PayloadLen) > int64(in.Length) {
		return wire.SyndromeMalformed
	}
	return in.SyndromeIn
}
