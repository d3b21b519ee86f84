package difftest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// foreign is an engine that is not the one that sorts by default.
type foreign struct{ engine.Engine }

// TestRandomRanks compares ranks, groups, partitions and selections of random tables with the model: of every type of
// key in every order and null placement. One table in twenty may have 2^17 rows.
func TestRandomRanks(t *testing.T) {
	compareAll(t, testrun.Count(2000, 120), func(i int) error { return compareRanks(t, testrun.Seed()+uint64(i)) })
}

func compareRanks(t *testing.T, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 15))
	data, results := memory.NewCheckedAllocator(memory.NewGoAllocator()),
		memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer data.AssertSize(t, 0)
	defer results.AssertSize(t, 0)
	most := []int{3000, 1000, 100}[r.IntN(3)]
	if r.IntN(20) == 0 {
		most = 1 << 17
	}
	tab := newTable(seed, onCPU.drawRows(r, most, 0), data)
	defer tab.release()
	opts := arrowsort.Options{Allocator: results, Threads: r.IntN(4)}
	if r.IntN(3) == 0 {
		opts.Engine = foreign{cpu.New()}
	}
	if err := tab.checkRanks(t, r, opts); err != nil {
		return fmt.Errorf("%s, engine %v, %d threads: %w", tab.text, opts.Engine, opts.Threads, err)
	}
	return nil
}

// checkRanks checks all functions that are about ties, of all rows or of the first of them.
func (t *table) checkRanks(tt *testing.T, r *rand.Rand, opts arrowsort.Options) error {
	all, n := t.rows, t.rows
	if t.rows > 0 && r.IntN(4) == 0 {
		n = min(n, 1+r.IntN(t.rows+2))
		head := *t
		head.data, head.rows = sliceData(t.data, 0, n), n
		defer head.data.Release()
		t = &head
	}
	order := model.NewOrder(t.columns, t.modelKeys)
	beyond := func(row uint64) bool { return row >= uint64(n) }
	sorted := slices.DeleteFunc(model.Rows(t.columns, all, t.modelKeys), beyond)
	return errors.Join(
		t.checkRank(tt, order, sorted, opts), t.checkGroups(tt, order, n, opts),
		t.checkSortedGroups(tt, order, opts), t.checkPartitionNth(tt, r, sorted, opts),
		t.checkSelectK(tt, r, sorted, opts),
	)
}

// ranksOf are the ranks of sorted rows by the model.
func ranksOf(order model.Order, sorted []uint64) (ranks map[arrowsort.TieBreaker][]uint64, average []float64) {
	ranks = map[arrowsort.TieBreaker][]uint64{}
	for _, ties := range []arrowsort.TieBreaker{
		arrowsort.TiesFirst, arrowsort.TiesMin, arrowsort.TiesMax, arrowsort.TiesDense,
	} {
		ranks[ties] = make([]uint64, len(sorted))
	}
	average = make([]float64, len(sorted))
	dense := uint64(0)
	for i := 0; i < len(sorted); {
		end := i + 1
		for end < len(sorted) && order.Compare(sorted[i], sorted[end]) == 0 {
			end++
		}
		dense++
		for place, row := range sorted[i:end] {
			ranks[arrowsort.TiesFirst][row] = uint64(i + place + 1)
			ranks[arrowsort.TiesMin][row] = uint64(i + 1)
			ranks[arrowsort.TiesMax][row] = uint64(end)
			ranks[arrowsort.TiesDense][row] = dense
			average[row] = float64(i+1+end) / 2
		}
		i = end
	}
	return ranks, average
}

func (t *table) checkRank(tt *testing.T, order model.Order, sorted []uint64, opts arrowsort.Options) error {
	ranks, average := ranksOf(order, sorted)
	for ties, want := range ranks {
		got, err := arrowsort.Rank(tt.Context(), t.data, t.keys, ties, opts)
		if err != nil {
			return fmt.Errorf("Rank: %w", err)
		}
		err = same(got.Uint64Values(), want)
		got.Release()
		if err != nil {
			return fmt.Errorf("Rank, tie breaker %d: %w", ties, err)
		}
	}
	got, err := arrowsort.RankAverage(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return fmt.Errorf("RankAverage: %w", err)
	}
	defer got.Release()
	if err := same(got.Float64Values(), average); err != nil {
		return fmt.Errorf("RankAverage: %w", err)
	}
	return nil
}

