package arrowtest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// FromJSON returns an array of the values of a JSON list.
func FromJSON(t testing.TB, typ arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(values), array.WithUseNumber())
	require.NoError(t, err)
	return a
}

// RandomTable has a column v of a type, in batches of rows[i] rows that are slices of longer arrays, and after it a
// column s of strings, which comes out wrong when a reader or writer takes too much or too little of the first column.
func RandomTable(typ arrow.DataType, nulls float64, rows []int, seed uint64) arrow.Table {
	rng := rand.New(rand.NewPCG(seed, 1))
	meta := arrow.MetadataFrom(map[string]string{"unit": "m"})
	ofSchema := arrow.MetadataFrom(map[string]string{"owner": "tests"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "v", Type: typ, Nullable: nulls > 0, Metadata: meta},
		{Name: "s", Type: arrow.BinaryTypes.StringView, Nullable: true},
	}, &ofSchema)
	var records []arrow.Record
	for i, n := range rows {
		columns := []arrow.Array{
			RandomSlice(rng, typ, n, i%3, nulls, memory.DefaultAllocator),
			RandomSlice(rng, arrow.BinaryTypes.StringView, n, i%2, 0.3, memory.DefaultAllocator),
		}
		records = append(records, array.NewRecord(schema, columns, int64(n)))
	}
	return array.NewTableFromRecords(schema, records)
}
