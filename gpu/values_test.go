//go:build cuda && linux && amd64

package gpu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

var valueKinds = []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Int32, keyencode.Uint64}

// TestKeysOnly sorts columns that are all of the job, of every distribution, by partition and bucket sort in one pass
// and in two, or by digits where the device declines them.
func TestKeysOnly(t *testing.T) {
	e := openForTest(t)
	names := slices.Sorted(maps.Keys(draws))
	accepted, declined, ordered, split := 0, 0, 0, 0
	for i, name := range names {
		for k, kind := range valueKinds {
			rows := []int{9001, 20_003, 30_007}[(i+k)%3]
			key := numberKey{kind: kind, null: percent((i+k)%3*35, 7)}
			key.value = draws[name].by(rows, key.bytes(), uint64(i))
			d := checkValues(t, e, partitionings[(i+k)%len(partitionings)], name, rows, key.in(i+k/2))
			accepted += int(d.Accepted)
			if d.Accepted == 0 {
				declined++
			}
			if d.Reason == abi.ReasonOrdered {
				ordered++
			}
			expect(t, e, name != "uniform" || d.Accepted == 1, "uniform rows are declined: %d", d.Reason)
			split += int(d.Split)
		}
	}
	expect(t, e, min(accepted, declined, ordered, split) > 3, "%d accepted, %d declined, %d in order, %d split",
		accepted, declined, ordered, split)
}

// TestKeysOnlyTiles sorts numbers of rows around the edges of tiles and bucket ranges.
func TestKeysOnlyTiles(t *testing.T) {
	e := openForTest(t)
	edges := []int{1, 2, 33, 2015, kernels.BucketRangeRows}
	for _, tile := range []int{kernels.PartitionTile, kernels.PartitionWideTile, kernels.PartitionOnlyTile,
		kernels.PartitionSecondTile} {
		edges = append(edges, tile-1, tile, tile+1, 2*tile+1)
	}
	for i, rows := range edges {
		for k, kind := range valueKinds {
			name := []string{"uniform", "and of 2", "2^17 values", "1 % hot"}[(i/2+k)%4]
			key := numberKey{kind: kind, null: percent((i+k)%2*20, 7)}
			key.value = draws[name].by(rows, key.bytes(), uint64(i))
			checkValues(t, e, partitionings[(i+k)%len(partitionings)], name, rows, key.in(i))
		}
	}
}

// TestKeysOnlyByDigits sorts keys only by their digits: numbers of rows around the edges of tiles, strips, and digits
// of which some are constant.
func TestKeysOnlyByDigits(t *testing.T) {
	e := openForTest(t)
	e.tuning.BucketRows = 0
	const tile, short = kernels.BinningTile, kernels.BinningValueTile
	for i, rows := range []int{1, 31, 1000, tile - 1, tile + 1, short - 1, short, short + 1, 2*short + 5} {
		for k, kind := range valueKinds {
			e.tuning.StripRows = []int{kernels.StripRows, tile + 7*32}[(i+k)%2]
			e.tuning.AskManyRows = (i + k) % 3 * 2000
			name := []string{"uniform", "and of 8", "low bits", "five values", "constant"}[(i+k)%5]
			key := numberKey{kind: kind}
			key.value = draws[name].by(rows, key.bytes(), uint64(i))
			checkValues(t, e, partitioning{}, name, rows, key.in(i+k/2))
		}
	}
}

// checkValues sorts a column that is the only key and the only column, compares the result with a sort on the host, and
// returns the decision of the device.
func checkValues(t *testing.T, e *Engine, p partitioning, what string, rows int, k numberKey) abi.Decision {
	t.Helper()
	e.tuning.SmallSortRows = 0
	if p.name != "" {
		p.set(&e.tuning, rows)
	}
	column := k.column(rows)
	job := &engine.Job{Rows: rows, Columns: []keyencode.Column{column}, Gather: []int{0},
		Keys: []keyencode.Key{{Column: 0, Order: k.order, Nulls: k.nulls}}}
	result, err := e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err)
	what = fmt.Sprintf("%s, %s, %d rows, kind %d, order %d, nulls %d", p.name, what, rows, k.kind, k.order, k.nulls)
	chunk, got := column.Chunks[0], result.Columns[0]
	want := numbersOf(k, chunk.Values[chunk.Offset*k.bytes():],
		func(row int) bool { return k.null == nil || !k.null(row) })
	slices.SortFunc(want, k.compare)
	nulls, first := rows-len(want), 0
	if k.nulls == keyencode.NullsAtStart {
		first = nulls
	}
	isValid := func(row int) bool { return row >= first && row < first+len(want) }
	require.Equal(t, nulls, got.Nulls, what)
	require.Equal(t, nulls > 0, got.Validity != nil, what)
	for row := 0; nulls > 0 && row < rows; row++ {
		require.Equal(t, isValid(row), buffers.Bit(got.Validity, row), "%s: row %d", what, row)
	}
	require.Equal(t, want, numbersOf(k, got.Values, isValid), what)
	s := <-e.turn
	defer func() { e.turn <- s }()
	return s.Reports.Report.Decision
}

// compare compares two integers in the order of the key.
func (k numberKey) compare(a, b int64) int {
	c := cmp.Compare(a, b)
	if k.kind == keyencode.Uint32 || k.kind == keyencode.Uint64 {
		c = cmp.Compare(uint64(a), uint64(b))
	}
	if k.order == keyencode.Descending {
		return -c
	}
	return c
}

// numbersOf are the integers of the valid rows of a buffer.
func numbersOf(k numberKey, values []byte, valid func(row int) bool) []int64 {
	numbers := []int64{}
	for row := range len(values) / k.bytes() {
		at := values[row*k.bytes():]
		switch {
		case !valid(row):
		case k.kind == keyencode.Uint32:
			numbers = append(numbers, int64(binary.LittleEndian.Uint32(at)))
		case k.kind == keyencode.Int32:
			numbers = append(numbers, int64(int32(binary.LittleEndian.Uint32(at))))
		default:
			numbers = append(numbers, int64(binary.LittleEndian.Uint64(at)))
		}
	}
	return numbers
}
