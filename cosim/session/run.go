package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/cosim/replay"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
)

// ignoreLimit makes a limit on file sizes an error of writing, like a full disk, instead of the end of the process.
var ignoreLimit = sync.OnceFunc(func() { signal.Ignore(syscall.SIGXFSZ) })

// Run does one run. The verdict is never nil; its Result is the exit code.
func Run(ctx context.Context, o Options) *lockstep.Verdict {
	blank := &lockstep.Verdict{
		Name: o.Name, Device: o.Device, Preset: o.Config.Preset, Seed: o.Config.Seed, Mode: o.Config.Mode.String(), Rerun: o.Rerun,
	}
	ignoreLimit()
	if err := journal.CheckItems(o.Stimulus); err != nil {
		return blank.Failed(target.Fail("host", err, "the bench cannot drive this"))
	}
	folder, unlock, err := makeFolder(&o)
	if err != nil {
		return blank.Failed(err)
	}
	defer unlock()
	var meter *modeltarget.SkewMeter
	if o.Skew {
		meter = modeltarget.NewSkewMeter()
		also := o.Observe
		o.Observe = func(record []byte) {
			meter.Take(record)
			if also != nil {
				also(record)
			}
		}
	}
	v := runIn(ctx, &o, folder, blank)
	if meter != nil && v.Result == lockstep.Match {
		skew(ctx, &o, meter, v)
	}
	if v.Divergence != nil && o.Wave && o.Device == "rtl" {
		if err := dump(ctx, o.RTL, o.Config, folder, v.Divergence); err != nil { // changes no verdict
			v.NotCompared = append(v.NotCompared, "no wave window: "+err.Error())
		}
	}
	return finish(&o, folder, v)
}

// makeFolder makes the run's folder and holds it, by its absolute path: simulators have a working directory of their own.
func makeFolder(o *Options) (folder string, unlock func(), err error) {
	runs := o.RunsDir
	if runs == "" {
		runs = "runs"
	}
	if runs, err = filepath.Abs(runs); err != nil {
		return "", nil, target.Fail("run folder", err, "cannot find it")
	}
	folder, unlock, err = o.Folders.Lock(runs, journal.FolderName(o.Name, o.Config.Seed))
	if err != nil {
		return "", nil, err
	}
	err = journal.Create(folder, journal.Meta{
		Name: o.Name, Device: o.Device, Config: o.Config, Plusargs: o.RTL.Plusargs, Rerun: o.Rerun,
	}, o.Stimulus)
	if err != nil {
		unlock()
		return "", nil, err
	}
	return folder, unlock, nil
}

func device(o *Options, folder string) (target.Target, error) {
	switch o.Device {
	case "rtl":
		opt := o.RTL
		opt.RunDir = folder
		return rtl.New(opt), nil
	case "model":
		return modeltarget.New(), nil
	}
	return nil, &target.Unsupported{What: fmt.Sprintf("device %q; there are rtl and model", o.Device)}
}

func runIn(ctx context.Context, o *Options, folder string, blank *lockstep.Verdict) *lockstep.Verdict {
	d, err := device(o, folder)
	if err != nil {
		return blank.Failed(err)
	}
	defer d.Close()
	r := lockstep.Run{
		Name: o.Name, Device: d, Config: o.Config, Stimulus: o.Stimulus, Rerun: o.Rerun, Observe: o.Observe,
	}
	if o.Journal == "never" {
		return weighed(r.Do(ctx), d)
	}
	f, err := os.Create(filepath.Join(folder, journal.RecordsFile))
	if err != nil {
		return blank.Failed(target.Fail("run folder", err, "cannot write the journal"))
	}
	w := bufio.NewWriterSize(f, 1<<18)
	r.Journal = w
	var noted error
	r.Ended = func(e target.Ending) { noted = journal.WriteEnding(folder, e) }
	r.Second = func(whole []byte) { noted = os.WriteFile(filepath.Join(folder, journal.RingFile), whole, 0o644) }
	v := weighed(r.Do(ctx), d)
	if err := errors.Join(noted, w.Flush(), f.Close()); err != nil && v.Result != lockstep.BenchFailed {
		v.Failed(target.Fail("run folder", err, "cannot write the journal"))
	}
	return v
}

// weighed closes a device, and notes the memory of one that has a process of its own.
func weighed(v *lockstep.Verdict, d target.Target) *lockstep.Verdict {
	_ = d.Close()
	if m, ok := d.(interface{ Memory() int64 }); ok {
		v.SimulatorBytes = m.Memory()
	}
	return v
}

// finish writes the verdict and keeps or clears the folder.
func finish(o *Options, folder string, v *lockstep.Verdict) *lockstep.Verdict {
	v.Folder = folder
	if o.Journal == "never" || o.Journal == "failure" && v.Result == lockstep.Match && (o.Fails == nil || !o.Fails(v)) {
		v.Folder = ""
		if err := os.RemoveAll(folder); err != nil {
			return v.Failed(target.Fail("run folder", err, "cannot remove it"))
		}
		return v
	}
	if err := journal.WriteVerdict(folder, v); err != nil {
		return v.Failed(err)
	}
	if err := journal.WriteSeal(folder, journal.Seal{Failure: v.Failure, Unsupported: v.Result == lockstep.Unsupported}); err != nil {
		return v.Failed(err)
	}
	return v
}

// Replay checks a recorded run again, with no simulator. observe may be nil.
func Replay(ctx context.Context, folder string, observe func(record []byte)) *lockstep.Verdict {
	v := &lockstep.Verdict{Name: filepath.Base(folder), Device: "replay of " + folder, Folder: folder}
	j, err := journal.Open(folder)
	if err != nil {
		return v.Failed(err)
	}
	if err := j.Seal.Err(); err != nil {
		return v.Failed(err)
	}
	d := replay.New(j)
	r := lockstep.Run{
		Name: j.Meta.Name, Device: d, Config: j.Meta.Config, Stimulus: j.Stimulus, Rerun: "tandem replay " + ShellWord(folder), Observe: observe,
	}
	v = r.Do(ctx)
	v.Folder = folder
	return v
}
