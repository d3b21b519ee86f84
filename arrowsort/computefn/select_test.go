package computefn_test

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

// TestSelectK takes the first k rows for every k: they are the head of sort_indices.
func TestSelectK(t *testing.T) {
	for name, test := range arrayCases {
		for _, typ := range test.types {
			t.Run(name+"/"+typ.String(), func(t *testing.T) {
				c := newCaller(t)
				whole := c.array(typ, test.json)
				chunked := c.cut(whole, whole.Len()/2)
				for i, mode := range modes {
					for k := range int64(len(test.want[i])) + 2 {
						opts := computefn.SelectKOptions{
							K: k, SortKeys: []computefn.SortKey{{Order: mode.Order, NullPlacement: mode.NullPlacement}},
						}
						want := test.want[i][:min(k, int64(len(test.want[i])))]
						require.Equal(t, want, c.rows("select_k_unstable", opts, whole), "k = %d, %+v", k, mode)
						require.Equal(
							t, want, c.rows("select_k_unstable", opts, chunked), "k = %d, %+v, chunked", k, mode,
						)
					}
				}
			})
		}
	}
}

func TestSelectKOfRecordsAndTables(t *testing.T) {
	for name, test := range tableCases {
		t.Run(name, func(t *testing.T) {
			c := newCaller(t)
			half := len(test.rows) / 2
			for _, d := range []arrowsort.Data{
				c.record(test.schema, list(test.rows)), c.table(test.schema, list(test.rows[:half]),
					list(test.rows[half:]))} {
				for _, k := range []int{0, 1, 2, len(test.rows), math.MaxInt} {
					opts := computefn.SelectKOptions{K: int64(k), SortKeys: test.keys}
					require.Equal(
						t, test.end[:min(k, len(test.end))], c.rows("select_k_unstable", opts, d), "k = %d", k,
					)
				}
			}
		})
	}
}

// TestSelectNothing finds fault with the keys also when no row is wanted.
func TestSelectNothing(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	defer datum.Release()
	err := c.fail("select_k_unstable", computefn.SelectKOptions{SortKeys: []computefn.SortKey{by("b", asc)}}, datum)
	require.ErrorIs(t, err, arrow.ErrInvalid)
}
