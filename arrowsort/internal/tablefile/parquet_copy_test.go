package tablefile

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// writeNumbered writes a Parquet file with nulls, text and lists, in groups of some rows.
func writeNumbered(t *testing.T, path string, seed uint64, rows int, opts WriteOptions) {
	r := rand.New(rand.NewPCG(seed, 1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil))
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if r.IntN(3) == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(string(rune('a' + r.IntN(26))))
		}
		list := b.Field(2).(*array.ListBuilder)
		list.Append(true)
		for range r.IntN(3) {
			list.ValueBuilder().(*array.Int32Builder).Append(r.Int32())
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer table.Release()
	_, err := Write(context.Background(), path, table, opts)
	require.NoError(t, err)
}

func TestCopiedRowGroupsAndTheirIndex(t *testing.T) {
	folder := t.TempDir()
	a, b, out := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet"),
		filepath.Join(folder, "out.parquet")
	snappy := WriteOptions{RowGroupRows: 150_000, Compression: Compression{Codec: "snappy"}}
	writeNumbered(t, a, 1, 200_000, snappy)
	writeNumbered(t, b, 2, 160_000, snappy)
	first := scanFile(t, a, 0, ReadOptions{})
	order := RowOrder{Sorting: []SortingColumn{{Path: "n"}}}
	w, err := Create(t.Context(), out, first.Schema, WriteOptions{Schema: first.Schema, Template: first.Template,
		Order: order})
	require.NoError(t, err)
	defer w.Abort()
	var all []arrow.Table
	for _, path := range []string{a, b} {
		in, err := Read(t.Context(), path, ReadOptions{})
		require.NoError(t, err)
		defer in.Table.Release()
		all = append(all, in.Table)
		s, err := Scan(path, 0, ReadOptions{})
		require.NoError(t, err)
		require.True(t, Copies(s, first.Schema, WriteOptions{Format: Parquet}))
		copied := int64(0)
		require.NoError(t, w.Copy(t.Context(), s, func(bytes int64) { copied += bytes }))
		require.Greater(t, copied, s.Bytes/2)
		require.Less(t, copied, s.Bytes)
		s.Close()
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)

	got, err := Read(t.Context(), out, ReadOptions{})
	require.NoError(t, err)
	defer got.Table.Release()
	require.Equal(t, append(textOf(t, all[0]), textOf(t, all[1])...), textOf(t, got.Table))
	require.Equal(t, order.Sorting, sortingOf(t, got.Template))
	require.Len(t, got.Template.RowGroups(), 4)

	raw := readFile(t, out)
	r, err := file.NewParquetReader(bytes.NewReader(raw))
	require.NoError(t, err)
	defer r.Close()
	for group := range r.NumRowGroups() {
		for leaf := range r.MetaData().Schema.NumColumns() {
			requireIndex(t, raw, r, group, leaf)
		}
	}
}

func TestWhatIsNotCopied(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.parquet")
	writeNumbered(t, path, 1, 50_000, WriteOptions{Compression: Compression{Codec: "snappy"}})
	small := filepath.Join(folder, "small.parquet")
	writeNumbered(t, small, 1, 5_000, WriteOptions{RowGroupRows: 100})
	s := scanFile(t, path, 0, ReadOptions{})
	tiny := scanFile(t, small, 0, ReadOptions{})
	unsigned := scanUnsigned(t, parquet.WithCreatedBy("parquet-go version 15.0.2"))
	defer unsigned.Close()
	right := scanUnsigned(t)
	defer right.Close()
	others := scanUnsigned(t, parquet.WithCreatedBy("somebody"))
	defer others.Close()
	other := arrow.NewSchema(s.Schema.Fields()[:2], nil)
	plain, snappy, zstd := WriteOptions{Format: Parquet}, Compression{Codec: "snappy"}, Compression{Codec: "zstd"}
	by := func(path string) RowOrder { return RowOrder{Sorting: []SortingColumn{{Path: path}}} }
	for name, c := range map[string]struct {
		schema *arrow.Schema
		opts   WriteOptions
		from   *Scanner
		copies bool
	}{
		"the same":            {s.Schema, plain, s, true},
		"the same codec":      {s.Schema, WriteOptions{Format: Parquet, Compression: snappy}, s, true},
		"another codec":       {s.Schema, WriteOptions{Format: Parquet, Compression: zstd}, s, false},
		"another format":      {s.Schema, WriteOptions{Format: IPCFile}, s, false},
		"other columns":       {other, plain, s, false},
		"row groups too tiny": {s.Schema, plain, tiny, false},
		"wrong statistics":    {unsigned.Schema, plain, unsigned, false},
		"right statistics":    {right.Schema, plain, right, true},
		"those of others":     {others.Schema, plain, others, true},
		"a key":               {s.Schema, WriteOptions{Format: Parquet, Order: by("text")}, s, true},
		"a key of another":    {s.Schema, WriteOptions{Format: Parquet, Order: by("list")}, s, false},
	} {
		require.Equal(t, c.copies, Copies(c.from, c.schema, c.opts), name)
	}
}

