package run

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

func TestOrder(t *testing.T) {
	c := func(test string, iteration int, seed result.Seed) plan.Case {
		return plan.Case{Suite: "s", Test: test, Iteration: iteration, Seed: seed, Digest: "now", Dut: "model", What: plan.What{Random: 1}}
	}
	cases := []plan.Case{c("rest", 0, 1), c("rest", 1, 2), c("slow", 0, 3), c("slow", 1, 4), c("new", 0, 5), c("touched", 0, 6), c("broken", 0, 7), c("broken", 1, 8)}
	past := map[string]*history.Past{
		"s/rest": {Digest: "now", Duration: 10}, "s/slow": {Digest: "now", Duration: 900}, "s/touched": {Digest: "then", Duration: 5},
		"s/broken": {Digest: "now", Duration: 5, Failed: map[result.Seed]bool{8: true}},
	}
	var got []string
	for _, x := range order(cases, []int{0, 1, 2, 3, 4, 5, 6, 7}, past) {
		got = append(got, fmt.Sprintf("%s#%d", cases[x.at].Test, cases[x.at].Iteration))
	}
	assert.Equal(t, []string{"broken#1", "broken#0", "touched#0", "new#0", "slow#0", "rest#0", "slow#1", "rest#1"}, got)
}

// TestEverythingIsPackedOnce: whatever is known of it, in packs that are no larger than they may be.
func TestEverythingIsPackedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "cases")
		cases := make([]plan.Case, n)
		past := map[string]*history.Past{}
		var pending []int
		for i := range cases {
			cases[i] = plan.Case{Suite: "s", Test: fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "test")), Iteration: i, Seed: result.Seed(i), Dut: rapid.SampledFrom([]string{"rtl", "model"}).Draw(t, "dut"), What: plan.What{Random: 1}}
			if rapid.Bool().Draw(t, "pending") {
				pending = append(pending, i)
			}
		}
		for i := range 10 {
			if rapid.Bool().Draw(t, "known") {
				past["s/"+fmt.Sprint(i)] = &history.Past{Duration: int64(rapid.IntRange(0, 100_000).Draw(t, "ms")), Digest: rapid.SampledFrom([]string{"", "x"}).Draw(t, "digest"),
					Failed: map[result.Seed]bool{}}
			}
		}
		workers := rapid.IntRange(1, 9).Draw(t, "workers")
		list := order(cases, pending, past)
		bounds := farm.Packs{Least: 2 * time.Second, Most: time.Minute, Count: rapid.IntRange(0, 12).Draw(t, "count")}
		packs := pack(list, workers, bounds)
		assert.True(t, bounds.Count == 0 || len(packs) <= bounds.Count, "%d packs", len(packs))
		var got []int
		early := rest
		for _, p := range packs {
			assert.NotEmpty(t, p)
			assert.True(t, bounds.Count > 0 || len(p) == 1 || expectOf(p) <= bounds.Most, "a pack of %d takes %v", len(p), expectOf(p))
			for _, x := range p {
				got = append(got, x.at)
			}
			assert.True(t, p[0].class >= early || early == rest)
			early = p[0].class
		}
		assert.ElementsMatch(t, pending, got)
		again := order(cases, pending, past)
		assert.Equal(t, list, again)
	})
}

// TestPacksBalance: of many cases of one length no worker gets more than its share and a bit.
func TestPacksBalance(t *testing.T) {
	local := &farm.Local{}
	var list []item
	for i := range 1000 {
		list = append(list, item{at: i, class: rest, expect: time.Second})
	}
	for _, workers := range []int{1, 2, 7} {
		free := make([]time.Duration, workers)
		for _, p := range pack(list, workers, local.Packs()) {
			least := 0
			for w := range free {
				if free[w] < free[least] {
					least = w
				}
			}
			free[least] += expectOf(p)
		}
		for _, d := range free {
			assert.LessOrEqual(t, d, 1000*time.Second/time.Duration(workers)+local.Packs().Least+time.Second, "%d workers", workers)
		}
	}
}
