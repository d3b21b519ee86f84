package difftest

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A subject is an engine that is compared with the model.
type subject struct {
	engine  engine.Engine    // nil: the one that sorts by default
	memory  memory.Allocator // of tables and results, in place of Go's for every other of them; nil: Go's for all
	threads []int
	most    int // rows of a table
	large   int // percentage of the tables that may reach the most rows
	rows    int // of every table, where it is not 0: to repeat a failure
}

// compareRandom compares the tables of some seeds with the model.
func (s subject) compareRandom(t *testing.T, first, tables int) {
	compareAll(t, tables, func(i int) error {
		seed := testrun.Seed() + uint64(first+i)
		r := rand.New(rand.NewPCG(seed, 1))
		threads := s.threads[r.IntN(len(s.threads))]
		rows := s.drawRows(r, s.drawMost(r), threads)
		return s.compare(t, r, threads, func(mem memory.Allocator) *table { return newTable(seed, rows, mem) })
	})
}

// compareKeys compares the table of each case with the model.
func (s subject) compareKeys(t *testing.T, cases []keyCase) {
	compareAll(t, len(cases), func(i int) error {
		r := rand.New(rand.NewPCG(cases[i].seed, 4))
		threads := s.threads[r.IntN(len(s.threads))]
		rows := s.drawRows(r, s.drawMost(r), threads)
		return s.compare(t, r, threads, func(mem memory.Allocator) *table { return cases[i].table(rows, mem) })
	})
}

// compare compares the sorts of one table with the model.
func (s subject) compare(t *testing.T, r *rand.Rand, threads int, make func(memory.Allocator) *table) error {
	memories := []*memory.CheckedAllocator{s.checkedMemory(r), s.checkedMemory(r)}
	for _, mem := range memories {
		defer mem.AssertSize(t, 0)
	}
	tab := make(memories[0])
	defer tab.release()
	opts := arrowsort.Options{Engine: s.engine, Allocator: memories[1], Threads: threads}
	err := tab.check(t, r, opts)
	if err == nil && s.engine == nil { // what only the CPU does
		if err = tab.checkSorted(t, model.NewOrder(tab.columns, tab.modelKeys), opts); err == nil {
			err = tab.checkTake(t, r, opts)
		}
	}
	if err != nil {
		return fmt.Errorf("%s, %d threads: %w", tab.text, threads, err)
	}
	return nil
}

func (s subject) checkedMemory(r *rand.Rand) *memory.CheckedAllocator {
	if s.memory != nil && r.IntN(2) == 0 {
		return memory.NewCheckedAllocator(s.memory)
	}
	return memory.NewCheckedAllocator(memory.NewGoAllocator())
}

// drawMost draws the most rows that a table may have. Of the tables that are not large 1 in 20 may have 2^17 rows, the
// others 4,096.
func (s subject) drawMost(r *rand.Rand) int {
	switch n := r.IntN(100); {
	case n < s.large:
		return s.most
	case n < s.large+5:
		return min(s.most, 1<<17)
	default:
		return min(s.most, 1<<12)
	}
}

// drawRows draws a number of rows up to most: linearly or logarithmically, and for an engine that has thresholds as
// often around and between them.
func (s subject) drawRows(r *rand.Rand, most, threads int) int {
	if s.rows > 0 {
		return s.rows
	}
	around := []int{0, most}
	if e, ok := s.engine.(engine.ThresholdLister); ok {
		for _, threshold := range e.Thresholds(threads) {
			around = append(around, min(threshold.Rows, most))
		}
	}
	slices.Sort(around)
	around = slices.Compact(around)
	at := 1 + r.IntN(len(around)-1)
	switch r.IntN(4) {
	case 0:
		return max(0, min(most, around[at]+r.IntN(5)-2))
	case 1:
		return around[at-1] + r.IntN(around[at]-around[at-1])
	case 2:
		return r.IntN(most + 1)
	default:
		return min(most, r.IntN(1+1<<r.IntN(1+bits.Len(uint(most)))))
	}
}

// compareAll compares items on all threads and fails for those that differ, of which it shows some.
func compareAll(t *testing.T, items int, compare func(i int) error) {
	type failure struct {
		item int
		err  error
	}
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan failure, items)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1) - 1); i < items; i = int(next.Add(1) - 1) {
				if err := compare(i); err != nil {
					failures <- failure{i, err}
				}
			}
		})
	}
	group.Wait()
	close(failures)
	var all []failure
	for f := range failures {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b failure) int { return cmp.Compare(a.item, b.item) })
	for _, f := range all[:min(len(all), 20)] {
		t.Error(f.err)
	}
	t.Logf("%d tables, %d wrong", items, len(all))
}
