package farm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeSlurm makes a folder with the commands of testdata/slurm.sh in bin, and with their state.
func fakeSlurm(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	self, err := filepath.Abs(filepath.Join("testdata", "slurm.sh"))
	require.NoError(t, err)
	for _, name := range []string{"sbatch", "squeue", "scancel", "scontrol", "sacct"} {
		require.NoError(t, os.Symlink(self, filepath.Join(bin, name)))
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	t.Cleanup(func() { // nothing of it stays
		begun, _ := filepath.Glob(filepath.Join(dir, "state.*"))
		for _, name := range begun {
			n := filepath.Ext(name)
			for {
				if _, err := os.Stat(filepath.Join(dir, "done"+n)); err == nil {
					break
				}
				if b, err := os.ReadFile(filepath.Join(dir, "pid"+n)); err == nil {
					if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
						_ = syscall.Kill(-pid, syscall.SIGKILL)
					}
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	return dir
}

// quick are times in which nothing that should happen is cut short, and a test is through soon.
func quick() *slurmTimes {
	const never = time.Hour
	return &slurmTimes{look: 5 * time.Millisecond, ask: 10 * time.Millisecond, askMost: 20 * time.Millisecond, call: time.Minute, first: never, silence: never, held: never,
		stop: 50 * time.Millisecond, kill: time.Minute, away: never, submit: time.Minute}
}

// slurmShards are shards of a run called night-1.
func slurmShards(t *testing.T, n int) []Shard {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's", "night-1", "shards")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	var list []Shard
	for i := range n {
		name := fmt.Sprintf("r2-%04d", i+1)
		list = append(list, Shard{Name: name, File: filepath.Join(dir, name+".json")})
	}
	return list
}

// beats gives a sign of life, and a last one.
const beats = `
life() { echo "{\"turn\":$(date +%s%N),\"ended\":$1}" > "$BEAT.new"; mv "$BEAT.new" "$BEAT"; }
life false
`

const good = beats + "life true"

// outcome of a launch: what became of each shard, and what people were told.
type outcome struct {
	mu    sync.Mutex
	ended map[int]error
	notes []string
	err   error
}

func (o *outcome) told() string { return strings.Join(o.notes, "\n") }

func array4(t *testing.T, ctx context.Context, fake, program string, times *slurmTimes, list []Shard) *outcome {
	t.Helper()
	o := &outcome{ended: map[int]error{}}
	s := &Slurm{Workers: 3, Program: script(t, program), Words: []string{"--partition=sim"}, times: times, bin: filepath.Join(fake, "bin"), env: []string{"FAKE=" + fake}}
	o.err = s.Launch(ctx, list, Watch{
		Ended: func(i int, err error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			_, twice := o.ended[i]
			assert.False(t, twice, "shard %d ended twice", i)
			o.ended[i] = err
		},
		Note: func(text string) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.notes = append(o.notes, text)
		},
	})
	return o
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(b)
}

func TestSlurmArray(t *testing.T) {
	fake := fakeSlurm(t, nil)
	list := slurmShards(t, 4)
	o := array4(t, context.Background(), fake, `echo "$@"`+good, quick(), list)
	require.NoError(t, o.err)
	assert.Equal(t, map[int]error{0: nil, 1: nil, 2: nil, 3: nil}, o.ended)
	assert.Empty(t, o.notes)
	dir := list[0].folder()
	assert.Contains(t, read(t, fake, "calls"), "sbatch --partition=sim --parsable --requeue --job-name=tandem-night-1-r2-")
	assert.Contains(t, read(t, fake, "calls"), "--array=1-4%3 --chdir="+dir+" --output=r2.out --open-mode=append "+dir+"/r2.sbatch\n")
	assert.Regexp(t, `^77 tandem-night-1-r2-[0-9a-f]{8} east\n$`, read(t, dir, "r2.job"))
	for i := range list {
		assert.Equal(t, "regress-shard "+list[i].File+"\n", read(t, dir, list[i].Name+".log"))
	}
	assert.Equal(t, 3, (&Slurm{bin: filepath.Join(fake, "bin"), env: []string{"FAKE=" + fake}}).Packs().Count)
}

// TestSlurmTasks: what becomes of a task is told, with what can be done; the others are not touched by it.
func TestSlurmTasks(t *testing.T) {
	silent, held := quick(), quick()
	silent.first, silent.silence = 50*time.Millisecond, 300*time.Millisecond
	held.held = 100 * time.Millisecond
	unseen := map[string]string{"plan.2": "unseen"} // the silence of the other, on a machine however slow, is not held against it
	for _, c := range []struct {
		name, plan, program string
		times               *slurmTimes
		files               map[string]string // of the fake
		err, note           string            // of the first shard; no err: it ends well
	}{
		{name: "ends with an error", program: "exit 3", err: "Slurm says FAILED (NonZeroExitCode) on n1"},
		{name: "says nothing", program: "exit 0", err: "is the run folder on a disk that its node shares?"},
		{name: "never queued", plan: "lost", err: "it is gone from the queue, and was last seen nowhere"},
		{name: "forgotten", plan: "vanishes", program: "exit 3", err: "it is gone from the queue", files: map[string]string{"accounts": ""}},
		{name: "forgotten, with accounts", plan: "vanishes", program: "exit 3", files: map[string]string{"accounts": "77_1|TIMEOUT|n9\n77_2|COMPLETED|n9\nrubbish\n"},
			err: "Slurm says TIMEOUT on n9: its time limit is too short for a shard: a longer --time"},
		{name: "node down", plan: "down", err: "Slurm says NODE_FAIL on n2: its node went down"},
		{name: "held by Slurm", plan: "held", times: held, err: "Slurm says CANCELLED", note: "task 77_1 is held (launch failed requeued held): `scontrol release 77_1` lets it go"},
		{name: "without a sign", plan: "mute", times: silent, files: unseen, err: "no sign of life, on n3", note: "a task on n3 has given no sign of life yet: does that node see"},
		{name: "falls silent", program: beats + "exec sleep 1000", times: silent, files: unseen, err: "no sign of life, on n1", note: "gave no sign of life for 300ms: it is cancelled"},
		{name: "requeued again and again", plan: "storm", program: beats + "sleep 0.3; life true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := fakeSlurm(t, c.files)
			require.NoError(t, os.WriteFile(filepath.Join(fake, "plan.1"), []byte(c.plan), 0o644))
			times := c.times
			if times == nil {
				times = quick()
			}
			program := c.program
			if program == "" {
				program = good
			}
			o := array4(t, context.Background(), fake, "case $FILE in *r2-0002*)"+good+";; *)"+program+";; esac", times, slurmShards(t, 2))
			require.NoError(t, o.err)
			require.Len(t, o.ended, 2)
			assert.NoError(t, o.ended[1])
			if c.err == "" {
				assert.NoError(t, o.ended[0])
			} else {
				assert.ErrorContains(t, o.ended[0], c.err)
			}
			assert.Contains(t, o.told(), c.note)
			assert.True(t, c.note != "" || len(o.notes) == 0, "%s", o.told())
		})
	}
}

// TestSlurmHeldByItsUser: it waits as long as its user wants.
func TestSlurmHeldByItsUser(t *testing.T) {
	fake := fakeSlurm(t, map[string]string{"plan.1": "paused"})
	times := quick()
	times.held = time.Millisecond
	list := slurmShards(t, 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() { // somebody lets it go
		for calls := ""; strings.Count(calls, "squeue") < 5; time.Sleep(5 * time.Millisecond) {
			b, _ := os.ReadFile(filepath.Join(fake, "calls"))
			calls = string(b)
		}
		_ = os.WriteFile(strings.TrimSuffix(list[0].File, "json")+"beat", []byte(`{"turn":1,"ended":true}`), 0o644)
		_ = os.WriteFile(filepath.Join(fake, "state.1"), []byte("COMPLETED|n1|None\n"), 0o644)
	}()
	o := array4(t, ctx, fake, good, times, list)
	require.NoError(t, o.err)
	assert.Equal(t, map[int]error{0: nil}, o.ended)
	assert.Contains(t, o.told(), "tasks of array 77 are held by their user: `scontrol release 77`")
	assert.NotContains(t, read(t, fake, "calls"), "scancel")
}

func TestSlurmSubmission(t *testing.T) {
	busy := "Batch job submission failed: Unable to contact slurm controller (connect failure)\n"
	late := "late:Batch job submission failed: Socket timed out on send/recv operation\n"
	short := quick()
	short.submit = time.Nanosecond
	for name, c := range map[string]struct {
		fails, err, note string
		times            *slurmTimes
		calls            int
	}{
		"refused":     {fails: "invalid partition specified: sim\n", err: "sbatch refused the array of 2 shards: sbatch: invalid partition specified: sim; look at the words behind slurm:", calls: 1},
		"away":        {fails: busy + busy, note: "sbatch: sbatch: Batch job submission failed: Unable to contact slurm controller (connect failure); trying again", calls: 3},
		"lost answer": {fails: late, calls: 1},
		"gone":        {fails: busy + busy, times: short, err: "the array of 2 shards was not taken for 1ns", calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			fake := fakeSlurm(t, map[string]string{"sbatch.fails": c.fails})
			times := c.times
			if times == nil {
				times = quick()
			}
			o := array4(t, context.Background(), fake, good, times, slurmShards(t, 2))
			assert.Equal(t, c.calls, strings.Count(read(t, fake, "calls"), "sbatch "))
			if c.err != "" {
				assert.ErrorContains(t, o.err, c.err)
				assert.Empty(t, o.ended)
				return
			}
			require.NoError(t, o.err)
			assert.Equal(t, map[int]error{0: nil, 1: nil}, o.ended)
			assert.Equal(t, c.note, strings.TrimPrefix(o.told(), "slurm: "))
		})
	}
	fake := t.TempDir()
	o := array4(t, context.Background(), fake, good, quick(), slurmShards(t, 1))
	assert.ErrorContains(t, o.err, "sbatch is not to be found: Slurm's commands have to be on this machine (Debian: slurm-client)")
}

// TestSlurmReady: what cannot be used at all is told before anything is begun; a controller that is away may come back.
func TestSlurmReady(t *testing.T) {
	t.Parallel()
	for fails, want := range map[string]string{
		"": "",
		"Unable to contact slurm controller (connect failure)\n": "",
		"Could not establish a configuration source\n":           "Slurm cannot be used here: scontrol: Could not establish a configuration source; see that slurmctld runs",
	} {
		fake, err := filepath.Abs("testdata")
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.Symlink(filepath.Join(fake, "slurm.sh"), filepath.Join(dir, "scontrol")))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "scontrol.fails"), []byte(fails), 0o644))
		err = (&Slurm{bin: dir, env: []string{"FAKE=" + dir}}).Ready(context.Background())
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
	assert.ErrorContains(t, (&Slurm{bin: t.TempDir()}).Ready(context.Background()), "scontrol is not to be found")
}