// same compares a result with what it must be.
func same[T comparable](got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("place %d: %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// bordersOf are the borders of the groups of n rows by the model, and the first row that is not in order or -1.
func bordersOf(order model.Order, n int) (borders []uint64, unsorted int) {
	for row := range uint64(n) {
		if row > 0 {
			switch c := order.Compare(row-1, row); {
			case c > 0:
				return nil, int(row)
			case c == 0:
				continue
			}
		}
		borders = append(borders, row)
	}
	return append(borders, uint64(n)), -1
}

// checkGroups checks the groups of the first n rows as they are: an error, most of the time.
func (t *table) checkGroups(tt *testing.T, order model.Order, n int, opts arrowsort.Options) error {
	want, unsorted := bordersOf(order, n)
	opts.Engine = nil
	got, err := arrowsort.Groups(tt.Context(), t.data, t.keys, opts)
	if unsorted >= 0 {
		text := fmt.Sprintf("row %d sorts before row %d; sort by the keys first", unsorted, unsorted-1)
		if !errors.Is(err, arrowsort.ErrUnsorted) || err.Error() != "arrowsort: not sorted: "+text || got != nil {
			return fmt.Errorf("Groups returned the error %w, want row %d", err, unsorted)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("Groups: %w", err)
	}
	defer got.Release()
	if err := same(got.Uint64Values(), want); err != nil {
		return fmt.Errorf("Groups: %w", err)
	}
	return nil
}

// checkSortedGroups checks the groups of the data when it is sorted.
func (t *table) checkSortedGroups(tt *testing.T, order model.Order, opts arrowsort.Options) error {
	sorted, err := arrowsort.Sort(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return fmt.Errorf("Sort: %w", err)
	}
	defer sorted.Release()
	columns := slices.Clone(t.columns)
	for i, chunks := range chunksOf(sorted) {
		columns[i].Chunks = chunks
	}
	in := *t
	in.data = sorted
	return in.checkGroups(tt, model.NewOrder(columns, t.modelKeys), t.rows, opts)
}

func (t *table) checkPartitionNth(tt *testing.T, r *rand.Rand, sorted []uint64, opts arrowsort.Options) error {
	n := len(sorted)
	for _, nth := range []int{r.IntN(n + 1), r.IntN(n/8 + 1), 0, n} {
		rows, err := arrowsort.PartitionNth(tt.Context(), t.data, t.keys, nth, opts)
		if err != nil {
			return fmt.Errorf("PartitionNth: %w", err)
		}
		got := slices.Clone(rows.Uint64Values())
		rows.Release()
		if nth < n {
			if err := same(got[:min(nth+1, len(got))], sorted[:nth+1]); err != nil {
				return fmt.Errorf("PartitionNth, nth is %d: %w", nth, err)
			}
		}
		slices.Sort(got)
		for i, row := range got {
			if len(got) != n || row != uint64(i) {
				return fmt.Errorf("PartitionNth, nth is %d: %d rows; place %d when sorted: %d", nth, len(got), i, row)
			}
		}
	}
	return nil
}

// checkSelectK takes the first keys for the groups and the others for the order in them.
func (t *table) checkSelectK(tt *testing.T, r *rand.Rand, sorted []uint64, opts arrowsort.Options) error {
	k, keys := 1+r.IntN([]int{2, 5, 1000}[r.IntN(3)]), 1+r.IntN(len(t.keys))
	groups := model.NewOrder(t.columns, t.modelKeys[:keys])
	want, size := []uint64{}, 0
	for i, row := range sorted {
		if i == 0 || groups.Compare(sorted[i-1], row) != 0 {
			size = 0
		}
		if size++; size <= k {
			want = append(want, row)
		}
	}
	got, err := arrowsort.SelectKPerGroup(tt.Context(), t.data, t.keys[:keys], t.keys[keys:], k, opts)
	if err != nil {
		return fmt.Errorf("SelectKPerGroup: %w", err)
	}
	defer got.Release()
	if err := same(got.Uint64Values(), want); err != nil {
		return fmt.Errorf("SelectKPerGroup, %d rows of groups by %d keys: %w", k, keys, err)
	}
	return nil
}
