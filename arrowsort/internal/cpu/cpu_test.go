package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestShapes sorts every shape at sizes on both sides of the partition, by row numbers and with the columns.
func TestShapes(t *testing.T) {
	sizes := []int{1, 100, smallRows, smallRows + 1, 200_000, 1_000_000}
	if !testrun.Long() {
		sizes = sizes[:5]
	}
	testShapes(t, New(), sizes)
}

func testShapes(t *testing.T, e engine.Engine, sizes []int) {
	for name, shape := range shapes {
		for _, n := range sizes {
			if !testrun.Share(1, name, n) {
				continue
			}
			r := rand.New(rand.NewPCG(1, uint64(n)))
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = shape(r, n, i)
			}
			want := make([]uint64, n)
			buffers.Series(want, 0)
			slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(keys[a], keys[b]) })
			for _, job := range []engine.Job{
				{RowNumbers: 8}, {RowNumbers: 4}, {RowNumbers: 8, Gather: []int{0}}, {RowNumbers: 8, Limit: 1 + n/10},
			} {
				job.Rows, job.Columns, job.Keys, job.Threads = n, []keyencode.Column{
					uint64Column(keys),
				}, []keyencode.Key{
					{},
				}, 3
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				res, err := e.Sort(t.Context(), &job, mem)
				require.NoError(t, err)
				require.Equal(t, job.Out(), res.Rows)
				for i := range res.Rows {
					got := uint64(0)
					if job.RowNumbers == 8 {
						got = buffers.View[uint64](res.RowNumbers)[i]
					} else {
						got = uint64(buffers.View[uint32](res.RowNumbers)[i])
					}
					if got != want[i] {
						t.Fatalf(
							"%s, %d rows, job %+v: place %d has row %d (key %#x), want %d (key %#x)", name, n,
							job.RowNumbers, i, got, keys[got], want[i], keys[want[i]],
						)
					}
					if len(job.Gather) > 0 && buffers.View[uint64](res.Columns[0].Values)[i] != keys[want[i]] {
						t.Fatalf(
							"%s, %d rows: place %d has key %#x, want %#x", name, n, i,
							buffers.View[uint64](res.Columns[0].Values)[i], keys[want[i]],
						)
					}
				}
				res.Release(mem)
				mem.AssertSize(t, 0)
			}
		}
	}
}

// BenchmarkSort is workload W: an int64 key and two more columns.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000, 10_000_000} {
		r := rand.New(rand.NewPCG(1, 2))
		cols := make([]keyencode.Column, 3)
		for c := range cols {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64()
			}
			cols[c] = uint64Column(keys)
			cols[c].Kind = keyencode.Int64
		}
		for _, job := range []engine.Job{{RowNumbers: 8}, {Gather: []int{0, 1, 2}}} {
			job.Rows, job.Columns, job.Keys = n, cols, []keyencode.Key{{}}
			b.Run(fmt.Sprintf("rows=%d/gather=%d", n, len(job.Gather)), func(b *testing.B) {
				for b.Loop() {
					res, err := New().Sort(b.Context(), &job, memory.DefaultAllocator)
					require.NoError(b, err)
					res.Release(memory.DefaultAllocator)
				}
			})
		}
	}
}

// TestWriteCombining sorts every shape by write combining, however few the rows are.
func TestWriteCombining(t *testing.T) {
	testShapes(t, NewEager(), []int{smallRows + 1, 200_000})
}
