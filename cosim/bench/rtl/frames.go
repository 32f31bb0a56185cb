package rtl

import (
	"context"
	"fmt"

	"metaroce/tandem/cosim/lockstep"
	simulator "metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// Payloads are the sizes that the gate is about, in bytes.
var Payloads = []int{64, 256, 1024, 4096}

// Least is the share of cycles that must move a beat, in permille.
const Least = 990

// beats of frames a run has: enough that the way through the pipeline does not count.
const beats = 12000

// Frames is what mr_rx_top did with frames one behind the other.
type Frames struct {
	Payload int    `json:"payload"`
	Frames  int    `json:"frames"`
	Beats   int    `json:"beats"`  // of frames
	Cycles  uint64 `json:"cycles"` // from the first beat in to the last answered write
	Dropped uint64 `json:"dropped"`
	Result  string `json:"result"` // of the comparison that runs along
	// Missing says what the gate lacks.
	Missing []string `json:"missing,omitempty"`
}

// Holds says whether there was no bubble.
func (f *Frames) Holds() bool { return len(f.Missing) == 0 }

// Permille is the share of cycles that moved a beat.
func (f *Frames) Permille() uint64 {
	if f.Cycles == 0 {
		return 0
	}
	return uint64(f.Beats) * 1000 / f.Cycles
}

// MeasureFrames feeds Writes of each payload size back to back, in lockstep, so that what is fast is right too.
func MeasureFrames(ctx context.Context, opt simulator.Options, presetName, runsDir string) ([]Frames, error) {
	p, ok := preset.ByName(presetName)
	if !ok {
		return nil, &target.Unsupported{What: "preset " + presetName}
	}
	var list []Frames
	for _, size := range Payloads {
		f, err := measure(ctx, opt, p, runsDir, size)
		if err != nil {
			return list, err
		}
		list = append(list, f)
	}
	return list, nil
}

func measure(ctx context.Context, opt simulator.Options, p preset.Params, runsDir string, size int) (Frames, error) {
	f := Frames{Payload: size}
	program, err := writes(p, size)
	if err != nil {
		return f, target.Fail("host", err, "cannot make the frames")
	}
	var first, last uint64
	v := session.Run(ctx, session.Options{
		Name: fmt.Sprintf("bench-rtl-%d", size), Device: "rtl", RTL: opt, RunsDir: runsDir, Journal: "never",
		Config: target.Config{Preset: p.Name, Seed: 1, Mode: target.ModeDigest}, Stimulus: program.Items,
		Observe: func(record []byte) {
			var h event.Head
			if h.Decode(record) != nil {
				return
			}
			switch h.Kind {
			case event.KindPacketIn:
				n := (frameLen(record) + 63) / 64
				if f.Frames == 0 {
					first = h.Cycle + 1 - uint64(n)
				}
				f.Frames++
				f.Beats += n
			case event.KindPlace:
				last = h.Cycle
			}
		},
	})
	if ctx.Err() != nil {
		return f, target.Fail("host", ctx.Err(), "interrupted")
	}
	f.Result = v.Result.String()
	f.Cycles = last - first + 1
	f.Dropped = uint64(f.Frames) - v.Counters["admitted"]
	f.judge(v, program)
	return f, nil
}

func frameLen(record []byte) int {
	var in event.PacketIn
	if in.Decode(record) != nil {
		return 0
	}
	return int(in.In.FrameLen)
}

func (f *Frames) judge(v *lockstep.Verdict, program *compose.Program) {
	miss := func(format string, args ...any) { f.Missing = append(f.Missing, fmt.Sprintf(format, args...)) }
	if v.Result != lockstep.Match {
		miss("%s", v.Line)
	}
	if f.Frames != len(program.Frames) {
		miss("%d of %d frames came in", f.Frames, len(program.Frames))
	}
	if f.Dropped != 0 {
		miss("%d frames were dropped", f.Dropped)
	}
	if f.Permille() < Least {
		miss("%d.%d %% of the cycles moved a beat", f.Permille()/10, f.Permille()%10)
	}
}

// writes makes Writes of one packet each, over all paths and streams of a connection, with no cycle between frames.
func writes(p preset.Params, size int) (*compose.Program, error) {
	b := compose.NewBuilder(fmt.Sprintf("bench-%d", size), p)
	conn, err := b.Open(compose.ConnConfig{Gen: 1, Peer: 0x100, Time: 1000, Paths: min(4, p.Paths), Streams: 4})
	if err != nil {
		return nil, err
	}
	region := &compose.Region{Tag: 0xa5, Conn: conn, Base: 0x1000_0000, Length: 1 << 32, Perm: 1}
	b.SetKey(region)
	b.WaitIdle()
	for i := 0; i*(size/64+1) < beats; i++ {
		path, stream := conn.Paths[i%len(conn.Paths)], conn.Streams[i%len(conn.Streams)]
		b.Send(0, &compose.Packet{
			Op: wire.OpcodeWrite, DstConn: conn.DstConn(), Path: path.Index, Psn: path.Psn, Tsn: path.Tsn, Time: conn.Tick(),
			Stream: stream.Index, Msn: stream.Msn, Length: uint32(size), Rkey: region.Rkey(), Addr: region.Base + uint64(i*size),
			Bytes: size, Net: compose.Net{Sport: path.Sport(conn.Index, path.Epoch)},
		}, stream.Row)
		path.Psn, path.Tsn, stream.Msn = path.Psn+1, path.Tsn+1, stream.Msn+1
	}
	b.WaitIdle()
	return b.Program, nil
}
