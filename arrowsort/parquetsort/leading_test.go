package parquetsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/corpus"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// boundedTypes are the types of keys whose bounds are used.
var boundedTypes = []arrow.DataType{
	arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32,
	arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
	arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32,
	arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32ms,
	arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Timestamp_ns, &arrow.TimestampType{Unit: arrow.Millisecond},
	arrow.FixedWidthTypes.Duration_ns, &arrow.Decimal128Type{Precision: 20, Scale: 3},
	&arrow.Decimal256Type{Precision: 50, Scale: 7},
	&arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary,
	arrow.BinaryTypes.LargeString,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
	arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true}),
}

// pathOf returns the key in a column of a type, which may be a struct.
func pathOf(typ arrow.DataType) string {
	if typ.ID() == arrow.STRUCT {
		return "key.x"
	}
	return "key"
}

const groupRows, groupsOfFile = 32, 12

// clustered has a key, in order, so that few row groups hold the first rows, and the number of each row.
func clustered(t *testing.T, typ arrow.DataType, nulls float64, seed uint64) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: typ, Nullable: true},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	const n = groupRows * groupsOfFile
	rng := rand.New(rand.NewPCG(seed, 0))
	key := arrowtest.Random(rng, typ, n, nulls, memory.DefaultAllocator)
	if b, ok := array.NewBuilder(memory.DefaultAllocator, typ).(*array.BinaryDictionaryBuilder); ok {
		for range n {
			require.NoError(t, b.AppendString(fmt.Sprint("entry ", rng.IntN(99))))
		}
		key = b.NewArray()
	}
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range n {
		numbers.Append(int64(i))
	}
	rec := array.NewRecord(schema, []arrow.Array{key, numbers.NewArray()}, n)
	sorted, err := arrowsort.Sort(t.Context(), array.NewTableFromRecords(schema, []arrow.Record{rec}),
		[]arrowsort.Key{{Path: pathOf(typ)}}, arrowsort.Options{})
	require.NoError(t, err)
	return sorted
}

func writeGroups(t *testing.T, path string, table arrow.Table) string {
	opts := tablefile.WriteOptions{}
	if filepath.Ext(path) == ".parquet" {
		opts.RowGroupRows = groupRows
	}
	return writeAs(t, path, table, opts)
}

// writePages writes a table with pages of groupRows in row groups of some pages.
func writePages(t *testing.T, path string, table arrow.Table, pages int) string {
	return writeAs(t, path, table, tablefile.WriteOptions{RowGroupRows: pages * groupRows, PageRows: groupRows})
}

func writeAs(t *testing.T, path string, table arrow.Table, opts tablefile.WriteOptions) string {
	writeTable(t, path, table, opts)
	return path
}

// sortedRows sorts files and returns the text of all columns of the result.
func sortedRows(t *testing.T, opts Options, inputs ...string) ([][]string, *Result) {
	var out bytes.Buffer
	opts.Output = Output{Format: ArrowStream, Stdout: &out}
	result := sortFiles(t, inputs, tablefile.Pipe, opts)
	in, err := tablefile.Read(t.Context(), tablefile.Pipe, tablefile.ReadOptions{Stdin: &out})
	require.NoError(t, err)
	defer in.Table.Release()
	var columns [][]string
	for i := range int(in.Table.NumCols()) {
		columns = append(columns, arrowtest.Values(in.Table.Column(i).Data()))
	}
	return columns, result
}

