package cluster_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// TestPlantedFaults: each way in which a transport can be wrong ends the run with its own kind.
func TestPlantedFaults(t *testing.T) {
	at := func(do func(t *plain, now sim.Picos, m workload.Message)) func(*plain) {
		return func(t *plain) { t.fault = &fault{tag: 3, do: do} }
	}
	cases := []struct {
		name   string
		kind   cluster.Kind
		what   string
		change func(t *plain)
	}{
		{"lost completion", cluster.Stuck, "the network is idle and 3 messages are not complete", at(func(*plain, sim.Picos, workload.Message) {})},
		{"doubled completion", cluster.Doubled, "is complete again", at(func(t *plain, now sim.Picos, m workload.Message) {
			t.complete(now, m)
			t.events.Completed(now, m)
		})},
		{"completion with other fields", cluster.Changed, "(4999 B from host 2 to 0, stream 0) was posted as message 3 (5000 B", at(func(t *plain, now sim.Picos, m workload.Message) {
			m.Bytes--
			t.complete(now, m)
		})},
		{"completion of what does not exist", cluster.Unknown, "message 99", at(func(t *plain, now sim.Picos, m workload.Message) {
			m.Tag = 99
			t.complete(now, m)
		})},
		{"completion of what was not posted", cluster.Unknown, "message 20", at(func(t *plain, now sim.Picos, m workload.Message) {
			m.Tag = 20 // of the third round
			t.complete(now, m)
		})},
		{"outstanding is wrong", cluster.Miscounted, "has 1 outstanding", at(func(t *plain, now sim.Picos, m workload.Message) {
			t.events.Completed(now, m)
		})},
		{"bytes are wrong", cluster.Miscounted, "have 105000 B, and 105001 B arrived", at(func(t *plain, now sim.Picos, m workload.Message) {
			t.counters.Bytes++
			t.complete(now, m)
		})},
		{"doubled long after all is done", cluster.Doubled, "is complete again", func(t *plain) {
			t.fault = &fault{tag: 20, do: func(t *plain, now sim.Picos, m workload.Message) {
				t.onTick = func(now sim.Picos, _ int) { t.events.Completed(now, m) }
				t.net.Wake(0, now+50*sim.Microsecond)
				t.complete(now, m)
			}}
		}},
		{"only timers go on", cluster.Stuck, "no byte arrived for 1ms, and 1 messages wait", at(func(t *plain, now sim.Picos, m workload.Message) {
			t.onTick = func(now sim.Picos, host int) { t.net.Wake(host, now+sim.Microsecond) }
			t.net.Wake(1, now)
		})},
		{"time stands still", cluster.Stuck, "262144 events in a row at the same time", at(func(t *plain, now sim.Picos, m workload.Message) {
			t.onTick = func(now sim.Picos, host int) { t.net.Wake(host, now) }
			t.net.Wake(1, now)
		})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := graph(t, workload.Incast{Senders: 7, Bytes: 5000, Count: 3})
			_, err := cluster.Run(quiet(fabric.SingleSwitch, 8), buildPlain(8, g.Messages(), c.change), g, cluster.Options{Stall: sim.Millisecond})
			failure := failureOf(t, err)
			require.Equal(t, c.kind, failure.Kind, err)
			require.Contains(t, failure.What, c.what)
		})
	}
}

func failureOf(t *testing.T, err error) *cluster.Failure {
	t.Helper()
	var failure *cluster.Failure
	require.ErrorAs(t, err, &failure)
	require.NotEmpty(t, failure.Dump)
	return failure
}

// TestDeadline: work that is outstanding is an error, with what waits.
func TestDeadline(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 20, Bytes: 1 << 20, Count: 2})
	result, err := run(g, cluster.Options{Deadline: 15 * sim.Microsecond, Bin: sim.Microsecond})
	failure := failureOf(t, err)
	require.Equal(t, cluster.Outstanding, failure.Kind)
	require.Equal(t, 15*sim.Microsecond, failure.At)
	lines := strings.Split(err.Error(), "\n")
	require.Equal(t, "run: work outstanding at 15us: 40 of 40 messages are not complete at the deadline", lines[0])
	require.Equal(t, "  messages: 40 in all, 20 posted, 0 complete, 0 to come", lines[1])
	require.Equal(t, "  waits: message 0, 1048576 B from host 1 to 0, stream 0, posted at 0", lines[2])
	require.Equal(t, "  ... and 10 more", lines[12])
	require.Zero(t, result.Completed)
	require.NotZero(t, result.Counters.Bytes, "a part of the result is there")
	require.Len(t, result.Bins, 15)
	require.Zero(t, result.Goodput(), "and no division by nothing")
}

