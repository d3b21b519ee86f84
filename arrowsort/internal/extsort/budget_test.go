package extsort

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// The arrays of a batch of every run that is merged take at most a sixteenth of the budget, or two runs are merged.
func TestFanInOfManyColumns(t *testing.T) {
	for _, total := range []int64{MinMemory, 64 << 20, 1 << 30, maxMemory} {
		b := Budget{Total: total, All: total}
		last := math.MaxInt
		for _, columns := range []int{0, 1, 16, 100, 300, 20_000, math.MaxInt32} {
			fan := b.FanIn(columns)
			require.LessOrEqual(t, fan, last, "%d columns", columns)
			require.GreaterOrEqual(t, fan, 2)
			require.True(t, fan == 2 || int64(fan)*int64(columns)*2*batchColumn <= total/16, "%d columns", columns)
			last = fan
		}
		require.Equal(t, 64, b.FanIn(1))
	}
}

// TestBatchesOfRunsCountWhatIsDerived: a merge makes words of functions from the rows of its batches.
func TestBatchesOfRunsCountWhatIsDerived(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "b", Type: arrow.FixedWidthTypes.Boolean}}, nil)
	column := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), schema.Field(0).Type, 1<<16, 0, memory.DefaultAllocator)
	rec := array.NewRecord(schema, []arrow.Array{column}, 1<<16)
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	b := Budget{Total: MinMemory, All: MinMemory}
	plain, hashed := b.batchRows(table, []arrowsort.Key{{Path: "b"}}),
		b.batchRows(table, []arrowsort.Key{{Path: "b", Function: arrowsort.Hash(0)}})
	require.Greater(t, plain, hashed+hashed/2)
	require.LessOrEqual(t, hashed*8, max(b.batch(), batchColumn))
}
