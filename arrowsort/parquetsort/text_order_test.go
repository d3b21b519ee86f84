package parquetsort

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

var textOrderSchema = arrow.NewSchema([]arrow.Field{
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "large", Type: arrow.BinaryTypes.LargeString, Nullable: true},
	{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16,
		ValueType: arrow.BinaryTypes.String}, Nullable: true},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64},
	{Name: "long", Type: arrow.BinaryTypes.String},
}, nil)

// textOrderRows returns rows with texts whose orders differ.
func textOrderRows(r *rand.Rand, first, n int) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, textOrderSchema)
	defer b.Release()
	syllables := strings.Fields("a A ä Ä b B ss ß z Z é 1 2 10 02 - ch")
	text := func() (text string) {
		for range 1 + r.IntN(5) {
			text += syllables[r.IntN(len(syllables))]
		}
		return text
	}
	words := make([]string, 200)
	for i := range words {
		words[i] = text()
	}
	for i := range n {
		b.Field(0).(*array.StringBuilder).Append(text())
		if i%17 == 0 {
			b.Field(1).AppendNull()
			b.Field(2).AppendNull()
		} else {
			b.Field(1).(*array.LargeStringBuilder).Append(text())
			if err := b.Field(2).(*array.BinaryDictionaryBuilder).AppendString(words[r.IntN(len(words))]); err != nil {
				panic(err)
			}
		}
		b.Field(3).(*array.Int64Builder).Append(int64(first + i))
		b.Field(4).(*array.StringBuilder).Append(strings.Repeat("some more text", 10))
	}
	return b.NewRecord()
}

// TestSortByDerivedKeys: files are sorted by text in every order, and by functions of columns, in memory and in runs
// that are spilled, from and to every format; sorted files are merged and copied; limits and first rows of each key are
// those of the same order; Check finds the order. Sorting columns end before such a key, and the metadata name it.
func TestSortByDerivedKeys(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 6))
	down, first := arrowsort.Descending, arrowsort.NullsAtStart
	for _, format := range testrun.Sample(1, []string{".parquet", ".arrow"}) {
		batches := 4
		if format == ".arrow" {
			batches = 1 // a file has one dictionary of a column
		}
		var inputs []string
		for file := range 3 {
			inputs = append(inputs, filepath.Join(folder, fmt.Sprintf("in%d%s", file, format)))
			generate(t, inputs[file], textOrderSchema, batches, func(batch int) arrow.Record {
				return textOrderRows(r, (batches*file+batch)*20_000/batches, 20_000/batches)
			})
		}
		all := rowsWritten(t, inputs, filepath.Join(folder, "all"+format)).Table
		for _, key := range testrun.Sample(7, []arrowsort.Key{{Path: "name", Collation: "nocase"},
			{Path: "large", Collation: "natural"}, {Path: "word", Collation: "numeric", Order: down},
			{Path: "name", Collation: "de", Order: down},
			{Path: "large", Collation: "de-u-kn-ks-level1", Nulls: first},
			{Path: "name", Function: arrowsort.Lower}, {Path: "large", Function: arrowsort.Length, Order: down},
			{Path: "word", Function: arrowsort.Hash(uint64(r.IntN(1 << 31)))},
			{Path: "large", Function: arrowsort.Lower, Nulls: first},
			{Path: "word", Function: arrowsort.Lower, Collation: arrowsort.Natural}}) {
			keys := []arrowsort.Key{key, {Path: "row", Order: down}}
			want := rowsSortedBy(t, all, keys)
			for _, budget := range []int64{1 << 30, MinMemory} {
				out := filepath.Join(folder, "out"+format)
				opts := Options{Keys: keys, Memory: Memory{Budget: budget, SpillDir: folder}}
				result, err := Sort(t.Context(), inputs, out, opts)
				require.NoError(t, err, "%+v", keys)
				require.Equal(t, budget == MinMemory, result.Runs > 1, "%+v", keys)
				requireRows(t, want, out, keys)
				requireDeclared(t, keys, out)
			}
			requireFirstRows(t, want, inputs, keys, folder, format)
			requireMergedLists(t, inputs, keys, want, folder, format)
			want.Release()
		}
		all.Release()
	}
}

