package arrowsort_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestPlanIsTheSameWhereverItComesFrom: in words and as JSON, of Explain and of a sort.
func TestPlanIsTheSameWhereverItComesFrom(t *testing.T) {
	mem := checked(t)
	rec := record(t, []string{"a", "b"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, null, 1]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Float64, `[1.5, 2.5, 2.5]`))
	keys := []arrowsort.Key{{Path: "a", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, {Path: "b"}}
	plan, err := arrowsort.Explain(t.Context(), rec, keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	require.Equal(t, strings.Join(plan.Lines(), "; "), plan.String())
	require.Len(t, plan.Lines(), 3)
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	require.Equal(t, `{"keys":[`+
		`{"column":"a","type":"int32","bits":2,"descending":true,"nulls_first":true,"nulls":1,"nans":0},`+
		`{"column":"b","type":"float64","bits":2,"descending":false,"nulls_first":false,"nulls":0,"nans":0}],`+
		`"words":1,"sorted":false,"reversed":false}`, string(text))
	var ofSort arrowsort.Plan
	sorted, err := arrowsort.Sort(t.Context(), rec, keys,
		arrowsort.Options{Allocator: mem, OnPlan: func(p arrowsort.Plan) { ofSort = p }})
	require.NoError(t, err)
	sorted.Release()
	require.Equal(t, plan.String(), ofSort.String())
}

func TestNoPlan(t *testing.T) {
	var none arrowsort.Plan
	require.Empty(t, none.String())
	require.Empty(t, none.Lines())
	text, err := json.Marshal(none)
	require.NoError(t, err)
	require.Equal(t, "null", string(text))
}
