package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"metaroce/tandem/cosim/regress/result"
)

// A line says how many of how many, what became of them, and how long the part that is at work still takes: of the other
// nothing is known before its first mutants.
func TestTally(t *testing.T) {
	var log bytes.Buffer
	y := newApp(context.Background(), io.Discard, &log).tally(time.Hour, []string{"steps", "rest"}, []string{"killed", "survived"})
	assert.Equal(t, "mutants are being made", y.state())
	fmt.Fprintln(y, "the simulator")
	assert.Equal(t, "mutants are being made; the simulator, for 0s", y.state())
	y.expect(3, 2)
	y.through(0, "killed")
	assert.Equal(t, "1 of 5 mutants through, 1 killed", y.state())
	y.through(0, "survived")
	assert.Regexp(t, `^2 of 5 mutants through, 1 killed, 1 survived, about \S+ left for the steps$`, y.state())
	y.through(0, "killed")
	assert.Equal(t, "3 of 5 mutants through, 2 killed, 1 survived", y.state())
	y.expect(3, 3)
	y.through(1, "killed")
	y.through(1, "killed")
	assert.Regexp(t, `^5 of 6 mutants through, 4 killed, 1 survived, about \S+ left$`, y.state())
	y.end()
	assert.Equal(t, "the simulator\n", log.String())
}

// On a terminal there is a bar, which is gone at the end, and no line by the clock.
func TestTallyOnATerminal(t *testing.T) {
	var screen bytes.Buffer
	a := newApp(context.Background(), io.Discard, &screen)
	a.errTerm = true
	y := a.tally(time.Nanosecond, []string{"steps"}, []string{"killed"})
	y.expect(2)
	fmt.Fprintln(y, "the simulator")
	y.through(0, "killed")
	y.end()
	assert.Contains(t, screen.String(), "the simulator\n")
	assert.Equal(t, "1 of 2 mutants through, 1 killed", y.state())
}

// What did not match before a run went on is counted in the line of the later session.
func TestGaugeGoesOn(t *testing.T) {
	var log bytes.Buffer
	g := newApp(context.Background(), io.Discard, &log).gauge(time.Hour)
	g.begins(9, 3, 2, 0)
	assert.Equal(t, "6 of 9 executions to do\n", log.String())
	assert.Equal(t, "3 of 9, 2 not matching", g.state())
	g.record(&result.Record{Name: "a/b", Verdict: result.Timeout, Signature: &result.Signature{Kind: "wall"}})
	assert.Equal(t, "4 of 9, 3 not matching", g.state())
}

// A log is told of a loop now and then, not at every turn.
func TestSteady(t *testing.T) {
	var log bytes.Buffer
	s := (&app{err: &log}).steady(3, "vectors")
	s.show(1)
	assert.Empty(t, log.String())
	s.last = s.last.Add(-steadyEvery)
	s.show(2)
	s.show(3)
	assert.Equal(t, "2 of 3 vectors\n", log.String())
}
