package take

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

type runEnd interface{ int16 | int32 | int64 }

// runs gathers a run-end-encoded column. Neighbouring rows of the result become one run where they come from the same
// run or are equal bit by bit.
func (g *gatherer) runs(
	typ arrow.DataType, layout *arrow.RunEndEncodedType, chunks []chunk, sel selection,
) (*array.Data, error) {
	switch layout.RunEnds().ID() {
	case arrow.INT16:
		return gatherRuns[int16](g, typ, layout, chunks, sel, math.MaxInt16)
	case arrow.INT32:
		return gatherRuns[int32](g, typ, layout, chunks, sel, math.MaxInt32)
	default:
		return gatherRuns[int64](g, typ, layout, chunks, sel, math.MaxInt64)
	}
}

func gatherRuns[E runEnd](
	g *gatherer, typ arrow.DataType, layout *arrow.RunEndEncodedType, chunks []chunk, sel selection, limit int64,
) (*array.Data, error) {
	n := sel.len()
	if int64(n) > limit {
		return nil, &overflowError{typ, int64(n), limit}
	}
	positions, err := locateRuns[E](g, chunks, sel)
	if err != nil {
		return nil, err
	}
	values := children(chunks, 1)
	same, err := sameValue(layout.Encoded(), values)
	if err != nil {
		return nil, err
	}
	ends, count, err := encodeRuns[E](g, positions, same)
	if err != nil {
		return nil, err
	}
	child, err := g.column(layout.Encoded(), values, positionList(positions[:count]))
	if err != nil {
		return nil, err
	}
	endData := g.data(layout.RunEnds(), count, []*memory.Buffer{nil, ends}, nil, 0)
	return g.data(typ, n, []*memory.Buffer{nil}, []arrow.ArrayData{endData, child}, 0), nil
}

// locateRuns returns the position of each row's value, in memory of the gatherer.
func locateRuns[E runEnd](g *gatherer, chunks []chunk, sel selection) ([]uint64, error) {
	src := make([]runSource[E], len(chunks))
	values := children(chunks, 1)
	for i, e := range children(chunks, 0) {
		ends, err := numbers[E](e, 1, 0)
		if err != nil {
			return nil, err
		}
		src[i] = runSource[E]{ends: ends, offset: chunks[i].offset, rows: chunks[i].length, values: values[i].length}
	}
	b, err := g.buffer(8 * sel.len())
	if err != nil {
		return nil, err
	}
	positions := buffers.View[uint64](b.Bytes())
	return positions, findRuns(g, positions, src, sel)
}

// findRuns writes the position of each row's value.
func findRuns[E runEnd](g *gatherer, positions []uint64, src []runSource[E], sel selection) error {
	for i := range src {
		table, err := src[i].index(g, len(positions))
		if err != nil {
			return err
		}
		defer table.Release()
	}
	return g.tiles(len(positions), func(lo, hi int, block []uint64) error {
		return eachBlock(sel, lo, hi, block, func(lo int, at []uint64) error {
			// The run of the previous row, which is often the same: its chunk, rows [first,end) and number.
			var chunk, first, end, run uint64
			for i, p := range at {
				if row := p & rowMask; p>>rowBits != chunk || row < first || row >= end {
					chunk = p >> rowBits
					s := &src[chunk]
					r := s.find(int(row))
					if r >= len(s.ends) || r >= s.values {
						return fmt.Errorf("%w: no run for row %d of chunk %d", arraydata.ErrMalformed, row, chunk)
					}
					run, end = uint64(r), uint64(int(s.ends[r])-s.offset)
					first = 0
					if r > 0 {
						first = uint64(max(int(s.ends[r-1])-s.offset, 0))
					}
				}
				positions[lo+i] = chunk<<rowBits | run
			}
			return nil
		})
	})
}

// sameValue compares the values at two positions.
func sameValue(typ arrow.DataType, values []chunk) (func(p, q uint64) bool, error) {
	read := make([]valueReader, len(values))
	for i, c := range values {
		var err error
		if read[i], err = valuesOf(typ, c); err != nil {
			return nil, err
		}
	}
	return func(p, q uint64) bool {
		if p == q || read[p>>rowBits] == nil {
			return p == q
		}
		a, aValid := read[p>>rowBits](int(p & rowMask))
		b, bValid := read[q>>rowBits](int(q & rowMask))
		return aValid == bValid && a == b
	}, nil
}

// encodeRuns merges neighbours with the same value: it makes the run ends and moves one position of each run to the
// front of positions.
func encodeRuns[E runEnd](
	g *gatherer, positions []uint64, same func(p, q uint64) bool,
) (ends *memory.Buffer, count int, err error) {
	before := make([]int, (len(positions)+tileRows-1)/tileRows+1) // runs in each tile, then their prefix sum
	err = g.tiles(len(positions), func(lo, hi int, _ []uint64) error {
		for i := lo + 1; i <= hi; i++ {
			if i == len(positions) || !same(positions[i-1], positions[i]) {
				before[lo/tileRows+1]++
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for t := range before[1:] {
		before[t+1] += before[t]
	}
	count = before[len(before)-1]
	if ends, err = g.buffer(count * int(unsafe.Sizeof(E(0)))); err != nil {
		return nil, 0, err
	}
	out := buffers.View[E](ends.Bytes())
	err = g.tiles(len(positions), func(lo, hi int, _ []uint64) error {
		run := before[lo/tileRows]
		for i := lo + 1; i <= hi; i++ {
			if i == len(positions) || !same(positions[i-1], positions[i]) {
				out[run] = E(i)
				run++
			}
		}
		return nil
	})
	if err != nil { // out may hold anything
		return nil, 0, err
	}
	for run := 1; run < count; run++ {
		positions[run] = positions[out[run-1]]
	}
	return ends, count, nil
}

// A runSource is the runs of a chunk, whose first row is row offset of the runs. A table leads to the few runs that end
// in a range of rows, binary search to the one: with random rows, the steps it saves each cost a wrong guess of a
// branch.
type runSource[E runEnd] struct {
	ends         []E
	offset, rows int
	values       int
	table        []int32 // the run of row i<<shift
	shift        uint
}

// index makes the table for a number of look-ups, with about an entry for each run, but no more than one for four
// look-ups. The caller releases its buffer.
func (s *runSource[E]) index(g *gatherer, lookups int) (*memory.Buffer, error) {
	last := s.offset + s.rows
	for last>>s.shift > max(1, min(2*len(s.ends), lookups/4)) {
		s.shift++
	}
	buffer, err := g.scratch(4 * (last>>s.shift + 2))
	if err != nil {
		return nil, err
	}
	s.table = buffers.View[int32](buffer.Bytes())
	run := 0
	for i := range s.table {
		run = s.search(run, len(s.ends), i<<s.shift)
		s.table[i] = int32(run)
	}
	return buffer, nil
}

// find returns the run that holds a row of the chunk.
func (s *runSource[E]) find(row int) int {
	row += s.offset
	return s.search(int(s.table[row>>s.shift]), int(s.table[row>>s.shift+1]), row)
}

// search returns the first of runs [lo,hi) that ends after a row, or hi.
func (s *runSource[E]) search(lo, hi, row int) int {
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); int(s.ends[mid]) > row {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
