package expect

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Set is what must be seen.
type Set struct {
	Fates    []Fate // by frame: Fates[xid-1]
	Segments []Segment
	Hints    []Hint // that the registers held at some time: see Hints
}

// Hint is a rate hint with its generation.
type Hint struct {
	Value uint32
	Gen   uint8
}

// Fate is what became of a frame. Fields that its way did not reach are zero, Class is NoClass.
type Fate struct {
	Reason   event.Reason // drop reason; none: admitted
	Class    event.Class
	Syndrome wire.Syndrome // of key and receive
	Verdict  event.Verdict
	Write    bool // its payload was offered to memory, whole
	Failed   bool // and memory answered with an error
	Wrong    bool // what was offered is not its payload: never expected
	Addr     uint64
	Length   uint16
}

// NoClass is the class of a frame that no window saw.
const NoClass event.Class = 255

// Point is a settle: what the stimulus has handed over before it.
type Point struct {
	Frames   uint32
	Accesses uint32 // of registers
}

// Segment holds what comes between two settles.
type Segment struct {
	End         Point
	States      []State
	Completions []Completion
	Replies     []Reply
	Reads       []Read
	Dones       []Done
}

// Path names a path.
type Path struct {
	Conn  uint16
	Index uint8
}

// State is a path's window behind a packet, as an acknowledgement reports it.
type State struct {
	Path
	Xid  uint32 // of the packet; of the command that started the path, which no ACK has to report
	Peer uint32 // connection at the peer
	Ack  Report
}

// Report is the part of an acknowledgement that follows from the packets of its path.
type Report struct {
	Epoch             uint8
	Detour            bool
	Sport             uint16 // it leaves with
	HighValid         bool
	Cum, HighTsn      uint32
	EchoPsn, EchoTime uint32
	Packets, Ce, Dups uint32
	Bytes             uint64
	Vector            wire.Bitmap256
}

// Completion is a message that is complete.
type Completion struct {
	Xid uint32 // of the packet that completed it, or let it go
	event.CompletionIn
}

// Reply is a NAK or an answer.
type Reply struct {
	Path
	Xid   uint32 // of the packet that it is about
	Op    wire.Opcode
	Sport uint16
	Peer  uint32
	// Body is the header behind the base header. The completed msn of an answer to a query is that of the moment, so it
	// is zero here and stands in Completed.
	Body      [MaxBody]byte
	Completed uint32
}

// MaxBody is room for the longest header of a reply: an answer.
const MaxBody = wire.AnswerSize

// Read is a register value.
type Read struct {
	Addr  uint16
	Value uint32
}

// Done is a confirmed command.
type Done struct {
	Xid uint32
	Op  event.Command
}

// Ack is an acknowledgement that was seen.
type Ack struct {
	Path
	Peer        uint32
	Report      Report
	Held        uint32
	Hint        uint32
	HintGen     uint8
	NoticeValid bool
	Notice      Notice
	Frames      uint32 // that had entered before it left
}

// Notice says that all messages of a stream below Msn are complete.
type Notice struct {
	Stream uint16
	Msn    uint32
}

// CommandBit is set in the xids of commands alone: frames count from 1. Behind a write of CMD_SENT a command may have any
// number, CommandBit itself included, and one that another had before it.
const CommandBit = 0x80000000

// Counts is how much a set holds.
type Counts struct{ Fates, States, Completions, Replies, Reads, Dones int }

// Count counts.
func (s *Set) Count() Counts {
	c := Counts{Fates: len(s.Fates)}
	for i := range s.Segments {
		g := &s.Segments[i]
		c.States += len(g.States)
		c.Completions += len(g.Completions)
		c.Replies += len(g.Replies)
		c.Reads += len(g.Reads)
		c.Dones += len(g.Dones)
	}
	return c
}

// Events is the number of events that can be compared on a target that shows boundaries only.
func (c Counts) Events() int { return c.Fates + c.Completions + c.Replies + c.Reads + c.Dones }