// scanUnsigned opens a file of unsigned integers and nulls that arrow/go wrote.
func scanUnsigned(t *testing.T, props ...parquet.WriterProperty) *Scanner {
	b := array.NewUint64Builder(memory.DefaultAllocator)
	defer b.Release()
	for i := range 20_000 {
		b.Append(uint64(i) << 50)
		b.AppendNull()
	}
	a := b.NewArray()
	defer a.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "n", Type: a.DataType(), Nullable: true}}, nil),
		[]arrow.Array{a}, int64(a.Len()))
	defer rec.Release()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer table.Release()
	path := filepath.Join(t.TempDir(), "unsigned.parquet")
	file, err := os.Create(path)
	require.NoError(t, err)
	writer := parquet.NewWriterProperties(props...)
	err = pqarrow.WriteTable(toTable18(t, table), file, table.NumRows(), writer, pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	s, err := Scan(path, 0, ReadOptions{})
	require.NoError(t, err)
	return s
}

// copied is a copy of a file.
func copied(ctx context.Context, from, to string, sorting []SortingColumn) error {
	s, err := Scan(from, 0, ReadOptions{})
	if err != nil {
		return err
	}
	defer s.Close()
	w, err := Create(ctx, to, s.Schema, WriteOptions{Schema: s.Schema, Template: s.Template,
		Order: RowOrder{Sorting: sorting}})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Copy(ctx, s, func(int64) {}); err != nil {
		return err
	}
	if err := w.Finish(); err != nil {
		return err
	}
	_, err = w.Commit()
	return err
}

// TestCopyMendsStatistics copies a file whose metadata lie about a column that is read, and one with NaN in columns
// that are read and that are not.
func TestCopyMendsStatistics(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
	table := floats(t, memory.DefaultAllocator)
	defer table.Release()
	whole := foreignBytes(t, table, parquet.WithCreatedBy("somebody"))
	meta := openBytes(t, whole).MetaData()
	number := meta.Schema.ColumnIndexByName("required64")
	lying := meta.RowGroups[0].Columns[number].MetaData.Statistics
	// And there is a NaN.
	lying.MinValue, lying.MaxValue = arrow.GetBytes([]float64{100}), arrow.GetBytes([]float64{200})
	nulls := int64(5)
	lying.NullCount = &nulls
	b := withFooter(t, pagesOfFile(whole), meta)
	require.NoError(t, os.WriteFile(from, b, 0o600))
	require.NoError(t, copied(t.Context(), from, to, nil))
	b = readFile(t, to)
	r := openBytes(t, b)
	requireIndex(t, b, r, 0, number)
	for leaf, c := range r.MetaData().RowGroups[0].Columns {
		s := c.MetaData.Statistics
		require.NotNil(t, s.NullCount, leaf)
		require.Nil(t, c.ColumnIndexOffset, leaf)
		require.Positive(t, *s.NanCount, leaf)
		require.NotNil(t, s.MinValue, leaf)
		require.True(t, s.Min == nil && s.Max == nil && s.MaxValue == nil, leaf)
	}
}

// TestCopyMendsBounds copies a key whose metadata lie.
func TestCopyMendsBounds(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
	writeNumbered(t, from, 1, 50_000, WriteOptions{})
	whole := readFile(t, from)
	meta := openBytes(t, whole).MetaData()
	lying := meta.RowGroups[0].Columns[0].MetaData.Statistics
	lying.MinValue, lying.MaxValue, *lying.NullCount = arrow.GetBytes([]int64{100}), arrow.GetBytes([]int64{200}), 7
	require.NoError(t, os.WriteFile(from, withFooter(t, pagesOfFile(whole), meta), 0o600))
	b := copyOf(t, from, to, SortingColumn{Path: "n"})
	for leaf := range 3 {
		requireIndex(t, b, openBytes(t, b), 0, leaf)
	}
}

