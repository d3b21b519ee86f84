package benchmarks

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Spec says what a benchmark sorts; its String is the name of the benchmark.
type Spec struct {
	Type  string // one of Types
	Rows  int
	Dist  string // one of Dists
	Nulls int    // per cent of the rows
}

func (s Spec) String() string {
	return fmt.Sprintf("type=%s/rows=%d/dist=%s/nulls=%d", s.Type, s.Rows, s.Dist, s.Nulls)
}

// Table makes the record of a spec: columns key, row (int64, the row number) and value (float64). The caller releases
// it.
func Table(s Spec, mem memory.Allocator) (arrow.Record, error) {
	w, err := words(s.Dist, s.Rows)
	if err != nil {
		return nil, err
	}
	key, err := keys(s, w, mem)
	if err != nil {
		return nil, err
	}
	defer key.Release()

	r := rand.New(rand.NewPCG(12, uint64(s.Rows)))
	row, value := array.NewInt64Builder(mem), array.NewFloat64Builder(mem)
	defer row.Release()
	defer value.Release()
	row.Reserve(s.Rows)
	value.Reserve(s.Rows)
	for i := range s.Rows {
		row.UnsafeAppend(int64(i))
		value.UnsafeAppend(r.Float64())
	}
	rows, values := row.NewArray(), value.NewArray()
	defer rows.Release()
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: key.DataType(), Nullable: true},
		{Name: "row", Type: rows.DataType()},
		{Name: "value", Type: values.DataType()},
	}, nil)
	return array.NewRecord(schema, []arrow.Array{key, rows, values}, int64(s.Rows)), nil
}
