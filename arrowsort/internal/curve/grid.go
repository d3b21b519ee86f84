package curve

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Grid divides the values of several keys into cells. It is not changed, and lies in Go's memory.
type Grid struct {
	Rows int    // of the sample
	Axes []Axis // of each key
}

// An Axis is the cells of a key, which are ranges of its order. A value that has at least 1/mostCells of the rows has a
// cell for itself, other cells have about that share.
//
//	rows of the sample   0 ........ Ends[0] ........ Ends[1] ... Ends[n-1] = Grid.Rows
//	values of the order     cell 0  │ cell 1         │ ...
//	                          Borders[0]       Borders[1]
type Axis struct {
	// Borders are the values of each column of the key at the beginning of each cell but the first.
	Borders []arrow.Array
	// Ends is the number of rows of the sample up to the end of each cell; without rows there is none.
	Ends []uint32
}

// mostCells divides the rows of a sample into those of a cell.
const mostCells = 1 << 9

// divide makes the cells of a key from the values of its columns in the rows of a sample.
func divide(ctx context.Context, columns []keypath.Column, sampled []values, rows int) (Axis, error) {
	arrays := make([]arrow.Array, len(columns))
	for i := range sampled {
		arrays[i] = sampled[i].array()
	}
	if rows == 0 {
		return Axis{Borders: arrays}, nil
	}
	sorted, err := sortRows(ctx, columns, arrays, rows)
	if err != nil {
		return Axis{}, err
	}
	// The place of a row after all that tie with it is the end of its group.
	var a Axis
	in := inputOf(sorted, rows)
	numbers := make([]uint64, rows)
	err = eachPlace(ctx, sorted, in, columnsOf(columns), Options{Allocator: goMemory, Threads: 1},
		func(lo int, places []uint64) { copy(numbers[lo:], places) })
	if err != nil {
		return a, err
	}
	var firsts []uint64
	for start, group := uint64(0), uint64(0); group < uint64(rows); {
		end := cellEnd(numbers, start)
		if start > 0 {
			firsts = append(firsts, start)
		}
		a.Ends = append(a.Ends, uint32(end))
		start, group = end, end
	}
	a.Borders, err = takeRows(ctx, sorted, firsts)
	return a, err
}

// cellEnd returns the row of a sorted sample at which the cell ends that begins with a row; ends has the end of the
// group of each row.
func cellEnd(ends []uint64, start uint64) uint64 {
	all := uint64(len(ends))
	share := max(all/mostCells, 1)
	for end := start; ; {
		group := ends[end] - end
		switch {
		case end > start && group >= share: // it has a cell for itself
			return end
		case ends[end]-start >= share, ends[end] == all:
			return ends[end]
		}
		end = ends[end]
	}
}

// goMemory allocates what is as small as a sample.
var goMemory = memory.NewGoAllocator()

// sortRows returns the values of a key in order.
func sortRows(ctx context.Context, columns []keypath.Column, arrays []arrow.Array, rows int) ([]arrow.Array, error) {
	var w adapter.JobBuilder
	w.Start(ctx, inputOf(arrays, rows), adapter.Options{Allocator: goMemory, Ranker: cpu.New(), Threads: 1})
	if err := keypath.AddKeys(&w, columnsOf(columns)); err != nil {
		return nil, err
	}
	defer w.Release()
	w.Job.RowNumbers = arrow.Uint64SizeBytes
	result, err := cpu.New().Sort(ctx, &w.Job, goMemory)
	if err != nil {
		return nil, err
	}
	defer result.Release(goMemory)
	return takeRows(ctx, arrays, buffers.View[uint64](result.RowNumbers))
}

// takeRows returns some rows of arrays.
func takeRows(ctx context.Context, arrays []arrow.Array, rows []uint64) ([]arrow.Array, error) {
	taken := make([]arrow.Array, len(arrays))
	for i, a := range arrays {
		one, err := take.Take(ctx, a.DataType(), []arrow.Array{a}, rows, take.Options{Allocator: goMemory, Threads: 1})
		if err != nil {
			return nil, err
		}
		taken[i] = one[0]
	}
	return taken, nil
}

// inputOf returns arrays as the columns of an input.
func inputOf(arrays []arrow.Array, rows int) *adapter.Input {
	in := &adapter.Input{Shape: adapter.Table, Rows: rows}
	for i, a := range arrays {
		in.Columns = append(in.Columns, adapter.Column{Type: a.DataType(), Chunks: arrays[i : i+1]})
	}
	return in
}

// columnsOf returns the columns of a key in an input that has no others.
func columnsOf(columns []keypath.Column) []keypath.Column {
	own := make([]keypath.Column, len(columns))
	for i, c := range columns {
		own[i] = c
		own[i].Path, own[i].Type = keypath.To(i), BorderType(c.Type)
	}
	return own
}

// coordinates returns the coordinate of each cell, the middle of its rows, at its places in the point.
func (a *Axis) coordinates(rows, key, keys int) []uint64 {
	levels := Levels(keys)
	points := make([]uint64, max(len(a.Ends), 1))
	start := uint64(0)
	for cell, end := range a.Ends {
		middle := (start + uint64(end)) << levels / (2 * uint64(rows))
		points[cell] = keyencode.Interleave(middle<<(keyencode.CurveBits(keys)-levels), key, keys)
		start = uint64(end)
	}
	return points
}

// Levels returns the number of leading bits of a coordinate that the cells of a key differ in.
func Levels(keys int) int {
	const most = 16 // twice as fine as a sample
	return min(keyencode.CurveBits(keys), most)
}
