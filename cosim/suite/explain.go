package suite

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/wave"
)

// historyShown is how many of the records before a divergence a terminal gets; the verdict has more.
const historyShown = 3

// explainedInFull is how many runs that do not match are told of in full: the others mostly repeat them.
const explainedInFull = 3

// Explain writes what is to be said of all runs that do not match.
func (r *Report) Explain(w io.Writer) {
	n := 0
	for _, o := range r.Outcomes {
		if o.Result == lockstep.Match {
			continue
		}
		if n++; n <= explainedInFull {
			o.Explain(w)
			continue
		}
		if n == explainedInFull+1 {
			fmt.Fprintln(w, "the others in short; each divergence in full is in verdict.json of its folder, everything in --json:")
		}
		o.brief(w)
	}
}

// brief is two lines: what was found first, and how to repeat it.
func (o *Outcome) brief(w io.Writer) {
	said := append(append([]string(nil), o.Unmet...), o.Breaches...)
	switch {
	case o.Verdict.Divergence != nil:
		said = append([]string{o.Verdict.Divergence.Line()}, said...)
	case o.Trouble != "":
		said = append([]string{o.Trouble}, said...)
	case len(said) == 0:
		said = []string{o.Verdict.Line}
	}
	more := ""
	if n := len(said) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	fmt.Fprintf(w, "  %s%s\n", said[0], more)
	if o.Rerun == "" {
		fmt.Fprintf(w, "  of: %s\n", o.Name)
		return
	}
	fmt.Fprintf(w, "  again:  %s\n", o.Rerun)
}

// whole is where the complete report stands. The folder of a replay holds the verdict of the run, which may be another.
func (o *Outcome) whole() string {
	if o.Verdict.Folder != "" && strings.HasPrefix(o.Rerun, "tandem run ") {
		return filepath.Join(o.Verdict.Folder, "verdict.json")
	}
	return "--json"
}

// Explain writes what is to be said of an outcome that does not match, or of a note.
func (o *Outcome) Explain(w io.Writer) {
	name := o.Name
	if o.Group == Random {
		name = fmt.Sprintf("%s seed %d (%s)", o.Name, o.Seed, o.Note)
	}
	if o.Result == lockstep.Match {
		return
	}
	fmt.Fprintf(w, "%s: %v\n", name, o.Result)
	if o.Trouble != "" {
		fmt.Fprintf(w, "  %s\n", o.Trouble)
	}
	for _, list := range [][]string{o.Unmet, o.Breaches} {
		for _, line := range list {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	v := o.Verdict
	switch {
	case v.Divergence != nil:
		writeDivergence(w, v.Divergence, o.whole())
	case v.Result != lockstep.Match && v.Line != o.Trouble:
		fmt.Fprintf(w, "  %s\n", v.Line)
	}
	if v.Folder != "" {
		fmt.Fprintf(w, "  folder: %s\n", v.Folder)
	}
	if o.Rerun == "" {
		return
	}
	fmt.Fprintf(w, "  again:  %s\n", o.Rerun)
	// not by itself: the simulator with waves is another build, which takes minutes
	if v.Divergence != nil && v.Divergence.WaveFile == "" && strings.HasPrefix(v.Device, "rtl") && strings.HasPrefix(o.Rerun, "tandem run ") {
		fmt.Fprintf(w, "  waves:  %s --wave\n", o.Rerun)
	}
}

// writeDivergence tells what was found out about the first place where device and model part. whole is where the rest is.
func writeDivergence(w io.Writer, d *lockstep.Divergence, whole string) {
	fmt.Fprintf(w, "  %s\n", d.Line())
	for _, f := range d.Fields {
		fmt.Fprintf(w, "    %-24s device %s, model %s\n", f.Field, f.Device, f.Model)
	}
	if d.DeviceRecord != "" {
		fmt.Fprintf(w, "  device: %s\n", d.DeviceRecord)
	}
	if d.ModelRecord != "" {
		fmt.Fprintf(w, "  model:  %s\n", d.ModelRecord)
	}
	if len(d.History) > 0 {
		fmt.Fprintf(w, "  before it, equal on both sides:\n")
		shown := d.History[max(0, len(d.History)-historyShown):]
		for _, h := range shown {
			fmt.Fprintf(w, "    %s\n", h)
		}
		if n := len(d.History) - len(shown); n > 0 {
			fmt.Fprintf(w, "    the rest, %d earlier: %s\n", n, whole)
		}
	}
	switch {
	case d.WaveFile != "":
		fmt.Fprintf(w, "  waves:  %s, cycles %d to %d; gtkwave %s opens them at the divergence\n", d.WaveFile, d.WaveFrom, d.WaveTo,
			session.ShellWord(filepath.Join(filepath.Dir(d.WaveFile), wave.GTKWaveFile)))
	case d.WaveTo > 0:
		fmt.Fprintf(w, "  worth looking at: cycles %d to %d\n", d.WaveFrom, d.WaveTo)
	}
}