// TestFirstRowsByBounds: the first and last rows of Parquet files are those of a sort of the same rows in Arrow files,
// which have no bounds, of every type, order and null placement, in memory and in pieces; few row groups are read, and
// few pages of row groups that have several.
func TestFirstRowsByBounds(t *testing.T) {
	for number, typ := range boundedTypes {
		for _, nulls := range []float64{0, 0.3} {
			if !testrun.Share(8, number, nulls) {
				continue
			}
			folder := t.TempDir()
			table := clustered(t, typ, nulls, uint64(number))
			bounded := writeGroups(t, filepath.Join(folder, "in.parquet"), table)
			paged := writePages(t, filepath.Join(folder, "paged.parquet"), table, 5)
			plain := writeGroups(t, filepath.Join(folder, "in.arrow"), table)
			table.Release()
			for variant := range 8 {
				rows := Rows{Limit: 1 + int64(variant)*9}
				if variant&1 != 0 {
					rows = Rows{Tail: rows.Limit}
				}
				opts := Options{Rows: rows, Keys: []arrowsort.Key{{Path: pathOf(typ),
					Order: arrowsort.Order(variant >> 1 & 1), Nulls: arrowsort.NullPlacement(variant >> 2)},
					{Path: "row", Order: arrowsort.Descending}}[:1+number%2]}
				name := fmt.Sprintf("%s, nulls %g, keys %v, rows %v", typ, nulls, opts.Keys, rows)
				want, _ := sortedRows(t, opts, plain)
				got, result := sortedRows(t, opts, bounded)
				require.Equal(t, want, got, name)
				require.Equal(t, int64(groupRows*groupsOfFile), result.RowsIn)
				require.Equal(t, groupsOfFile, result.RowGroups, name)
				few := typ.ID() != arrow.BOOL && typ.ID() != arrow.INT8 && typ.ID() != arrow.UINT8
				if few {
					require.LessOrEqual(t, result.RowGroupsRead, groupsOfFile/2, name)
				}
				got, byPages := sortedRows(t, opts, paged)
				require.Equal(t, want, got, name)
				require.Equal(t, int64(groupRows*groupsOfFile), byPages.RowsIn)
				if few {
					require.Equal(t, result.RowGroupsRead, byPages.PagesRead, name)
				}
				want, _ = sortedRows(t, opts, plain, plain)
				got, _ = sortedRows(t, opts, paged, bounded)
				require.Equal(t, want, got, name)
				got, result = sortedRows(t, opts, bounded, bounded)
				require.Equal(t, want, got, name)
				require.Equal(t, 2*groupsOfFile, result.RowGroups, name)
			}
		}
	}
}

// floatGroups has a key with one row group each of small and large numbers, of NaN, of nulls and of zeros.
func floatGroups(t *testing.T) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for group, value := range []string{"5.5", "1e300", `"NaN"`, "null", "-0.0", "0", "-1e300"} {
		for i := range groupRows {
			require.NoError(t, b.UnmarshalJSON(fmt.Appendf(nil, `{"key":%s,"row":%d}`, value, group*groupRows+i)))
		}
	}
	return array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
}

// TestFirstRowsOfFloats: NaNs and nulls are where the order has them, and zeros of both signs tie.
func TestFirstRowsOfFloats(t *testing.T) {
	folder, table := t.TempDir(), floatGroups(t)
	bounded := writeGroups(t, filepath.Join(folder, "in.parquet"), table)
	paged := writePages(t, filepath.Join(folder, "paged.parquet"), table, 3)
	plain := writeGroups(t, filepath.Join(folder, "in.arrow"), table)
	leftOut, pages := 0, 0
	for variant := range 4 {
		for n := int64(1); n < 7*groupRows; n += 31 {
			for _, rows := range []Rows{{Limit: n}, {Tail: n}} {
				opts := Options{Rows: rows, Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Order(variant & 1),
					Nulls: arrowsort.NullPlacement(variant >> 1)}}}
				want, _ := sortedRows(t, opts, plain)
				got, result := sortedRows(t, opts, bounded)
				require.Equal(t, want, got, "%v %v", opts.Keys, rows)
				leftOut += result.RowGroups - result.RowGroupsRead
				got, result = sortedRows(t, opts, paged)
				require.Equal(t, want, got, "%v %v", opts.Keys, rows)
				pages += result.Pages - result.PagesRead
			}
		}
	}
	require.Positive(t, leftOut)
	require.Positive(t, pages)
}

// TestFirstRowsOfLongText, whose bounds are cut: row groups whose rows differ after the cut are read.
func TestFirstRowsOfLongText(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range groupRows * groupsOfFile {
		start := string(rune('a' + i/(3*groupRows))) // of three row groups each
		b.Field(0).(*array.StringBuilder).Append(start + strings.Repeat("\U0010FFFF", 40) + fmt.Sprintf("%09d", i))
	}
	table := array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
	path := writeGroups(t, filepath.Join(t.TempDir(), "in.parquet"), table)
	for order, rows := range []Rows{arrowsort.Ascending: {Limit: 2}, arrowsort.Descending: {Tail: 2}} {
		got, result := sortedRows(t, Options{Rows: rows, Keys: []arrowsort.Key{{Path: "key",
			Order: arrowsort.Order(order)}}}, path)
		require.Equal(t, 3, result.RowGroupsRead)
		want := arrowtest.Values(table.Column(0).Data())[:2]
		if arrowsort.Order(order) == arrowsort.Descending {
			slices.Reverse(want)
		}
		require.Equal(t, [][]string{want}, got)
	}
}

