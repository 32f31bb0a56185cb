package rocev2

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/workload"
)

// sheet is a packet of the twin of a sending queue pair.
type sheet struct {
	payload     uint32
	first, last bool
}

// TestQueuePairTwin holds the list of parts against a list of all packets, for any order of posts, packets,
// acknowledgements (late ones too, from before a rewind) and rewinds.
func TestQueuePairTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const mtu = 256
		var slow []sheet
		una, nxt, sent := 0, 0, 0
		q := &qp{window: rapid.Int64Range(1, 40).Draw(t, "window")}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0, 1:
				for _, bytes := range rapid.SliceOfN(rapid.Uint64Range(1, 5*mtu), 1, 4).Draw(t, "bytes") {
					packets := (bytes + mtu - 1) / mtu
					q.post(0, int64(packets), bytes)
					for i := range packets {
						slow = append(slow, sheet{uint32(min(bytes-i*mtu, mtu)), i == 0, i == packets-1})
					}
				}
			case 2, 3:
				n := rapid.IntRange(0, sent+3).Draw(t, "acknowledged")
				news := n > una && n <= sent
				require.Equal(t, news, q.acked(int64(n)))
				if news {
					una, nxt = n, max(nxt, n)
				}
			case 4:
				q.rewind()
				nxt = una
			default:
				can := nxt < len(slow) && nxt-una < int(q.window)
				require.Equal(t, can, q.sendable())
				if !can {
					continue
				}
				n, payload, first, last := q.take(mtu)
				require.Equal(t, int64(nxt), n)
				require.Equal(t, slow[nxt], sheet{payload, first, last})
				nxt++
				sent = max(sent, nxt)
			}
			require.Equal(t, []int64{int64(una), int64(nxt), int64(sent), int64(len(slow))}, []int64{q.una, q.nxt, q.sent, q.end})
		}
	})
}

// TestAcknowledgedBehindARewind: the part to go on with is not one whose place in the ring was given away.
func TestAcknowledgedBehindARewind(t *testing.T) {
	q := &qp{window: 100}
	for i := range uint32(16) { // as many as the ring holds without growing
		q.post(i, 1, 100+uint64(i))
	}
	for range 12 {
		q.take(256)
	}
	q.rewind()
	require.True(t, q.acked(10))
	for i := range uint32(10) {
		q.post(16+i, 1, 116+uint64(i))
	}
	n, payload, _, _ := q.take(256)
	require.Equal(t, int64(10), n)
	require.Equal(t, uint32(110), payload)
}

// TestPoolTwin: what is taken is what was put, and places are used again before the pool grows.
func TestPoolTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pool
		slow := map[uint32]body{}
		var refs []uint32
		most := 0
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(refs) > 0 && rapid.Bool().Draw(t, "take") {
				k := rapid.IntRange(0, len(refs)-1).Draw(t, "which")
				require.Equal(t, slow[refs[k]], p.take(refs[k]))
				delete(slow, refs[k])
				refs = append(refs[:k], refs[k+1:]...)
			} else {
				b := body{qp: uint32(i), psn: uint32(2 * i), last: i%2 == 0}
				ref := p.put(b)
				require.NotContains(t, slow, ref)
				slow[ref] = b
				refs = append(refs, ref)
			}
			most = max(most, len(refs))
			require.Equal(t, len(refs), p.used)
			require.Len(t, p.bodies, most)
		}
	})
}

// TestMessagesTwin: a message is complete with its last part, and its place is used again.
func TestMessagesTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l messages
		left := map[uint32]int{}
		tag := map[uint32]uint32{}
		var open []uint32
		most := 0
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(open) > 0 && rapid.Bool().Draw(t, "part") {
				k := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				id := open[k]
				left[id]--
				m, all := l.part(id)
				require.Equal(t, left[id] == 0, all)
				if all {
					require.Equal(t, tag[id], m.Tag)
					delete(left, id)
					open = append(open[:k], open[k+1:]...)
				}
			} else {
				parts := rapid.IntRange(1, 4).Draw(t, "parts")
				id := l.add(workload.Message{Tag: uint32(i)}, uint32(parts))
				require.NotContains(t, left, id)
				left[id], tag[id] = parts, uint32(i)
				open = append(open, id)
			}
			most = max(most, len(open))
			require.Equal(t, len(open), l.used)
			require.Len(t, l.all, most)
		}
	})
}
