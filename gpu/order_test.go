//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A nearlySorted column has rows in order, or reversed, but for some of them.
type nearlySorted struct {
	kind       keyencode.Kind
	rows       int
	falls      bool
	equal      int  // neighbour rows that have one value
	tied       bool // the last two rows are equal
	misplaced  int  // rows that have the value of another one
	late, by   int  // rows in the middle that come by rows later
	none, from int  // rows without a value from one on: null, or NaN
	nan        bool
	descending keyencode.Order
}

// key is the column: each row has the number of its place in the order, in steps, with zero in the middle.
func (c nearlySorted) key() numberKey {
	places := make([]int, c.rows)
	for i := range places {
		places[i] = i
	}
	if c.late > 0 {
		for i := range c.late + c.by {
			places[c.rows/2+i] = c.rows/2 + (i+c.late)%(c.late+c.by)
		}
	}
	for i := range uint64(c.misplaced) {
		places[mix(i)%uint64(c.rows)] = int(mix(i*7+1) % uint64(c.rows))
	}
	without := func(row int) bool { return row >= c.from && row < c.from+c.none }
	k := numberKey{kind: c.kind, order: c.descending, value: func(row int) uint64 {
		if c.nan && without(row) {
			return floatBits(c.kind, math.NaN())
		}
		place := places[row]
		if c.tied && row == c.rows-1 {
			place--
		}
		number := place/c.equal*1000 - c.rows/2*1000
		if c.falls != (c.descending == keyencode.Descending) {
			number = -number
		}
		if c.kind == keyencode.Float32 || c.kind == keyencode.Float64 {
			return floatBits(c.kind, float64(number))
		}
		return uint64(number)
	}}
	if c.none > 0 && !c.nan {
		k.null = without
	}
	return k
}

// TestColumnsInOrder sorts columns whose sample is in order: all rows are, or some are not, so that the sort restarts.
func TestColumnsInOrder(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows = 0
	const inOrder, broken, either = 1, 2, 3
	restarted := 0
	check := func(c nearlySorted, want int) {
		t.Helper()
		for _, c.descending = range []keyencode.Order{keyencode.Ascending, keyencode.Descending} {
			what := fmt.Sprintf("%+v", c)
			report := checkNumbers(t, e, what, c.rows, c.key())
			is := broken
			if report.Sample&abi.StatusInOrder != 0 {
				is = inOrder
			} else {
				restarted++
			}
			expect(t, e, is&want != 0, "%s: in order %t", what, is == inOrder)
		}
	}
	for i, kind := range []keyencode.Kind{keyencode.Int32, keyencode.Int64, keyencode.Float32, keyencode.Float64} {
		for _, rows := range []int{2048, 2049 + i, 2303, 2304 + i, 8193, 21_000 + 7*i} {
			check(nearlySorted{kind: kind, rows: rows, equal: 1}, inOrder)
			check(nearlySorted{kind: kind, rows: rows, equal: 1, falls: true}, inOrder)
			check(nearlySorted{kind: kind, rows: rows, equal: 7}, inOrder)             // ties are in order,
			check(nearlySorted{kind: kind, rows: rows, equal: 7, falls: true}, broken) // but not in reverse
			check(nearlySorted{kind: kind, rows: rows, equal: 1, falls: true, tied: true}, broken)
		}
	}
	for _, rows := range []int{2500, 9000, 30_000} {
		for _, misplaced := range []int{1, 2, 9, 14, 400} {
			for _, equal := range []int{1, 50} {
				check(nearlySorted{kind: keyencode.Int64, rows: rows, equal: equal, misplaced: misplaced}, either)
				check(nearlySorted{kind: keyencode.Float32, rows: rows, equal: equal, misplaced: misplaced}, either)
			}
			check(nearlySorted{kind: keyencode.Int64, rows: rows, equal: 1, misplaced: misplaced, falls: true}, either)
		}
	}
	for _, by := range []int{1, 5, 2000} {
		check(nearlySorted{kind: keyencode.Int64, rows: 30_000, equal: 1, late: 1, by: by}, either)
		check(nearlySorted{kind: keyencode.Int32, rows: 30_000, equal: 1, late: 400, by: by}, either)
	}
	for _, from := range []int{0, 20_000, 39_999} { // which the sample does not see
		for _, nan := range []bool{false, true} {
			check(nearlySorted{kind: keyencode.Float64, rows: 40_000, equal: 1, none: 1, from: from, nan: nan}, either)
		}
	}
	check(nearlySorted{kind: keyencode.Int32, rows: 40_000, equal: 1, none: 40_000}, either)
	expect(t, e, restarted >= 80, "%d restart", restarted)
}