// TestFirstRowsOfTheCorpus are those of the same rows in Arrow files, by every column of every Parquet file of other
// writers.
func TestFirstRowsOfTheCorpus(t *testing.T) {
	leftOut := 0
	for _, file := range corpus.Files(t) {
		if filepath.Ext(file.Path) != ".parquet" || file.Unsupported() || !testrun.Share(16, file.Name) {
			continue
		}
		in, err := tablefile.Read(t.Context(), file.Path, tablefile.ReadOptions{})
		require.NoError(t, err)
		plain := writeGroups(t, filepath.Join(t.TempDir(), "in.arrow"), in.Table)
		for column := range in.Schema.NumFields() {
			for variant := range 8 {
				if !testrun.Share(4, file.Name, column, variant) {
					continue
				}
				opts := Options{Rows: Rows{Limit: 2}, Keys: []arrowsort.Key{{At: arrowsort.Column(column),
					Order: arrowsort.Order(variant & 1), Nulls: arrowsort.NullPlacement(variant >> 1 & 1)}}}
				if variant >= 4 {
					opts.Rows = Rows{Tail: 2}
				}
				if _, err := arrowsort.SortIndices(t.Context(), in.Table, opts.Keys, arrowsort.Options{}); err != nil {
					continue
				}
				want, _ := sortedRows(t, opts, plain)
				got, result := sortedRows(t, opts, file.Path)
				require.Equal(t, want, got, "%s: %v", file.Name, opts.Keys)
				leftOut += result.RowGroups - result.RowGroupsRead + result.Pages - result.PagesRead
			}
		}
	}
	require.True(t, leftOut > 0 || !testrun.Long())
}

// forge rewrites the footer of a file.
func forge(t *testing.T, path string, change func(footer *metadata.FileMetaData)) {
	b := readFile(t, path)
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	footer := r.MetaData()
	change(footer)
	var written bytes.Buffer
	_, err = footer.WriteTo(&written, nil)
	require.NoError(t, err)
	tail := len(b) - 8
	b = append(b[:tail-int(binary.LittleEndian.Uint32(b[tail:]))], written.Bytes()...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(written.Len())), "PAR1"...)
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// TestRowGroupsWithoutBoundsAreRead, and the result is the same.
func TestRowGroupsWithoutBoundsAreRead(t *testing.T) {
	table := clustered(t, arrow.PrimitiveTypes.Int64, 0.1, 1)
	path := writeGroups(t, filepath.Join(t.TempDir(), "in.parquet"), table)
	opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Rows: Rows{Limit: 5}}
	want, result := sortedRows(t, opts, path)
	require.Equal(t, 1, result.RowGroupsRead)
	for read, change := range []func(footer *metadata.FileMetaData){
		2: func(f *metadata.FileMetaData) { f.RowGroups[7].Columns[0].MetaData.Statistics = nil },
		3: func(f *metadata.FileMetaData) { f.RowGroups[8].Columns[0].MetaData.Statistics.MinValue = nil },
		4: func(f *metadata.FileMetaData) { // of another size
			f.RowGroups[5].Columns[0].MetaData.Statistics.MaxValue = make([]byte, 3)
		},
		5: func(f *metadata.FileMetaData) { // the lower above the upper
			s := f.RowGroups[6].Columns[0].MetaData.Statistics
			s.MinValue, s.MaxValue = s.MaxValue, s.MinValue
		},
		12: func(f *metadata.FileMetaData) {
			for _, g := range f.RowGroups {
				g.Columns[0].MetaData.Statistics = nil
			}
		},
	} {
		if change == nil {
			continue
		}
		forge(t, path, change)
		got, result := sortedRows(t, opts, path)
		require.Equal(t, want, got)
		if read == groupsOfFile {
			read = 0 // all: nothing is said
		}
		require.Equal(t, read, result.RowGroupsRead)
	}
}

