package scenario

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/expect"
)

const opening = "title \"t\"\ncovers R-ACK\nconn 0 paths=2 streams=2 psn=0xffff_fffe tsn=5 msn=7 recv=9 epoch=15\nkey 0\n"

// TestSee: every way to write a value, and where the event must stand.
func TestSee(t *testing.T) {
	c, err := compile(t, opening+`wait idle
write
see window class=new|duplicate psn=+1 rule=R-GAP
see ack cum=+2 high_tsn=+1 epoch=+1 vector=1,3..4|none packets=1..5 hint=0x10/0xf0 held=*
see completion any msn=+0 stream=1 opcode=send_imm
see recv never recv_index=+1 op=match path=1
wait 5
write
see message slot.msn=3 stream.life=1 within=2..900
wait idle
see nak syndrome=rnr
`)
	require.NoError(t, err)
	require.Len(t, c.Sees, 6)
	one := func(lo, hi uint64) expect.Alternative { return expect.Alternative{Lo: lo, Hi: hi} }
	bits := make([]byte, 32)
	bits[0] = 0b11010
	settled := c.Sees[0].After
	assert.Equal(t, uint32(0), settled.Frames)
	assert.Positive(t, settled.Accesses)
	for i, want := range []expect.See{
		{What: "window", Rule: "R-GAP", After: settled, Anchor: 1, Fields: []expect.Field{
			{Name: "class", Any: []expect.Alternative{one(uint64(event.ClassNew), uint64(event.ClassNew)), one(2, 2)}},
			{Name: "psn", Any: []expect.Alternative{one(0xffffffff, 0xffffffff)}}}},
		{What: "ack", After: settled, Anchor: 1, Fields: []expect.Field{
			{Name: "cum", Any: []expect.Alternative{one(0, 0)}}, {Name: "high_tsn", Any: []expect.Alternative{one(6, 6)}}, {Name: "epoch", Any: []expect.Alternative{one(0, 0)}},
			{Name: "vector", Any: []expect.Alternative{{Wide: bits}, {Wide: make([]byte, 32)}}}, {Name: "packets", Any: []expect.Alternative{one(1, 5)}},
			{Name: "hint", Any: []expect.Alternative{{Lo: 0x10, Mask: 0xf0}}}}},
		{What: "completion", Order: expect.Anywhere, After: settled, Anchor: 1, Fields: []expect.Field{
			{Name: "msn", Any: []expect.Alternative{one(7, 7)}}, {Name: "stream", Any: []expect.Alternative{one(1, 1)}},
			{Name: "opcode", Any: []expect.Alternative{one(uint64(wire.OpcodeSendImm), uint64(wire.OpcodeSendImm))}}}},
		{What: "recv", Order: expect.Never, After: settled, Anchor: 1, Fields: []expect.Field{
			{Name: "recv_index", Any: []expect.Alternative{one(10, 10)}}, {Name: "op", Any: []expect.Alternative{one(uint64(event.RecvMatch), uint64(event.RecvMatch))}},
			{Name: "path", Any: []expect.Alternative{one(1, 1)}}}},
		{What: "message", After: settled, Anchor: 2, Within: true, Lo: 2, Hi: 900, Fields: c.Sees[4].Fields},
		{What: "nak", After: expect.Point{Frames: 2, Accesses: settled.Accesses}, Anchor: 2, Fields: []expect.Field{{Name: "syndrome", Any: []expect.Alternative{one(1, 1)}}}},
	} {
		got := c.Sees[i]
		assert.Contains(t, got.Text, got.What)
		assert.Contains(t, got.Where, ":")
		got.Text, got.Where = "", ""
		assert.Equal(t, want, got, "see %d", i)
	}
	assert.Equal(t, c.Sees, c.Program.Sees, "they go with the stimulus")
	assert.Empty(t, c.Expect, "a scenario may expect events only")
}

