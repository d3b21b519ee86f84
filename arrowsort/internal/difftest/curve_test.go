package difftest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestCurvesOfRandomTables compares CurveIndex with cells that are made by the model.
func TestCurvesOfRandomTables(t *testing.T) {
	compareCalls(t, 8000, testrun.Count(1500, 120), (*table).checkCurve)
}

// TestCurvesOfEveryKey has every type of key, order, null placement and shape, in one chunk and in several.
func TestCurvesOfEveryKey(t *testing.T) {
	compareCallsOfEveryKey(t, (*table).checkCurve)
}

// checkCurve checks both curves over the keys; if there is only one, also over its column and a random one.
func (t *table) checkCurve(tt *testing.T, r *rand.Rand, opts arrowsort.Options) error {
	if len(t.keys) == 1 {
		pair := &table{rows: t.rows, columns: []model.Column{t.columns[t.modelKeys[0].Column]}}
		types := keyTypes()
		pair.addColumn(r, types[r.IntN(len(types))], pair.drawForm(r, 1), opts.Allocator)
		for i := range pair.columns {
			pair.addKey(r, i, r.IntN(4), false)
		}
		pair.data = pair.assemble(1)
		err := pair.checkCurve(tt, r, opts)
		pair.data.Release()
		for _, chunk := range pair.columns[1].Chunks {
			chunk.Release()
		}
		if err != nil {
			return fmt.Errorf("%s, keys %+v: %w", pair.text, pair.keys, err)
		}
	}
	wantError := len(t.keys) < keyencode.MinCurveKeys
	elements := false
	for i, key := range t.modelKeys {
		derived := key.Text != nil || key.Function != nil
		wantError = wantError || derived || slices.ContainsFunc(t.modelKeys[:i], func(k model.Key) bool {
			return k.Column == key.Column && slices.Equal(k.Fields, key.Fields)
		})
		typ := t.columns[key.Column].Type
		for _, field := range key.Fields {
			typ = typ.(*arrow.StructType).Field(field).Type
		}
		elements = elements || hasElements(typ)
	}
	for _, c := range []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder} {
		got, err := arrowsort.CurveIndex(tt.Context(), t.data, t.keys, c, opts)
		if wantError {
			if !errors.Is(err, arrowsort.ErrOption) && !errors.Is(err, arrowsort.ErrNoKeys) &&
				!(elements && errors.Is(err, arrowsort.ErrKeyType)) {
				return fmt.Errorf("CurveIndex returned the error %w of %+v", err, t.keys)
			}
			continue
		}
		if elements {
			if !errors.Is(err, arrowsort.ErrKeyType) {
				return fmt.Errorf("CurveIndex returned the error %w of lists", err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("CurveIndex: %w", err)
		}
		err = same(got.Uint64Values(), t.curveCodes(c))
		got.Release()
		if err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
	}
	return nil
}

// curveCodes returns the places of the rows on a curve, by the definition of docs/ordering.md.
func (t *table) curveCodes(c arrowsort.Curve) []uint64 {
	keys, sample := len(t.keys), sampleOf(t.rows)
	points, levels := make([]uint64, t.rows), min(16, 64/keys)
	for i, key := range t.modelKeys {
		order := model.NewOrder(t.columns, []model.Key{key})
		slices.SortStableFunc(sample, order.Compare)
		firsts, ends := cellsOf(sample, order)
		for row := range points {
			cell := sort.Search(len(firsts), func(i int) bool { return order.Compare(firsts[i], uint64(row)) > 0 }) - 1
			cell = max(cell, 0) // rows before the sample
			start := 0
			if cell > 0 {
				start = ends[cell-1]
			}
			coordinate := uint64(start+ends[cell]) << levels / uint64(2*len(sample))
			points[row] |= keyencode.Interleave(coordinate<<(64/keys-levels), i, keys)
		}
	}
	c.Codes(points, keys, levels)
	return points
}

// sampleOf returns the rows of n whose numbers have the least hashes.
func sampleOf(n int) []uint64 {
	rows := make([]uint64, n)
	for i := range rows {
		rows[i] = uint64(i)
	}
	hash := func(row uint64) uint64 {
		row += 0x9e3779b97f4a7c15
		row = (row ^ row>>30) * 0xbf58476d1ce4e5b9
		row = (row ^ row>>27) * 0x94d049bb133111eb
		return row ^ row>>31
	}
	sort.Slice(rows, func(i, k int) bool { return hash(rows[i]) < hash(rows[k]) })
	return rows[:min(n, 1<<14)]
}

// cellsOf returns the first row of each cell of a sorted sample, and the place after its last.
func cellsOf(sample []uint64, order model.Order) (firsts []uint64, ends []int) {
	share, n := max(len(sample)/512, 1), len(sample)
	for start := 0; start < n; start = ends[len(ends)-1] {
		end := start
		for end < n && end-start < share {
			group := end + 1
			for group < n && order.Compare(sample[end], sample[group]) == 0 {
				group++
			}
			if group-end >= share && end > start {
				break // a value with a cell for itself
			}
			end = group
		}
		firsts, ends = append(firsts, sample[start]), append(ends, end)
	}
	return firsts, ends
}
