package parquetsort

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// writeColumns writes an Arrow file of columns with values as in JSON.
func writeColumns(t *testing.T, path string, fields []arrow.Field, values ...string) {
	t.Helper()
	columns := make([]arrow.Array, len(fields))
	for i, f := range fields {
		column, _, err := array.FromJSON(memory.DefaultAllocator, f.Type, strings.NewReader(values[i]))
		require.NoError(t, err)
		columns[i] = column
	}
	schema := arrow.NewSchema(fields, nil)
	rec := array.NewRecord(schema, columns, int64(columns[0].Len()))
	writeTable(t, path, array.NewTableFromRecords(schema, []arrow.Record{rec}), tablefile.WriteOptions{})
}

// TestSelectByPosition: columns whose names repeat, or that have none, are selected by their positions, and keys by
// position stay those of the input, in memory and merged.
func TestSelectByPosition(t *testing.T) {
	folder := t.TempDir()
	in, empty := filepath.Join(folder, "in.arrow"), filepath.Join(folder, "empty.arrow")
	number := arrow.PrimitiveTypes.Int64
	word := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{{Name: "a", Type: number}, {Name: "", Type: number}, {Name: "c", Type: word},
		{Name: "", Type: number}, {Name: "a", Type: word}}
	writeColumns(t, in, fields, "[3,1,2]", "[10,20,30]", `["x","y","z"]`, "[6,5,4]", `["u","v","w"]`)
	writeColumns(t, empty, fields, "[]", "[]", "[]", "[]", "[]")
	for _, c := range []struct {
		key      int
		selected []string
		want     []string
	}{
		{0, []string{"#4"}, []string{"5|", "4|", "6|"}},
		{3, []string{"#2", "c"}, []string{"30|z|", "20|y|", "10|x|"}},
		{1, []string{"#5", "c"}, []string{"u|x|", "v|y|", "w|z|"}},
		{4, []string{"#1", "#4"}, []string{"3|6|", "1|5|", "2|4|"}},
	} {
		for _, inputs := range [][]string{{in}, {in, empty}} {
			for _, ext := range []string{".arrow", ".parquet"} {
				t.Run(fmt.Sprint(c.key, len(inputs), ext), func(t *testing.T) {
					out := filepath.Join(t.TempDir(), "out"+ext)
					sortFiles(t, inputs, out,
						Options{Keys: []arrowsort.Key{{At: arrowsort.Column(c.key)}},
							Columns: c.selected})
					read := readTable(t, out)
					rows := make([]string, read.Table.NumRows())
					for i := range int(read.Table.NumCols()) {
						for row, cell := range cellsOf(read.Table.Column(i)) {
							rows[row] += cell + "|"
						}
					}
					require.Equal(t, c.want, rows)
					if read.Template != nil {
						requireOrder(t, nil, read.Template) // another column has the name of the key
					}
				})
			}
		}
	}
	_, err := Sort(t.Context(), []string{in}, filepath.Join(folder, "out.arrow"),
		Options{Keys: []arrowsort.Key{{At: arrowsort.Column(0)}}, Columns: []string{"a"}})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, `Columns: 2 columns are named "a"`)
}

// requireOrder makes sure that every row group of a file names an order, of which nil is none.
func requireOrder(t *testing.T, order []tablefile.SortingColumn, file *tablefile.Template) {
	require.NotEmpty(t, file.RowGroups())
	for _, g := range file.RowGroups() {
		require.Equal(t, order, g.SortingColumns)
	}
}

// TestNoOrderByColumnsThatAreLeftOut: a Parquet file does not name the order of a column that is not in it, though a
// field of another column has the same path.
func TestNoOrderByColumnsThatAreLeftOut(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.arrow"), filepath.Join(folder, "out.parquet")
	number := arrow.PrimitiveTypes.Int64
	writeColumns(t, in, []arrow.Field{{Name: "a", Type: arrow.StructOf(arrow.Field{Name: "b", Type: number})},
		{Name: "a.b", Type: number}},
		`[{"b":1},{"b":2}]`, "[2,1]")
	for _, inputs := range [][]string{{in}, {in, in}} {
		sortFiles(t, inputs, out, Options{Keys: []arrowsort.Key{{Path: "a.b"}}, Columns: []string{"a"}})
		read, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
		require.NoError(t, err)
		requireOrder(t, nil, read.Template)
		read.Table.Release()
	}
}