// TestSlurmQueueAway: what runs goes on without the queue; only where nothing at all is heard any more is it given up.
func TestSlurmQueueAway(t *testing.T) {
	fails := strings.Repeat("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", 3)
	fake := fakeSlurm(t, map[string]string{"squeue.fails": fails})
	times := quick()
	// the fifth call is behind the first answer
	o := array4(t, context.Background(), fake, beats+`while [ "$(grep -c ^squeue $FAKE/calls)" -lt 5 ]; do sleep 0.01; done; life true`, times, slurmShards(t, 2))
	require.NoError(t, o.err)
	assert.Equal(t, map[int]error{0: nil, 1: nil}, o.ended)
	require.Len(t, o.notes, 2)
	assert.Contains(t, o.notes[0], "the queue does not answer: squeue: slurm_load_jobs error: Unable to contact")
	assert.Contains(t, o.notes[1], "the queue answers again")
}

func TestSlurmQueueAwayForGood(t *testing.T) {
	fails := strings.Repeat("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", 300)
	fake := fakeSlurm(t, map[string]string{"away": fails, "plan.1": "mute"})
	times := quick()
	times.away = 300 * time.Millisecond
	o := array4(t, context.Background(), fake, good+"; mv $FAKE/away $FAKE/squeue.fails", times, slurmShards(t, 2))
	assert.ErrorContains(t, o.err, "the array 77 may still be queued; when slurmctld runs again, `scancel 77` and go on with --resume")
	assert.Equal(t, map[int]error{1: nil}, o.ended)
}