// TestLossyNetwork: a packet that is lost and that nobody repeats is work outstanding.
func TestLossyNetwork(t *testing.T) {
	c := fabric.Default(fabric.SingleSwitch, 8)
	c.Loss = fabric.Loss{Data: 200_000}
	net, err := fabric.New(c)
	require.NoError(t, err)
	g := graph(t, workload.Incast{Senders: 7, Bytes: 50_000})
	_, err = cluster.Run(net, buildPlain(8, 7, nil), g, cluster.Options{})
	require.Equal(t, cluster.Stuck, failureOf(t, err).Kind)
}

// talker is a plain transport that describes itself.
type talker struct{ *plain }

func (talker) Describe(lines int) string { return "host 3: a timer is missing\nhost 4: waits\n" }

func TestDumpAsksTheTransport(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 3, Bytes: 1 << 20})
	build := func(net *fabric.Network, events cluster.Events) (cluster.Transport, error) {
		tr, err := buildPlain(4, 3, nil)(net, events)
		return talker{tr.(*plain)}, err
	}
	_, err := cluster.Run(quiet(fabric.SingleSwitch, 4), build, g, cluster.Options{Deadline: sim.Microsecond})
	require.Contains(t, failureOf(t, err).Dump, "\n  host 3: a timer is missing\n  host 4: waits")
}

// odd is a workload that gives out what it is told.
type odd struct {
	messages int
	start    []workload.Message
	at       sim.Picos
	later    []workload.Message // when the first one is done
}

func (w *odd) Messages() int { return w.messages }

func (w *odd) Start(now sim.Picos, post func(sim.Picos, workload.Message)) {
	for _, m := range w.start {
		post(now+w.at, m)
	}
}

func (w *odd) Done(now sim.Picos, m workload.Message, post func(sim.Picos, workload.Message)) {
	for _, m := range w.later {
		post(now-1, m)
	}
	w.later = nil
}

// TestOddWorkloads: what cannot be posted is refused before a transport sees it.
func TestOddWorkloads(t *testing.T) {
	good := workload.Message{Src: 0, Dst: 1, Bytes: 1}
	with := func(change func(m *workload.Message)) *odd {
		m := good
		change(&m)
		return &odd{messages: 2, start: []workload.Message{m}}
	}
	cases := []struct {
		kind cluster.Kind
		what string
		w    *odd
	}{
		{cluster.Workload, "message 2 of 2 was given out", with(func(m *workload.Message) { m.Tag = 2 })},
		{cluster.Workload, "message 0 was given out a second time", &odd{messages: 2, start: []workload.Message{good, good}}},
		{cluster.Workload, "message 0 has 0 bytes, want 1..2147483648", with(func(m *workload.Message) { m.Bytes = 0 })},
		{cluster.Workload, "message 0 has 2147483649 bytes", with(func(m *workload.Message) { m.Bytes = 1<<31 + 1 })},
		{cluster.Workload, "message 0 goes from host 0 to 0, want two of 0..1", with(func(m *workload.Message) { m.Dst = 0 })},
		{cluster.Workload, "message 0 goes from host 0 to 2, want two of 0..1", with(func(m *workload.Message) { m.Dst = 2 })},
		{cluster.Workload, "message 0 goes from host 2 to 1, want two of 0..1", with(func(m *workload.Message) { m.Src = 2 })},
		{cluster.Workload, "which is past", &odd{messages: 2, start: []workload.Message{good}, later: []workload.Message{{Src: 0, Dst: 1, Bytes: 1, Tag: 1}}}},
		{cluster.Stuck, "the network is idle and 1 messages are not complete", &odd{messages: 2, start: []workload.Message{good}}},
	}
	for _, c := range cases {
		_, err := cluster.Run(quiet(fabric.SingleSwitch, 2), buildPlain(2, 2, nil), c.w, cluster.Options{})
		failure := failureOf(t, err)
		require.Equal(t, c.kind, failure.Kind)
		require.Contains(t, failure.What, c.what)
	}
}

func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for k := cluster.Workload; k <= cluster.Miscounted; k++ {
		require.NotEqual(t, "unknown", k.String())
		require.False(t, seen[k.String()])
		seen[k.String()] = true
	}
	require.Equal(t, "unknown", (cluster.Miscounted + 1).String())
}