// TestSeeMasks: behind a stroke stands a mask, however its number is written, and what it masks may be relative. Only
// parentheses divide.
func TestSeeMasks(t *testing.T) {
	for text, want := range map[string]expect.Alternative{
		"hint=5/255":                 {Lo: 5, Mask: 255},
		"hint=5/0xff":                {Lo: 5, Mask: 255},
		"hint=4k/0b1_0000_0000_0000": {Lo: 4096, Mask: 4096},
		"hint=(9/4)":                 {Lo: 2, Hi: 2},
		"hint=(9/4)/(9/3)":           {Lo: 2, Mask: 3},
		"cum=+3/0xffff":              {Lo: 1, Mask: 0xffff},
		"cum=-1/1":                   {Lo: 0xfffffffd, Mask: 1},
	} {
		c, err := compile(t, opening+"write\nsee ack "+text+"\n")
		require.NoError(t, err, text)
		assert.Equal(t, []expect.Alternative{want}, c.Sees[0].Fields[0].Any, text)
	}
	c, err := compile(t, opening+"repeat 2 i\n  write\n  see ack path=i*1 cum=+1\nend\n")
	require.NoError(t, err)
	assert.Len(t, c.Sees, 2, "an expression is one path")
}

func TestSeeMistakes(t *testing.T) {
	for src, want := range map[string]string{
		"see windov":                         `event "windov"; expected one of window`,
		"see ack cumm=1":                     `"cumm"; expected a value of ack such as cum`,
		"see ack cum>=1":                     `"cum" with operator ">="`,
		"see window class=neu":               `"neu"; expected one of new`,
		"see window psn=a":                   `"a" is no number`,
		"conn 0\nsee window sport=+1":        `"+1"; expected N: this is no serial number`,
		"see ack vector=1..300":              "numbers up to 255",
		"see ack hint=1/0x0":                 "mask 0; expected a mask with a bit in it",
		"see ack hint=5/0":                   "x.scn:2:16: mask 0; expected a mask with a bit in it",
		"see ack hint=8/2":                   "8 has bits beside mask 2; expected bits of the mask only; a division stands in parentheses",
		"see ack any never":                  "both; expected any or never",
		"see ack within=1..2":                "a window of cycles; expected a packet on a line before",
		"see ack rule=R-X":                   `"R-X"; expected a rule id`,
		"requires magic":                     `"magic"; expected one of commits, cycles, receive, sender`,
		"seed x":                             `"x" is no number`,
		"see":                                `"see" needs more`,
		"conn 0\nsee completion msn=+1|+q":   `"q" is no number`,
		"conn 0\nsee ack cum=+1 path=0|1":    `3:13: "+1"; expected a number as it is, or a line for each path: path=0|1 does not say from which it counts`,
		"conn 0\nsee ack cum=+1/255 path=*":  `"+1"; expected a number as it is, or a line for each path`,
		"conn 0\nsee nak msn=+1 stream=1..2": `stream=1..2 does not say from which it counts`,
	} {
		_, err := compile(t, "title \"t\"\n"+src+"\nexpect acks=0\n")
		assert.ErrorContains(t, err, want, src)
	}
}

// TestSeedLine: garbage behind it is the same, whatever seed the run is given.
func TestSeedLine(t *testing.T) {
	src := "seed 9\ngarbage bytes=80\nexpect drops=1\nrequires commits cycles\n"
	var first []byte
	for seed := range uint64(2) {
		f, err := Parse("t", []byte(src))
		require.NoError(t, err)
		c, err := Compile(f, Options{Params: preset.Tiny, Seed: seed})
		require.NoError(t, err)
		assert.Equal(t, uint64(9), c.Seed)
		assert.Equal(t, []string{"commits", "cycles"}, c.Requires)
		data := c.Program.Items.Data()[0]
		if first == nil {
			first = data
		}
		assert.Equal(t, first, data)
	}
}