// TestSlurmQueueAwayBehindASleep: the time in which nobody asked is none that the queue was away.
func TestSlurmQueueAwayBehindASleep(t *testing.T) {
	fake := fakeSlurm(t, map[string]string{"squeue.fails": "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"})
	s := &Slurm{bin: filepath.Join(fake, "bin"), env: []string{"FAKE=" + fake}}
	a := &array{Slurm: s, limits: *quick(), w: Watch{Note: func(string) {}}, job: job{id: "77"}, noted: map[string]bool{}}
	began := time.Now()
	q := &queueTalk{answered: began.Add(-time.Hour)}
	a.ask(context.Background(), q)
	assert.True(t, q.away)
	assert.False(t, q.answered.Before(began))
}

// TestSlurmStop: what waits is cancelled at once, what heeds the run's stop file ends by itself, the rest is cancelled.
func TestSlurmStop(t *testing.T) {
	for name, c := range map[string]struct{ fails, note string }{
		"cancelled":           {},
		"cancelled at last":   {fails: "Kill job error\nKill job error\n"},
		"cannot be cancelled": {fails: strings.Repeat("Kill job error\n", 9999), note: "slurm: the array 77 could not be seen to end: look at `squeue -j 77`; `scancel 77` cancels it"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := fakeSlurm(t, map[string]string{"scancel.fails": c.fails, "plan.3": "waits"})
			list := slurmShards(t, 3)
			times := quick()
			if c.note != "" {
				times.kill = 300 * time.Millisecond
			}
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				defer cancel()
				for _, l := range list[:2] {
					for {
						if _, err := os.Stat(l.File + ".up"); err == nil {
							break
						}
						time.Sleep(time.Millisecond)
					}
				}
				_ = os.WriteFile(filepath.Join(list[0].folder(), "..", "stop"), nil, 0o644) // as the run does
			}()
			o := array4(t, ctx, fake, beats+`: > "$FILE.up"; case $FILE in *r2-0001*) while [ ! -e "$(dirname "$FILE")/../stop" ]; do sleep 0.01; done; exit 143;; esac
while :; do sleep 0.01; life false; done`, times, list)
			require.NoError(t, o.err)
			require.Len(t, o.ended, 3)
			for i, err := range o.ended {
				assert.ErrorIs(t, err, ErrStopped, "%d", i)
			}
			assert.Equal(t, c.note, o.told())
			assert.Contains(t, read(t, fake, "calls"), "scancel --clusters=east --state=PENDING 77\n")
			assert.Contains(t, read(t, fake, "calls"), "scancel --clusters=east 77\n")
		})
	}
}