// requireDeclared checks the order of a file, and that its metadata name the keys, and its row groups none.
func requireDeclared(t *testing.T, keys []arrowsort.Key, path string) {
	check := checkFiles(t, []string{path}, CheckOptions{Keys: keys})
	require.Nil(t, check.Violation)
	if filepath.Ext(path) != ".parquet" {
		return
	}
	declared := declaredOrders(t, []string{path})
	require.Equal(t, keys, declared[0].Keys)
	require.False(t, declared[0].Mixed)
	footers, err := CheckFooters(t.Context(), check, FooterOptions{})
	require.NoError(t, err)
	require.True(t, *footers[0].Holds)
	require.True(t, footers[0].Implied)
	bytes := checkFiles(t, []string{path}, CheckOptions{Keys: []arrowsort.Key{{Path: "row"}}})
	require.NotNil(t, bytes.Violation)
	footers, err = CheckFooters(t.Context(), bytes, FooterOptions{})
	require.NoError(t, err)
	require.True(t, *footers[0].Holds, "it is checked in the order that the metadata name")
	s := scanFile(t, path, 1<<20, tablefile.ReadOptions{})
	require.Negative(t, s.Schema.Metadata().FindKey("arrowsort.order"), "a schema does not carry it on")
	for _, g := range s.Template.RowGroups() {
		require.Empty(t, g.SortingColumns)
	}
}

// requireFirstRows sorts with a limit and with one row of each key.
func requireFirstRows(t *testing.T, want arrow.Table, inputs []string, keys []arrowsort.Key, folder, format string) {
	out := filepath.Join(folder, "first"+format)
	first := array.NewTableReader(want, 50)
	defer first.Release()
	require.True(t, first.Next())
	table := array.NewTableFromRecords(want.Schema(), []arrow.Record{first.Record()})
	defer table.Release()
	result := sortFiles(t, inputs, out, Options{Keys: keys, Rows: Rows{Limit: 50}})
	require.Zero(t, result.RowGroups, "bounds are those of bytes")
	requireRows(t, table, out, keys)

	sortFiles(t, inputs, out, Options{Keys: keys[:1], Rows: Rows{Unique: true}})
	rows, err := arrowsort.SortIndices(t.Context(), want, keys[:1], arrowsort.Options{})
	require.NoError(t, err)
	defer rows.Release()
	borders, err := arrowsort.Groups(t.Context(), want, keys[:1], arrowsort.Options{})
	require.NoError(t, err)
	defer borders.Release()
	got := readTable(t, out)
	require.Equal(t, int64(borders.Len()-1), got.Table.NumRows(), "%+v", keys)
}

