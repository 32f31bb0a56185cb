package edge

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

const beatBytes = admit.BeatBytes

// frameBeats are the beats of a frame: {gap, last, bytes, data}. Lanes behind the end hold noise.
func frameBeats(m *maker, frame []byte, gap func() int) []*big.Int {
	var out []*big.Int
	for len(frame) > 0 {
		n := min(len(frame), beatBytes)
		beat := append(append([]byte{}, frame[:n]...), m.bytes(beatBytes-n)...)
		frame = frame[n:]
		last := 0
		if len(frame) == 0 {
			last = 1
		}
		x := lanes(beat)
		x.Or(x, new(big.Int).Lsh(big.NewInt(int64(gap()<<16|last<<8|n)), 8*beatBytes))
		out = append(out, x)
	}
	return out
}

// heldBeats are the beats that wait in the packet buffer: headers and payload, zero behind.
func heldBeats(frame []byte, d *event.Desc) []*big.Int {
	if d.BufBeats == 0 {
		return nil
	}
	payload := admit.Payload(frame, d)
	// the headers stand before the payload in the same bytes
	whole := frame[cap(frame)-cap(payload)-int(d.HdrLen):][:int(d.HdrLen)+len(payload)]
	var out []*big.Int
	for len(whole) > 0 {
		n := min(len(whole), beatBytes)
		out = append(out, lanes(whole[:n]))
		whole = whole[n:]
	}
	return out
}

// parseRun is a stimulus of the parser bench and what the model says to it.
type parseRun struct {
	beats, descs, held []*big.Int
	reasons            map[event.Reason]int
}

func makeParseRun(t *testing.T, p *packer, m *maker, frames [][]byte, gap func() int) *parseRun {
	r := &parseRun{reasons: map[event.Reason]int{}}
	for i, f := range frames {
		var d event.Desc
		r.reasons[admit.Parse(f, preset.UDPPort, &d)]++
		d.Xid = uint32(i + 1)
		r.beats = append(r.beats, frameBeats(m, f, gap)...)
		r.descs = append(r.descs, p.pack(t, "Desc", d))
		held := heldBeats(f, &d)
		require.Len(t, held, int(d.BufBeats))
		r.held = append(r.held, held...)
	}
	return r
}

func (r *parseRun) start(t *testing.T, b *bench, plus ...string) map[string]int {
	b.write(t, "beats.hex", r.beats)
	b.write(t, "descs.hex", r.descs)
	b.write(t, "held.hex", r.held)
	return b.run(t, append(plus, fmt.Sprintf("frames=%d", len(r.descs)), fmt.Sprintf("beats=%d", len(r.beats)),
		fmt.Sprintf("held=%d", len(r.held)))...)
}

func TestParse(t *testing.T) {
	b := newBench(t, "mr_parse_tb", "common/mr_fifo.sv", "parse/mr_parse*.sv", "parse/tb/mr_parse_tb.sv")
	p := newPacker(t)
	m := &maker{rand.New(rand.NewPCG(1, 7))}
	var frames [][]byte
	for range 900 {
		frames = append(frames, m.frame())
	}
	for _, n := range []int{8996, 9000, 9004, 9008, 9100} {
		frames = append(frames, m.long(n))
	}
	for _, n := range []int{-1, 0, 1, 64, 130000} { // a right packet, stretched around the longest frame, and past what the length counts
		f := m.long(9000)
		frames = append(frames, append(f, m.bytes(preset.MaxFrame-len(f)+n)...))
	}
	frames = append(frames, m.headerBits()...)
	for n := range 70 { // every length around a header, one frame a beat
		frames = append(frames, m.bytes(n+1))
	}
	rand.New(rand.NewPCG(2, 2)).Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })

	none := func() int { return 0 }
	some := func() int {
		if m.one(3) {
			return m.IntN(5)
		}
		return 0
	}
	t.Run("a beat in every cycle, nothing held back", func(t *testing.T) {
		r := makeParseRun(t, p, m, frames, none)
		for reason := event.ReasonNone; reason <= event.ReasonNotReceiver; reason++ {
			assert.NotZero(t, r.reasons[reason], "no frame shows %v", reason)
		}
		counts := r.start(t, b)
		assert.Equal(t, len(frames), counts["frames"])
		assert.Zero(t, counts["overruns"]+counts["no_room"], "a parser that is never held back loses nothing")
		assert.NotZero(t, counts["kept"])
	})
	t.Run("gaps between beats", func(t *testing.T) {
		counts := makeParseRun(t, p, m, frames[:500], some).start(t, b, "stall=4", "hold=3")
		assert.NotZero(t, counts["kept"])
	})
	t.Run("descriptors held back", func(t *testing.T) {
		counts := makeParseRun(t, p, m, frames, none).start(t, b, "stall=14")
		assert.NotZero(t, counts["overruns"], "the descriptor queue never ran full")
		assert.NotZero(t, counts["kept"])
	})
	t.Run("releases held back", func(t *testing.T) {
		counts := makeParseRun(t, p, m, frames, none).start(t, b, "hold=64")
		assert.NotZero(t, counts["no_room"], "the packet buffer never ran full")
		assert.NotZero(t, counts["kept"])
	})
}
