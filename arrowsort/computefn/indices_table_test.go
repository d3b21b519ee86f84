package computefn_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

// tableCase sorts the same rows as a record and as tables of several chunkings.
type tableCase struct {
	schema     *arrow.Schema
	rows       []string // one JSON object each
	keys       []computefn.SortKey
	end, start []uint64
}

var tableCases = map[string]tableCase{
	"NaN and null in both keys": {
		schema("a", arrow.PrimitiveTypes.Float32, "b", arrow.PrimitiveTypes.Float64),
		[]string{
			`{"a":"NaN","b":1}`, `{"a":2,"b":null}`, `{"a":null,"b":4}`, `{"a":2,"b":"NaN"}`, `{"a":"NaN","b":7}`,
			`{"a":null,"b":"NaN"}`, `{"a":2,"b":3}`,
		},
		[]computefn.SortKey{by("a", asc), by("b", desc)},
		[]uint64{6, 3, 1, 4, 0, 2, 5}, []uint64{5, 2, 4, 0, 1, 3, 6},
	},
	"boolean": {
		schema("a", arrow.FixedWidthTypes.Boolean, "b", arrow.FixedWidthTypes.Boolean),
		[]string{
			`{"a":true,"b":false}`, `{"a":null,"b":true}`, `{"a":false,"b":null}`, `{"a":true,"b":true}`,
			`{"a":false,"b":false}`,
		},
		[]computefn.SortKey{by("a", desc), by("b", asc)},
		[]uint64{0, 3, 4, 2, 1}, []uint64{1, 0, 3, 2, 4},
	},
	"strings and fixed size binary": {
		schema("a", arrow.BinaryTypes.LargeString, "b", &arrow.FixedSizeBinaryType{ByteWidth: 3}),
		[]string{
			`{"a":"oak","b":"BBBB"}`, `{"a":"oak","b":null}`, `{"a":"ash","b":"AAAA"}`, `{"a":"oak","b":"AAAA"}`,
			`{"a":"","b":"AAAA"}`,
		},
		[]computefn.SortKey{by("a", desc), by("b", asc)},
		[]uint64{3, 0, 1, 2, 4}, []uint64{1, 3, 0, 2, 4},
	},
	"decimals": {
		schema("a", &arrow.Decimal128Type{Precision: 3, Scale: 1}, "b", &arrow.Decimal256Type{Precision: 4, Scale: 2}),
		[]string{
			`{"a":"1.5","b":"0.25"}`, `{"a":"-1.5","b":"0.25"}`, `{"a":"1.5","b":null}`, `{"a":"1.5","b":"-0.25"}`,
		},
		[]computefn.SortKey{by("a", asc), by("b", desc)},
		[]uint64{1, 0, 3, 2}, []uint64{1, 2, 0, 3},
	},
	"null columns do not order": {
		schema("a", arrow.Null, "b", arrow.PrimitiveTypes.Int32, "c", arrow.Null),
		[]string{`{"a":null,"b":5,"c":null}`, `{"a":null,"b":5,"c":null}`, `{"a":null,"b":1,"c":null}`},
		[]computefn.SortKey{by("a", desc), by("b", asc), by("c", asc)}, []uint64{2, 0, 1}, []uint64{2, 0, 1},
	},
	"the first of equal keys wins": {
		schema("a", arrow.PrimitiveTypes.Int64, "b", arrow.PrimitiveTypes.Uint8),
		[]string{`{"a":2,"b":1}`, `{"a":1,"b":1}`, `{"a":2,"b":3}`, `{"a":1,"b":2}`},
		[]computefn.SortKey{by("a", asc), by("b", desc), by("a", desc), by("b", asc)},
		[]uint64{3, 1, 2, 0}, []uint64{3, 1, 2, 0},
	},
	"more than 64 bits of keys": {
		schema(
			"a", arrow.PrimitiveTypes.Int64, "b", arrow.PrimitiveTypes.Int64, "c", arrow.FixedWidthTypes.Timestamp_us,
		),
		[]string{`{"a":9223372036854775807,"b":-9223372036854775808,"c":1}`, `{"a":-9223372036854775808,"b":0,"c":2}`,
			`{"a":9223372036854775807,"b":-9223372036854775808,"c":null}`,
			`{"a":9223372036854775807,"b":9223372036854775807,"c":0}`},
		[]computefn.SortKey{by("a", desc), by("b", asc), by("c", asc)},
		[]uint64{0, 2, 3, 1}, []uint64{2, 0, 3, 1},
	},
	"nested": {
		schema(
			"s", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int16, Nullable: true}), "y",
			arrow.PrimitiveTypes.Int8,
		),
		[]string{
			`{"s":{"x":3},"y":1}`, `{"s":null,"y":2}`, `{"s":{"x":1},"y":3}`, `{"s":{"x":null},"y":4}`,
			`{"s":{"x":3},"y":0}`,
		},
		[]computefn.SortKey{{Target: compute.FieldRefList("s", "x")}, {Target: compute.FieldRefIndex(1)}},
		[]uint64{2, 4, 0, 1, 3}, []uint64{1, 3, 2, 4, 0},
	},
	"empty": {
		schema("a", arrow.PrimitiveTypes.Int64, "b", arrow.BinaryTypes.String), nil,
		[]computefn.SortKey{by("a", asc), by("b", desc)}, []uint64{}, []uint64{},
	},
}