// TestSlurmClears: what an earlier session left in the queue is cancelled first, if it is still that.
func TestSlurmClears(t *testing.T) {
	fake := fakeSlurm(t, nil)
	list := slurmShards(t, 1)
	require.NoError(t, os.WriteFile(filepath.Join(list[0].folder(), "r1.job"), []byte("66 tandem-night-1-r1-0 west\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(list[0].folder(), "r0.job"), []byte("torn"), 0o644))
	o := array4(t, context.Background(), fake, good, quick(), list)
	require.NoError(t, o.err)
	assert.True(t, strings.HasPrefix(read(t, fake, "calls"), "scancel --clusters=west --name=tandem-night-1-r1-0 66\nsbatch "))
	assert.NoFileExists(t, filepath.Join(list[0].folder(), "r1.job"))
}

func TestSlurmCannotClear(t *testing.T) {
	fake := fakeSlurm(t, map[string]string{"scancel.fails": "Unable to contact slurm controller\n"})
	list := slurmShards(t, 1)
	require.NoError(t, os.WriteFile(filepath.Join(list[0].folder(), "r1.job"), []byte("66 tandem-night-1-r1-0 west\n"), 0o644))
	o := array4(t, context.Background(), fake, good, quick(), list)
	require.NoError(t, o.err)
	assert.Contains(t, o.told(), "the array 66 of an earlier session may still be queued")
	assert.FileExists(t, filepath.Join(list[0].folder(), "r1.job"))
}

func TestSlurmWords(t *testing.T) {
	assert.NoError(t, CheckWords([]string{"--partition=a", "-p", "b", "-c2", "--mem=1G", "--exclusive", "--time", "1:00:00"}))
	for words, want := range map[string]string{
		"--array=1-3 -o x": `"--array=1-3" cannot be passed on to sbatch: the launcher says that itself` + "\n" + `"-o" cannot be passed on to sbatch: the launcher says that itself`,
		"--wrap=ls":        `"--wrap=ls" cannot be`,
		"-Jname":           `"-Jname" cannot be`,
		"partition=x":      `"partition=x" is no option of sbatch: want words like --partition=NAME or -p NAME`,
		"--mem=1 x":        `"x" is no option`,
	} {
		assert.ErrorContains(t, CheckWords(strings.Fields(words)), want)
	}
}

func FuzzParseQueue(f *testing.F) {
	f.Add("1|RUNNING|n1|None\n2|PENDING||(launch failed | held)\n")
	f.Add("N/A|x|y|z\n-1|a|b|c\n\n|||\n3|RUNNING")
	f.Fuzz(func(t *testing.T, text string) {
		for n, r := range parseQueue(text) {
			assert.Positive(t, n)
			assert.Contains(t, text, r.state)
		}
	})
}

func TestParseJob(t *testing.T) {
	for out, want := range map[string]job{"12\n": {"12", ""}, "12;east\n": {"12", "east"}, "welcome!\n12\n": {"12", ""}} {
		got, err := parseJob(out)
		assert.NoError(t, err, "%q", out)
		assert.Equal(t, want, got)
	}
	for _, out := range []string{"", "Submitted batch job", "0", "-4", "12x"} {
		_, err := parseJob(out)
		assert.ErrorContains(t, err, "which is no number of a job", "%q", out)
	}
	assert.True(t, errors.Is(&refusal{err: context.DeadlineExceeded}, context.DeadlineExceeded))
	assert.Equal(t, map[int]row{2: {"PENDING", "", "launch failed requeued held"}}, parseQueue("2|PENDING||(launch failed requeued held)\n"))
}
