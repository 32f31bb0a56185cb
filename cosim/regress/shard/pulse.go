package shard

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"metaroce/tandem/internal/atomicfile"
)

// pulse gives signs of life.
type pulse struct {
	path string
	mu   sync.Mutex
	life Life
	stop chan struct{}
	gone chan struct{}
}

// begins gives a first sign and goes on doing so. stopped is called once the stop file is there.
func begins(path string, l Life, every time.Duration, stop string, stopped func()) *pulse {
	p := &pulse{path: path, life: l, stop: make(chan struct{}), gone: make(chan struct{})}
	if old, ok := ReadLife(path); ok {
		p.life.Turn = old.Turn // a reader that waits for it to rise must not be put off by a new supervisor
	}
	p.write()
	go func() {
		defer close(p.gone)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.write()
			}
			if _, err := os.Stat(stop); err == nil {
				stopped()
			}
		}
	}()
	return p
}

// write writes the sign. A disk that is full for a while only makes the shard look lost.
func (p *pulse) write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life.Turn++
	p.life.At = time.Now().UnixMilli()
	if b, err := json.Marshal(p.life); err == nil {
		_ = atomicfile.Write(p.path, append(b, '\n'))
	}
}

func (p *pulse) running(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life.Case = id
}

func (p *pulse) through(done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life.Done, p.life.Case = done, ""
}

// end is the last sign.
func (p *pulse) end(ended bool) {
	close(p.stop)
	<-p.gone
	p.mu.Lock()
	p.life.Ended = ended
	p.mu.Unlock()
	p.write()
}
