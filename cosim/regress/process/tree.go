package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Tree is a process and everything that it started: what is in its session, what descends from it, and what was seen to
// descend from it before and may since have been given to another parent. A process is known by number and start time.
type Tree struct {
	root int
	seen map[int]uint64
}

// proc is a process as /proc/PID/stat tells it.
type proc struct {
	pid, parent, session int
	start                uint64 // ticks since boot
	resident             int64  // bytes
	zombie               bool
}

// New is the tree of a process that runs.
func New(root int) *Tree {
	t := &Tree{root: root, seen: map[int]uint64{}}
	if b, err := os.ReadFile("/proc/" + strconv.Itoa(root) + "/stat"); err == nil {
		if p, ok := parseStat(root, b); ok {
			t.seen[root] = p.start
		}
	}
	return t
}

// members lists the living processes of the tree, the root with them.
func (t *Tree) members() []proc {
	all := processes()
	living := map[int]uint64{}
	for _, p := range all {
		living[p.pid] = p.start
	}
	var list []proc
	taken := make([]bool, len(all))
	for more := true; more; {
		more = false
		for i := range all {
			p := &all[i]
			if taken[i] || !t.belongs(p, living) {
				continue
			}
			t.seen[p.pid] = p.start
			if !p.zombie {
				list = append(list, *p)
			}
			taken[i], more = true, true // its children may belong now
		}
	}
	return list
}

// belongs: seen before, or of the session, or a child of one that belongs. A number that was given to another process
// since is none of ours.
func (t *Tree) belongs(p *proc, living map[int]uint64) bool {
	if p.session == t.root {
		return true
	}
	if start, ok := t.seen[p.pid]; ok && start == p.start {
		return true
	}
	start, ok := t.seen[p.parent]
	return ok && start == living[p.parent]
}

// Resident is the memory of all members together. What they share counts for each.
func (t *Tree) Resident() int64 {
	sum := int64(0)
	for _, p := range t.members() {
		sum += p.resident
	}
	return sum
}

// killWait bounds how long killed processes may take to go: one that waits for a device goes when that answers.
const killWait = 10 * time.Second

// Kill ends all members, except the root if it is kept, and waits until they are gone.
func (t *Tree) Kill(keepRoot bool) {
	for end := time.Now().Add(killWait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		left := false
		for _, p := range t.members() {
			if p.pid == t.root && keepRoot {
				continue
			}
			left = true
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		if !left {
			return
		}
	}
}

// processes lists all processes of the machine.
func processes() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var list []proc
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + n + "/stat")
		if err != nil {
			continue // gone meanwhile
		}
		if p, ok := parseStat(pid, b); ok {
			list = append(list, p)
		}
	}
	return list
}

// parseStat reads the fields that are needed (proc(5): state 3, ppid 4, session 6, starttime 22, rss 24). The name in
// parentheses may hold anything.
func parseStat(pid int, b []byte) (proc, bool) {
	at := bytes.LastIndexByte(b, ')')
	if at < 0 {
		return proc{}, false
	}
	f := bytes.Fields(b[at+1:])
	if len(f) < 22 {
		return proc{}, false
	}
	number := func(field int) uint64 {
		n, _ := strconv.ParseUint(string(f[field-3]), 10, 64)
		return n
	}
	return proc{
		pid: pid, parent: int(number(4)), session: int(number(6)), start: number(22), resident: int64(number(24)) * int64(os.Getpagesize()),
		zombie: f[0][0] == 'Z' || f[0][0] == 'X',
	}, true
}