func TestCopyLeavesNothing(t *testing.T) {
	to := filepath.Join(t.TempDir(), "to.parquet")
	from := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "from.parquet")
		require.NoError(t, os.WriteFile(path, b, 0o644))
		return path
	}
	flat := words(t, memory.DefaultAllocator, 100)
	defer flat.Release()
	good := foreignBytes(t, flat, parquet.WithCompression(compress.Codecs.Snappy))

	broken := bytes.Clone(good)
	for i := 40; i < 200; i++ {
		broken[i] = 0xA5
	}
	path := from(broken)
	err := copied(t.Context(), path, to, nil)
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, path+": ")
	require.NotContains(t, err.Error(), to)
	require.NoFileExists(t, to)

	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	cancel(stop)
	require.ErrorIs(t, copied(ctx, from(good), to, nil), stop)
	require.NoFileExists(t, to)
}

// TestBloomFilterOfArrowGoIsCopied with its row group.
func TestBloomFilterOfArrowGoIsCopied(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.parquet"), filepath.Join(t.TempDir(), "out.parquet")
	node, err := schema.NewGroupNode("schema", parquet.Repetitions.Required,
		schema.FieldList{schema.NewInt64Node("n", parquet.Repetitions.Required, -1)}, -1)
	require.NoError(t, err)
	f, err := os.Create(in)
	require.NoError(t, err)
	written := file.NewParquetWriter(f, node, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithBloomFilterEnabled(true))))
	group, err := written.AppendRowGroupChecked()
	require.NoError(t, err)
	column, err := group.NextColumn()
	require.NoError(t, err)
	values := make([]int64, 20_000)
	for i := range values {
		values[i] = int64(i)
	}
	_, err = column.(*file.Int64ColumnChunkWriter).WriteBatch(values, nil, nil)
	require.NoError(t, err)
	require.NoError(t, written.Close())
	requireFilters(t, copyOf(t, in, out), map[string]bool{"n": true})
}

// copyOf copies the row groups of a file to another one, which names an order, and returns its bytes.
func copyOf(t *testing.T, from, to string, sorting ...SortingColumn) []byte {
	s := scanFile(t, from, 0, ReadOptions{})
	require.True(t, Copies(s, s.Schema, WriteOptions{Format: Parquet}))
	w, err := Create(t.Context(), to, s.Schema, WriteOptions{Schema: s.Schema, Template: s.Template,
		Order: RowOrder{Sorting: sorting}})
	require.NoError(t, err)
	defer w.Abort()
	require.NoError(t, w.Copy(t.Context(), s, func(int64) {}))
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
	b := readFile(t, to)
	return b
}

// TestCopyHoldsFewBounds copies columns with bounds of 8 KiB in each of 1024 pages, and measures the memory in use.
func TestCopyHoldsFewBounds(t *testing.T) {
	const columns, groupRows, pageRows, length = 4, 1 << 14, 16, 4000
	const chunkBytes = groupRows / pageRows * 2 * length // bounds of a column chunk
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, typ).(*array.BinaryDictionaryBuilder)
	for range 2 * groupRows {
		require.NoError(t, b.AppendString(strings.Repeat("x", length)))
	}
	a := b.NewArray()
	var fields []arrow.Field
	var arrays []arrow.Array
	for i := range columns {
		fields, arrays = append(fields, arrow.Field{Name: strconv.Itoa(i), Type: typ}), append(arrays, a)
	}
	schema := arrow.NewSchema(fields, nil)
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, arrays, int64(a.Len()))})
	from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
	writeFile(t, from, table, WriteOptions{RowGroupRows: groupRows, PageRows: pageRows})

	defer debug.SetGCPercent(debug.SetGCPercent(5))
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, peak, done := inUse(), uint64(0), make(chan struct{})
	var measuring sync.WaitGroup
	measuring.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, inUse())
			}
		}
	})
	s := scanFile(t, from, 0, ReadOptions{Threads: 1})
	w, err := Create(t.Context(), to, s.Schema, WriteOptions{Schema: s.Schema, Template: s.Template})
	require.NoError(t, err)
	defer w.Abort()
	require.NoError(t, w.Copy(t.Context(), s, func(int64) {}))
	close(done)
	measuring.Wait()
	require.NoError(t, w.Finish())
	require.Less(t, peak-before, uint64(2*columns*chunkBytes*2/3), "%d chunks of %d bytes", 2*columns, chunkBytes)
}