// TestKeyByPositionThatIsNotSelected: a key by position stays a column of the input when columns before it are not
// read.
func TestKeyByPositionThatIsNotSelected(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.arrow"), filepath.Join(t.TempDir(), "out.arrow")
	number := arrow.PrimitiveTypes.Int64
	writeColumns(t, in, []arrow.Field{{Name: "a", Type: number}, {Name: "", Type: number}, {Name: "c", Type: number}},
		"[1,2,3]", "[30,10,20]", "[7,8,9]")
	sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{arrowsort.KeyAt(1)}, Columns: []string{"c"}})
	require.Equal(t, []string{"8|", "9|", "7|"}, textOfRows(t, out))
}

// TestSelectedColumnsAreStoredAsAll: columns that are selected, in any order, and those beside columns of partitions,
// have the types, metadata, codecs, encodings and bytes that they have in an output of all columns.
func TestSelectedColumnsAreStoredAsAll(t *testing.T) {
	foreign, err := filepath.Glob("../internal/tablefile/testdata/foreign/*.parquet")
	require.NoError(t, err)
	require.NotEmpty(t, foreign)
	for _, in := range foreign {
		for _, inputs := range [][]string{{in}, {in, in}} {
			t.Run(fmt.Sprint(filepath.Base(in), len(inputs)), func(t *testing.T) {
				opts := Options{Keys: []arrowsort.Key{{Path: "id"}}}
				all := sortedInput(t, inputs, opts)
				for i := all.Schema.NumFields() - 1; i >= 0; i -= 2 {
					opts.Columns = append(opts.Columns, all.Schema.Field(i).Name)
				}
				some := sortedInput(t, inputs, opts)
				require.EqualValues(t, len(opts.Columns), some.Table.NumCols())
				requireStoredAs(t, all, some)

				folder := filepath.Join(t.TempDir(), "folder")
				opts = Options{Keys: opts.Keys, Output: Output{PartitionBy: []string{"id"}}}
				part := readTable(t, sortFiles(t, inputs, folder, opts).Outputs[0])
				require.EqualValues(t, all.Schema.NumFields()-1, part.Table.NumCols())
				for i, c := range part.Template.LeafColumns() {
					require.Equal(t, all.Template.LeafColumns()[i+1].Codecs, c.Codecs, c.Path)
				}
			})
		}
	}
}

// sortedInput is what Sort writes to a Parquet file.
func sortedInput(t *testing.T, inputs []string, opts Options) *tablefile.Input {
	out := filepath.Join(t.TempDir(), "out.parquet")
	sortFiles(t, inputs, out, opts)
	return readTable(t, out)
}

// requireStoredAs requires that the columns of a Parquet file are those of another with the same names.
func requireStoredAs(t *testing.T, all, some *tablefile.Input) {
	require.Equal(t, all.Schema.Metadata().ToMap(), some.Schema.Metadata().ToMap())
	leaves := some.Template.LeafColumns()
	for i, f := range some.Schema.Fields() {
		at := all.Schema.FieldIndices(f.Name)[0]
		require.True(t, all.Schema.Field(at).Equal(f), "%s is %s", all.Schema.Field(at), f)
		require.Equal(t, cellsOf(all.Table.Column(at)), cellsOf(some.Table.Column(i)), f.Name)
		for _, want := range all.Template.LeafColumns() {
			if want.Column == f.Name {
				require.Equal(t, want, leaves[0])
				leaves = leaves[1:]
			}
		}
	}
	require.Empty(t, leaves)
}
