package main

import (
	"bufio"
	"encoding/json"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/triage"
	"metaroce/tandem/cosim/wave"
)

// dumped is a wave dump: the width of every signal, and the values of all at one time.
type dumped struct {
	width  map[string]int
	values map[string]string // binary digits, the highest first; without leading zeros
	first  uint64            // time
}

// readDump reads a dump by way of fst2vcd.
func readDump(ts *testscript.TestScript, file string, at uint64) dumped {
	cmd := exec.Command("fst2vcd", "-f", file)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	d := dumped{width: map[string]int{}, values: map[string]string{}}
	names := map[string][]string{} // by their mark
	var scopes []string
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	now, timed := uint64(0), false
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		switch {
		case len(w) == 0:
		case w[0] == "$scope":
			scopes = append(scopes, w[2])
		case w[0] == "$upscope":
			scopes = scopes[:len(scopes)-1]
		case w[0] == "$var":
			name := strings.Join(append(scopes[:len(scopes):len(scopes)], w[4]), ".")
			d.width[name], _ = strconv.Atoi(w[2])
			names[w[3]] = append(names[w[3]], name)
		case w[0][0] == '#':
			now, _ = strconv.ParseUint(w[0][1:], 10, 64)
			if !timed {
				d.first, timed = now, true
			}
		case !timed || now > at:
		case w[0][0] == 'b' && len(w) == 2:
			for _, n := range names[w[1]] {
				d.values[n] = w[0][1:]
			}
		case strings.ContainsRune("01xz", rune(w[0][0])):
			for _, n := range names[w[0][1:]] {
				d.values[n] = w[0][:1]
			}
		}
	}
	ts.Check(lines.Err())
	ts.Check(cmd.Wait())
	return d
}

var (
	savedVector = regexp.MustCompile(`^#\{([a-z_]+)(?:\[\d+:0\])?\} (.*)$`)
	savedBit    = regexp.MustCompile(`^\((\d+)\)(.+)\[(\d+):0\]$`)
	savedPlain  = regexp.MustCompile(`^(bench\.[a-z_.]+)(?:\[(\d+):0\])?$`)
)

// saved reads the values that a save file shows, and wants every signal in it to be in the dump with its width.
func (d *dumped) saved(ts *testscript.TestScript, file string) map[string]*big.Int {
	has := func(name, high string) {
		width := 1
		if high != "" {
			n, err := strconv.Atoi(high)
			ts.Check(err)
			width = n + 1
		}
		if d.width[name] != width {
			ts.Fatalf("%s: %s has %d bits in the dump, %d in the save file", file, name, d.width[name], width)
		}
	}
	shown := map[string]*big.Int{}
	for line := range strings.SplitSeq(ts.ReadFile(file), "\n") {
		if m := savedPlain.FindStringSubmatch(line); m != nil {
			has(m[1], m[2])
			shown[m[1]], _ = new(big.Int).SetString(d.values[m[1]], 2)
		}
		m := savedVector.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := ""
		for word := range strings.FieldsSeq(m[2]) {
			b := savedBit.FindStringSubmatch(word)
			if b == nil {
				ts.Fatalf("%s: %q is no bit of a vector", file, word)
			}
			has(b[2], b[3])
			place, _ := strconv.Atoi(b[1])
			digits := d.values[b[2]]
			digits = strings.Repeat("0", d.width[b[2]]-len(digits)) + digits
			value += digits[place : place+1]
		}
		shown[m[1]], _ = new(big.Int).SetString(value, 2)
	}
	return shown
}

// dumps wants waves of so many executions of every bucket, which show what the report says: dumps RUN N.
func dumps(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: dumps RUN N")
	}
	run := ts.MkAbs(args[0])
	x, err := triage.Read(run)
	ts.Check(err)
	for _, b := range x.Buckets {
		if strconv.Itoa(len(b.Waves)) != args[1] {
			ts.Fatalf("bucket %s has %d waves", b.ID, len(b.Waves))
		}
		for _, w := range b.Waves {
			text, err := os.ReadFile(filepath.Join(run, filepath.Dir(w.File), journal.VerdictFile))
			ts.Check(err)
			var v lockstep.Verdict
			ts.Check(json.Unmarshal(text, &v))
			shows(ts, filepath.Join(run, w.File), filepath.Join(run, w.GTKWave), v.Divergence)
		}
	}
}

// shows holds a dump, read through its save file, against a divergence: at the marker the engine commits, for that packet,
// the values that the device is said to have.
func shows(ts *testscript.TestScript, file, save string, div *lockstep.Divergence) {
	d := readDump(ts, file, wave.Time(div.Cycle))
	if d.first != wave.Time(div.WaveFrom) {
		ts.Fatalf("%s begins at %d ps, want %d: cycle %d", file, d.first, wave.Time(div.WaveFrom), div.WaveFrom)
	}
	shown := d.saved(ts, save)
	want := func(name, value string) {
		v, ok := new(big.Int).SetString(strings.Fields(value)[0], 0)
		if !ok { // the name of an outcome
			return
		}
		if shown[name] == nil || shown[name].Cmp(v) != 0 {
			ts.Fatalf("%s: %s is %v at cycle %d, the device had %s", save, name, shown[name], div.Cycle, value)
		}
	}
	scope := "bench.mr_bench.u_dut.u_core.u_" + div.Kind
	want("bench.cycle_o", strconv.FormatUint(div.Cycle, 10))
	want(scope+".trace_valid_o", "1")
	want("head_xid", strconv.FormatUint(uint64(div.Xid), 10))
	for _, f := range div.Fields {
		want(strings.ReplaceAll(f.Field, ".", "_"), f.Device)
	}
}
