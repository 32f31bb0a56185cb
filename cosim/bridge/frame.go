package bridge

import (
	"encoding/binary"
	"fmt"
)

// Protocol is the version of the frames and messages.
const Protocol = 1

// headerBytes: 0 magic, 4 type, 5 flags, 6 zero, 8 length of what follows, 12 acknowledgement: device to host the
// stimulus bytes used so far, host to device the transactions taken so far, both modulo 2^32.
const headerBytes = 16

// maxMessage bounds what is taken from the device: 1,024 whole transactions.
const maxMessage = 1024 * 256

var magic = [4]byte{'T', 'D', 'M', '1'}

type messageType uint8

const (
	msgHello        messageType = 1
	msgRecords      messageType = 2
	msgAlive        messageType = 3
	msgRing         messageType = 4
	msgTerminate    messageType = 5
	msgFail         messageType = 6
	msgWelcome      messageType = 16
	msgStimulus     messageType = 17
	msgCredit       messageType = 18
	msgFetch        messageType = 19
	msgTerminateAck messageType = 20
	msgStop         messageType = 21
)

const flagLast = 1

type header struct {
	kind   messageType
	flags  uint8
	length uint32
	ack    uint32
}

func (h header) put(b []byte) {
	copy(b, magic[:])
	b[4], b[5], b[6], b[7] = byte(h.kind), h.flags, 0, 0
	binary.LittleEndian.PutUint32(b[8:], h.length)
	binary.LittleEndian.PutUint32(b[12:], h.ack)
}

// parseHeader refuses whatever a device cannot have sent.
func parseHeader(b []byte) (header, error) {
	if [4]byte(b[:4]) != magic || b[6] != 0 || b[7] != 0 {
		return header{}, fmt.Errorf("garbage on the socket: bytes % x where a message should start", b[:8])
	}
	h := header{messageType(b[4]), b[5], binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])}
	if h.kind < msgHello || h.kind > msgFail {
		return h, fmt.Errorf("garbage on the socket: message type %d", h.kind)
	}
	if h.length > maxMessage {
		return h, fmt.Errorf("garbage on the socket: a message of %d bytes, at most %d can be", h.length, maxMessage)
	}
	return h, nil
}