func TestSortIndicesOfRecordsAndTables(t *testing.T) {
	for name, test := range tableCases {
		t.Run(name, func(t *testing.T) {
			c := newCaller(t)
			data := []arrowsort.Data{c.record(test.schema, list(test.rows))}
			for cut := range len(test.rows) + 1 {
				data = append(data, c.table(test.schema, list(test.rows[:cut]), list(test.rows[cut:])))
			}
			for i, d := range data {
				for placement, want := range map[arrowsort.NullPlacement][]uint64{end: test.end, start: test.start} {
					opts := computefn.SortOptions{SortKeys: test.keys, NullPlacement: new(placement)}
					require.Equal(
						t, want, c.rows("sort_indices", opts, d), "data %d (0: record), null placement %d", i,
						placement,
					)
					requireSorts(c, opts, d)
				}
			}
		})
	}
}

func TestNullPlacementPerKey(t *testing.T) {
	c := newCaller(t)
	data := c.record(schema("a", arrow.PrimitiveTypes.Int8, "b", arrow.PrimitiveTypes.Int8),
		`[{"a":null,"b":1},{"a":1,"b":2},{"a":1,"b":null},{"a":null,"b":null}]`)
	keys := []computefn.SortKey{by("a", asc), by("b", asc)}
	keys[1].NullPlacement = start
	require.Equal(t, []uint64{2, 1, 3, 0}, c.rows("sort_indices", computefn.SortOptions{SortKeys: keys}, data))
	keys[0].NullPlacement, keys[1].NullPlacement = start, end
	require.Equal(t, []uint64{0, 3, 1, 2}, c.rows("sort_indices", computefn.SortOptions{SortKeys: keys}, data))
}

func TestColumnsOfOneName(t *testing.T) {
	c := newCaller(t)
	two := array.NewRecord(schema("a", arrow.PrimitiveTypes.Int8, "a", arrow.PrimitiveTypes.Int8), []arrow.Array{
		c.array(arrow.PrimitiveTypes.Int8, `[1, 2]`), c.array(arrow.PrimitiveTypes.Int8, `[8, 7]`)}, 2)
	defer two.Release()
	opts := computefn.SortOptions{SortKeys: []computefn.SortKey{{Target: compute.FieldRefIndex(1)}}}
	require.Equal(t, []uint64{1, 0}, c.rows("sort_indices", opts, two))

	opts.SortKeys[0].Target = compute.FieldRefName("a")
	datum := compute.NewDatum(two)
	defer datum.Release()
	err := c.fail("sort_indices", opts, datum)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(t, err, "FieldRefIndex")
}

// TestHeterogeneousChunks sorts by columns whose chunks end at different rows.
func TestHeterogeneousChunks(t *testing.T) {
	c := newCaller(t)
	sch := schema("a", arrow.PrimitiveTypes.Int8, "b", arrow.BinaryTypes.String)
	a := c.chunked(arrow.PrimitiveTypes.Int8, `[2, 1]`, `[]`, `[null, 2, 1]`)
	b := c.chunked(arrow.BinaryTypes.String, `["d"]`, `["c", "b", "a"]`, `["c"]`)
	columns := []arrow.Column{*arrow.NewColumn(sch.Field(0), a), *arrow.NewColumn(sch.Field(1), b)}
	table := array.NewTable(sch, columns, 5)
	defer table.Release()
	for i := range columns {
		columns[i].Release()
	}
	opts := computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc), by("b", asc)}}
	require.Equal(t, []uint64{1, 4, 3, 0, 2}, c.rows("sort_indices", opts, table))
	requireSorts(c, opts, table)
}

func list(rows []string) string {
	out := "["
	for i, row := range rows {
		if i > 0 {
			out += ","
		}
		out += row
	}
	return out + "]"
}
