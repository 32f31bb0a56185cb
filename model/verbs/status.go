package verbs

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/wire"
)

// WCStatus says how a work request ended.
type WCStatus uint8

// Statuses, named as those of ibv_wc_status.
const (
	WCSuccess        WCStatus = iota
	WCLocLenErr               // receive: the message was longer than its buffer
	WCLocProtErr              // the work request names memory that it may not use
	WCWrFlushErr              // not done: the queue pair was in error
	WCRemInvReqErr            // the peer found the request invalid: too long for its receive, or malformed
	WCRemAccessErr            // the peer does not allow access to that memory
	WCRemOpErr                // the peer could not do it: its memory failed, or its queue pair is in error
	WCRetryExcErr             // nothing of the connection was proven alive for too long
	WCRnrRetryExcErr          // the peer had no receive posted in any attempt
	WCLocQpOpErr              // the queue pair cannot do it: every request slot of its connection waits for an answer that nobody needs any more
	WCGeneralErr              // a reason that is not known here: see VendorErr
	numStatuses
)

var statusNames = [numStatuses]string{
	"success", "local length error", "local protection error", "work request flushed", "remote invalid request error",
	"remote access error", "remote operation error", "transport retry counter exceeded", "RNR retry counter exceeded", "local QP operation error", "general error",
}

// String is what ibv_wc_status_str has for it, in short.
func (s WCStatus) String() string { return statusNames[s] }

// sendStatus is the status of a request that the NIC is done with.
func sendStatus(s endpoint.Status) WCStatus {
	switch s {
	case endpoint.StatusOK:
		return WCSuccess
	case endpoint.StatusFlushed:
		return WCWrFlushErr
	case endpoint.StatusRetry:
		return WCRnrRetryExcErr
	case endpoint.StatusTimeout:
		return WCRetryExcErr
	case endpoint.StatusNoSlot:
		return WCLocQpOpErr
	}
	switch wire.Syndrome(s) {
	case wire.SyndromeKey, wire.SyndromeBounds, wire.SyndromePermission:
		return WCRemAccessErr
	case wire.SyndromeLength, wire.SyndromeMalformed, wire.SyndromeUnsupported:
		return WCRemInvReqErr
	case wire.SyndromeRemoteOp:
		return WCRemOpErr
	}
	return WCGeneralErr
}

// recvStatus is the status of a receive that the NIC gave back. It has a reason where the fault lay with it.
func recvStatus(s endpoint.Status) WCStatus {
	switch s {
	case endpoint.StatusOK:
		return WCSuccess
	case endpoint.Status(wire.SyndromeLength):
		return WCLocLenErr
	case endpoint.Status(wire.SyndromeRemoteOp):
		return WCLocProtErr
	case endpoint.StatusFlushed:
		return WCWrFlushErr
	}
	return WCGeneralErr
}
