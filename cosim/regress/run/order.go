package run

import (
	"cmp"
	"slices"
	"time"

	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
)

// class is how much a case is wanted early.
type class int

// Classes, the most wanted first.
const (
	failedSeed class = iota // this very execution failed when it ran last
	failed                  // the test did, with another seed
	touched                 // it is made of something else than last time
	fresh                   // it never ran
	rest
)

// item is a case in the order.
type item struct {
	at     int // index of the case
	class  class
	expect time.Duration
}

// What executions of which nothing is known are taken to last. Only their proportion matters.
const (
	expectModel   = 300 * time.Millisecond
	expectRTL     = 1500 * time.Millisecond
	expectCommand = 10 * time.Second
)

func guess(c *plan.Case) time.Duration {
	switch {
	case !c.Lockstep():
		return expectCommand
	case c.Dut == "rtl":
		return expectRTL
	}
	return expectModel
}

// order puts first what tells most: what failed last time, what was touched, what is new. Within each, every test runs
// once before any runs a second time, and long ones begin before short ones. Equal histories give equal orders.
func order(cases []plan.Case, pending []int, past map[string]*history.Past) []item {
	list := make([]item, 0, len(pending))
	for _, at := range pending {
		c := &cases[at]
		x := item{at: at, class: fresh, expect: guess(c)}
		if p := past[c.FullName()]; p != nil {
			switch {
			case p.Failed[c.Seed]:
				x.class = failedSeed
			case len(p.Failed) > 0:
				x.class = failed
			case p.Digest != c.Digest:
				x.class = touched
			default:
				x.class = rest
			}
			x.expect = max(time.Duration(p.Duration)*time.Millisecond, time.Millisecond)
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b item) int {
		x, y := &cases[a.at], &cases[b.at]
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(x.Iteration+x.Copy, y.Iteration+y.Copy), -cmp.Compare(a.expect, b.expect), cmp.Compare(a.at, b.at))
	})
	return list
}

// pack cuts the order into shards, longer ones where there would be more than may be.
func pack(list []item, workers int, p farm.Packs) [][]item {
	packs := cut(list, workers, p)
	for p.Count > 0 && len(packs) > p.Count {
		p.Least, p.Most = 2*p.Least, 2*p.Most
		packs = cut(list, workers, p)
	}
	return packs
}

// cut gives each shard a share of what is left, so that they become smaller towards the end and no worker is left with much
// when the others are through. What failed or was touched goes out in small ones: it is waited for.
func cut(list []item, workers int, p farm.Packs) [][]item {
	left := time.Duration(0)
	for i := range list {
		left += list[i].expect
	}
	var packs [][]item
	for len(list) > 0 {
		size := min(max(left/time.Duration(2*max(1, workers)), p.Least), p.Most)
		if list[0].class < fresh {
			size = p.Least
		}
		n, sum := 0, time.Duration(0)
		for n < len(list) && (n == 0 || sum+list[n].expect <= size) {
			sum += list[n].expect
			n++
		}
		packs = append(packs, list[:n])
		left -= sum
		list = list[n:]
	}
	return packs
}

// expectOf is how long a pack may take.
func expectOf(p []item) time.Duration {
	sum := time.Duration(0)
	for i := range p {
		sum += p[i].expect
	}
	return sum
}

// shardsOf describes packs to a launcher.
func shardsOf(packs [][]item, names, files []string) []farm.Shard {
	list := make([]farm.Shard, len(packs))
	for i, p := range packs {
		list[i] = farm.Shard{Name: names[i], File: files[i], Cases: len(p), Expect: expectOf(p)}
	}
	return list
}