// TestBoundsThatAreWrongAreAnError where their row group is read, as a table, in pieces and for the last rows; no
// output is written. Without a limit bounds are not used.
func TestBoundsThatAreWrongAreAnError(t *testing.T) {
	table := clustered(t, arrow.PrimitiveTypes.Int64, 0, 1)
	for name, change := range map[string]func(low, high []byte, nulls *int64){
		"low":   func(low, _ []byte, _ *int64) { low[0]++ },
		"high":  func(_, high []byte, _ *int64) { high[0]-- },
		"nulls": func(_, _ []byte, nulls *int64) { *nulls++ },
	} {
		for group, rows := range map[int]Rows{0: {Limit: 5}, groupsOfFile - 1: {Tail: 5}} {
			path := writeGroups(t, filepath.Join(t.TempDir(), "in.parquet"), table)
			forge(t, path, func(f *metadata.FileMetaData) {
				s := f.RowGroups[group].Columns[0].MetaData.Statistics
				s.MinValue, s.MaxValue = bytes.Clone(s.MinValue), bytes.Clone(s.MaxValue)
				change(s.MinValue, s.MaxValue, s.NullCount)
			})
			requireWrongBounds(t, path, rows, fmt.Sprintf(`%s: corrupted file: column "key" of row group %d: `, path,
				group), name)
		}
	}
}

// requireWrongBounds sorts a file with bounds that are wrong, alone and twice.
func requireWrongBounds(t *testing.T, path string, rows Rows, want string, about ...any) {
	for _, inputs := range [][]string{{path}, {path, path}} {
		folder := t.TempDir()
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Rows: rows}
		_, err := Sort(t.Context(), inputs, filepath.Join(folder, "out.parquet"), opts)
		require.ErrorIs(t, err, ErrCorrupt, about...)
		require.ErrorAs(t, err, new(*FileError))
		require.ErrorContains(t, err, want, about...)
		require.ErrorContains(t, err, "sort it without a limit or tail")
		requireEmpty(t, folder)
		opts.Rows = Rows{}
		sortFiles(t, inputs, filepath.Join(folder, "out.parquet"), opts)
	}
}

// TestExplainCountsRowGroups that a sort with a limit reads.
func TestExplainCountsRowGroups(t *testing.T) {
	path := writeGroups(t, filepath.Join(t.TempDir(), "in.parquet"), clustered(t, arrow.PrimitiveTypes.Int64, 0.1, 1))
	for _, rows := range []Rows{{}, {Limit: 1}, {Tail: 3 * groupRows}, {Limit: 1, Unique: true},
		{Limit: 2 * groupRows * groupsOfFile}} {
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Rows: rows}
		_, result := sortedRows(t, opts, path, path)
		told := explained(t, []string{path, path}, opts)
		require.Equal(t, result.RowGroups, told.RowGroups)
		require.Equal(t, result.RowGroupsRead, told.RowGroupsRead)
		require.Equal(t, [2]int{result.Pages, result.PagesRead}, [2]int{told.Pages, told.PagesRead})
		require.Equal(t, result.RowsIn, told.Rows)
		require.Equal(t, rows.Limit == 1 && !rows.Unique || rows.Tail > 0, told.RowGroups > 0)
	}
}

// TestArgsortOfFirstRows counts rows in the file, also those of row groups that are not read.
func TestArgsortOfFirstRows(t *testing.T) {
	table := clustered(t, arrow.PrimitiveTypes.Int64, 0.3, 1)
	for variant := range 8 {
		in := filepath.Join(t.TempDir(), "in.parquet")
		if variant < 4 {
			writeGroups(t, in, table)
		} else {
			writePages(t, in, table, 5)
		}
		for _, limit := range []int64{1, groupRows, 5 * groupRows, groupRows * groupsOfFile} {
			opts := Options{Rows: Rows{Limit: limit}, Keys: []arrowsort.Key{{Path: "key",
				Order: arrowsort.Order(variant & 1), Nulls: arrowsort.NullPlacement(variant >> 1 & 1)}}}
			want, err := arrowsort.SortIndices(t.Context(), table, opts.Keys, arrowsort.Options{})
			require.NoError(t, err)
			var out bytes.Buffer
			opts.Output = Output{Format: ArrowStream, Stdout: &out}
			result, err := Argsort(t.Context(), in, tablefile.Pipe, opts)
			require.NoError(t, err)
			require.Equal(t, int64(groupRows*groupsOfFile), result.RowsIn)
			leftOut := result.RowGroups - result.RowGroupsRead + result.Pages - result.PagesRead
			require.Equal(t, limit < groupRows*groupsOfFile, leftOut > 0)
			got, err := tablefile.Read(t.Context(), tablefile.Pipe, tablefile.ReadOptions{Stdin: &out})
			require.NoError(t, err)
			numbers := got.Table.Column(0).Data().Chunk(0).(*array.Uint64).Uint64Values()
			require.Equal(t, want.Uint64Values()[:limit], numbers, "%v, the first %d", opts.Keys, limit)
		}
	}
}
