package verbs_test

import (
	"fmt"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
)

func Example() {
	// Two devices on a channel that loses one packet in ten.
	open := func(host uint16) *verbs.Device {
		cfg := endpoint.Default()
		cfg.Host = host
		return must(verbs.Open(cfg))
	}
	alice, bob := open(0), open(1)
	net := must(lab.New(lab.Default(), alice, bob))
	net.Trouble = lab.Trouble{Lose: 100, LoseControl: 100}
	step := func(done func() bool) {
		if !net.Until(10*sim.Picos(1e12), done) {
			panic("nothing came of it")
		}
	}

	// One connects, the other hears of it.
	conn := must(alice.Connect(net.Now(), 1, verbs.ConnAttr{Paths: 8, QPs: 4}))
	var peer *verbs.Conn
	step(func() bool {
		if e, ok := bob.Event(); ok && e.Type == verbs.EventAccepted {
			peer = e.Conn
		}
		e, ok := alice.Event()
		return ok && e.Type == verbs.EventEstablished
	})

	// Queue pair 2 at both ends, and a region each.
	create := func(d *verbs.Device, c *verbs.Conn) (*verbs.QP, *verbs.CQ) {
		cq := must(d.CreateCQ(16))
		return must(c.CreateQP(2, verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8})), cq
	}
	qp, cq := create(alice, conn)
	peerQP, peerCQ := create(bob, peer)
	text, room := []byte("eight paths, one message"), make([]byte, 24)
	mr := must(conn.RegMR(text, verbs.AccessLocalWrite))
	peerMR := must(peer.RegMR(room, verbs.AccessLocalWrite|verbs.AccessRemoteWrite))

	// A Write with immediate. Address and key of the region have to get to the writer somehow: here they just do.
	check(peerQP.PostRecv(verbs.RecvWR{WrID: 50}))
	check(qp.PostSend(net.Now(), verbs.SendWR{
		WrID: 7, Opcode: verbs.WRRdmaWriteWithImm, Flags: verbs.SendSignaled, Sge: mr.SGE(0, 24), Imm: 4791,
		RemoteAddr: peerMR.Addr, Rkey: peerMR.Rkey,
	}))
	wc := make([]verbs.WC, 1)
	step(func() bool { return must(cq.Poll(wc)) == 1 })
	fmt.Println(wc[0].WrID, wc[0].Opcode, wc[0].Status)
	step(func() bool { return must(peerCQ.Poll(wc)) == 1 })
	fmt.Println(wc[0].WrID, wc[0].Opcode, wc[0].Status, wc[0].Imm, string(room))

	// One byte too far: the peer refuses, and the queue pair is in error.
	check(qp.PostSend(net.Now(), verbs.SendWR{
		WrID: 8, Opcode: verbs.WRRdmaWrite, Sge: mr.SGE(0, 24), RemoteAddr: peerMR.Addr + 1, Rkey: peerMR.Rkey,
	}))
	step(func() bool { return must(cq.Poll(wc)) == 1 })
	fmt.Println(wc[0].WrID, wc[0].Opcode, wc[0].Status, qp.State())
	fmt.Println(len(must(conn.Paths())), "paths")

	// Output:
	// 7 RDMA write success
	// 50 receive of RDMA write with immediate success 4791 eight paths, one message
	// 8 RDMA write remote access error ERR
	// 8 paths
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