// TestDeclaredOrderOfText: sorting columns name the keys before one of another order, the metadata all that are
// written; what is sorted from the file by other keys does not name it any more; row groups are copied with it.
func TestDeclaredOrderOfText(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 7))
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, textOrderSchema, 2, func(batch int) arrow.Record { return textOrderRows(r, batch*9000, 9000) })
	keys := []arrowsort.Key{{Path: "large"}, {Path: "name", Collation: "de"}, {Path: "row"}}
	sorted := func(name string, inputs []string, opts Options) string {
		path := filepath.Join(folder, name)
		sortFiles(t, inputs, path, opts)
		return path
	}
	named := func(path string) (order []string, sorting int) {
		s := scanFile(t, path, 1<<20, tablefile.ReadOptions{})
		o, err := s.Template.KeyOrder()
		require.NoError(t, err)
		if o != nil {
			require.Equal(t, arrowsort.CLDRVersion, o.CLDR)
			order = o.Keys
		}
		return order, len(s.Template.RowGroups()[0].SortingColumns)
	}
	require := require.New(t)
	of := func(order []string, sorting int) string { return fmt.Sprint(order, sorting) }
	byName := sorted("by_name.parquet", []string{in}, Options{Keys: keys})
	require.Equal("[large name:collate=de row] 1", of(named(byName)))
	require.Equal("[] 1", of(named(sorted("row.parquet", []string{byName}, Options{Keys: keys[2:]}))))
	require.Equal("[large name:collate=de] 1", of(named(sorted("some.parquet", []string{byName}, Options{Keys: keys,
		Columns: []string{"name", "large"}}))))
	require.Equal("[] 1", of(named(sorted("few.parquet", []string{byName}, Options{Keys: keys,
		Columns: []string{"row", "large"}}))))
	numbers := arrowsort.Key{Path: "name", Collation: "DE-u-kn-true"}
	other := sorted("other.parquet", []string{in}, Options{Keys: []arrowsort.Key{numbers}})
	require.Equal("[name:collate=de-u-kn] 0", of(named(other)), "the canonical form")
	checked, err := Check(t.Context(), []string{other}, CheckOptions{Keys: []arrowsort.Key{
		{At: arrowsort.Column(0), Collation: "de-u-kn-true"}}})
	require.NoError(err)
	footers, err := CheckFooters(t.Context(), checked, FooterOptions{})
	require.NoError(err)
	require.True(footers[0].Implied, "it is the same order")
	require.Equal("[name:collate=de] 0", of(named(sorted("at.parquet", []string{in}, Options{Keys: []arrowsort.Key{
		{At: arrowsort.Column(0), Collation: "de"}}, Columns: []string{"row", "name"}}))))

	text := []arrowsort.Key{{Path: "name", Collation: "natural"}}
	whole := sorted("whole.parquet", []string{in}, Options{Keys: text, Columns: []string{"name", "row"}})
	copied := filepath.Join(folder, "copied.parquet")
	result, err := Merge(t.Context(), []string{whole}, copied, Options{Keys: text})
	require.NoError(err)
	require.True(result.Copied)
	require.Equal("[name:natural] 0", of(named(copied)))
	result, err = Merge(t.Context(), []string{sorted("desc.parquet", []string{in}, Options{Keys: []arrowsort.Key{
		{Path: "row", Order: arrowsort.Descending}}})}, copied, Options{Keys: text})
	require.ErrorIs(err, ErrUnsorted)
	require.Nil(result)

	s, err := NewSorter(t.Context(), textOrderSchema, text, SorterOptions{})
	require.NoError(err)
	defer s.Close()
	rec := textOrderRows(r, 0, 100)
	defer rec.Release()
	require.NoError(s.Write(rec))
	_, err = s.WriteFile(copied, Output{})
	require.NoError(err)
	require.Equal("[name:natural] 0", of(named(copied)))
}

// TestKeysOfWrongCollations are errors before anything is read or written, also of runs.
func TestKeysOfWrongCollations(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 8))
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	generate(t, in, textOrderSchema, 1, func(int) arrow.Record { return textOrderRows(r, 0, 10) })
	for _, c := range []struct {
		key  arrowsort.Key
		want string
	}{
		{arrowsort.Key{Path: "row", Collation: "de"},
			"key row has type int64, and the collation de orders text"},
		{arrowsort.Key{Path: "name", Collation: "xx"}, `key name: unknown locale "xx"`},
	} {
		_, err := Sort(t.Context(), []string{in}, out, Options{Keys: []arrowsort.Key{c.key}})
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, c.want)
		_, err = Check(t.Context(), []string{in}, CheckOptions{Keys: []arrowsort.Key{c.key}})
		require.ErrorIs(t, err, arrowsort.ErrOption)
		_, err = NewSorter(t.Context(), textOrderSchema, []arrowsort.Key{c.key}, SorterOptions{})
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.NoFileExists(t, out)
	}
	_, err := Sort(t.Context(), []string{in}, out, Options{Curve: arrowsort.Hilbert,
		Keys: []arrowsort.Key{{Path: "row"}, {Path: "name", Collation: "de"}}})
	require.ErrorContains(t, err, "key name of a curve has the collation de")
}
