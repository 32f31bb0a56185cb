package pathtimer

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// States of a path.
const (
	Active  uint8 = 0
	Suspect uint8 = 1
	Failed  uint8 = 2
)

const (
	countMax  = 15 // expired and probes saturate in their 4 bits
	epochMask = 15
)

// Step executes one transaction: row becomes the state after it, out what was decided.
func Step(cfg *preset.Tuning, row *event.PathTimerPath, op uint8, in *event.PathTimerIn, out *event.PathTimerOut) {
	*out = event.PathTimerOut{}
	switch op {
	case event.PathTimerStart:
		*row = event.PathTimerPath{Sport: in.Port, Plane: in.Plane, Known: true}
	case event.PathTimerArm:
		if !row.Armed {
			arm(row, in.Now+Timeout(cfg, in))
		}
	case event.PathTimerAlive:
		row.Known = true
		revive(row, in, out)
	case event.PathTimerAnswer:
		answer(row, in, out)
	case event.PathTimerMove:
		move(cfg, row, in, out)
	default:
		due(cfg, row, in, out)
	}
}

func due(cfg *preset.Tuning, row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	switch row.State {
	case Active:
		dueActive(cfg, row, in, out)
	case Suspect:
		if uint32(row.Probes) < cfg.SuspectProbes {
			probe(row, row.Sport, row.Plane, row.Epoch, out)
			arm(row, in.Now+Timeout(cfg, in))
			return
		}
		row.State, out.Failed = Failed, true
		dueFailed(cfg, row, in, out)
	default:
		dueFailed(cfg, row, in, out)
	}
}

// dueActive looks whether the oldest transmission of live is overdue. Behind an expiry the deadline itself is the next
// one: the oldest was sent again then, and those behind it are as old as before.
func dueActive(cfg *preset.Tuning, row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	rto := Timeout(cfg, in)
	moving := row.Probes > 0
	if moving {
		moving = again(cfg, row, in, out)
	}
	switch at := in.Oldest + rto; {
	case in.Idle:
		row.Armed, row.Expired = false, 0
	case row.Expired == 0 && wire.Less(in.Now, at):
		arm(row, at)
	default:
		expire(cfg, row, in, out)
		return
	}
	if moving && (!row.Armed || wire.Less(in.Now+rto, row.Deadline)) {
		arm(row, in.Now+rto)
	}
}

// again repeats the proposal of a move that is not answered, with another port, and gives it up in the end.
func again(cfg *preset.Tuning, row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) bool {
	if uint32(row.Probes) >= cfg.MoveProbes {
		row.Probes = 0
		return false
	}
	probe(row, in.Port, row.ToPlane, next(row), out)
	return true
}

// expire counts a timeout. The last active path stays what it is: with no other to send by, being suspect would only
// stop the connection.
func expire(cfg *preset.Tuning, row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	rto := Timeout(cfg, in)
	row.Expired = min(countMax, row.Expired+1)
	out.Timeout = true
	if uint32(row.Expired) < cfg.SuspectAfter || in.LastActive {
		out.Resend = true
		arm(row, in.Now+backedOff(cfg, row, rto))
		return
	}
	row.State, row.Probes, out.Suspect = Suspect, 0, true
	probe(row, row.Sport, row.Plane, row.Epoch, out)
	arm(row, in.Now+rto)
}

// dueFailed proposes another port. A proposal that is not answered changes the port of the next one, not its epoch.
func dueFailed(cfg *preset.Tuning, row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	probe(row, in.Port, in.Plane, next(row), out)
	probes := uint32(row.Probes)
	arm(row, in.Now+interval(cfg, probes-min(probes, cfg.SuspectProbes), in.Base))
}

// next is the epoch to propose. A receiver moves by the first packet of the epoch behind its own and takes any other for
// old: if nothing shows that it knows this epoch, the next one could be two ahead of it, and its path would never give
// order evidence again. So this one goes on, by another port. That is sound since tsn runs on, too: what the old port
// still delivers is below all that the new one carries.
func next(row *event.PathTimerPath) uint8 {
	if row.Known {
		return (row.Epoch + 1) & epochMask
	}
	return row.Epoch
}

// move asks an active path to another port or plane; it goes on sending meanwhile. While packets of the epoch before are
// not settled there is no next epoch (R-EPOCH-CHANGE).
func move(cfg *preset.Tuning, row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	if row.State != Active || row.Probes > 0 || in.Old || !row.Known {
		out.Refused = true
		return
	}
	probe(row, in.Port, in.Plane, next(row), out)
	if at := in.Now + Timeout(cfg, in); !row.Armed || wire.Less(at, row.Deadline) {
		arm(row, at)
	}
}

// answer takes the answer to any probe that is still open: behind a queue it may come when the next one has left. It
// carries the port that it asked for, and it came by the plane that it asked about.
func answer(row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	fresh := row.Txn-in.Txn < row.Probes
	switch {
	case fresh && in.NewEpoch == row.Epoch && in.Port == row.Sport: // asked by the port it has
		revive(row, in, out)
	case fresh && in.NewEpoch == next(row) && !in.Old:
		out.Changed = true
		row.Known = false
		row.Sport, row.Plane, row.Epoch = in.Port, in.Plane, in.NewEpoch
		row.Probes = 0
		revive(row, in, out)
	default:
		out.Refused = true
	}
}

// revive ends a series of timeouts. The deadline was that of the series; the next look is at once, by the oldest
// transmission again.
func revive(row *event.PathTimerPath, in *event.PathTimerIn, out *event.PathTimerOut) {
	if row.State != Active {
		row.State, row.Probes, out.Active = Active, 0, true
	} else if row.Expired == 0 {
		return
	}
	row.Expired = 0
	arm(row, in.Now)
}

func probe(row *event.PathTimerPath, port uint16, plane, epoch uint8, out *event.PathTimerOut) {
	row.Txn++
	row.Probes = min(countMax, row.Probes+1)
	row.Proposed, row.ToPlane = port, plane
	out.SendProbe, out.NewEpoch = true, epoch
}

func arm(row *event.PathTimerPath, at uint32) { row.Armed, row.Deadline = true, at }
