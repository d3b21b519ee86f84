package parquetsort

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestTimeIsLinearInRowGroups: eight times the row groups take about eight times as long, not 64 times.
func TestTimeIsLinearInRowGroups(t *testing.T) {
	opts := CheckOptions{Keys: []arrowsort.Key{{Path: "key"}}}
	file := func(groups int) string {
		path := filepath.Join(t.TempDir(), fmt.Sprint(groups, ".parquet"))
		generate(t, path, pairsSchema, groups, func(i int) arrow.Record { return pairs(i, 1, i, i) })
		return path
	}
	best := func(path string) time.Duration {
		least := time.Hour
		for range 2 {
			start := time.Now()
			checkFiles(t, []string{path}, opts)
			least = min(least, time.Since(start))
		}
		return least
	}
	few, many := file(2_000), file(16_000)
	require.Less(t, best(many), 24*best(few))
}

// TestFooterOfManyRowGroups: a footer counts as a part of the budget, and one that is too large is an error before any
// work, which names the file and the budget that it needs.
func TestFooterOfManyRowGroups(t *testing.T) {
	const columns, groups = 100, 90
	fields := make([]arrow.Field, columns)
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Int64}
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for row := range groups {
		for _, f := range b.Fields() {
			f.(*array.Int64Builder).Append(int64(-row))
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	path := filepath.Join(t.TempDir(), "in.parquet")
	writeTable(t, path, table, tablefile.WriteOptions{RowGroupRows: 1})
	opts := Options{Keys: []arrowsort.Key{{Path: "c0"}}, Memory: Memory{Budget: MinMemory}}
	needed := int64(0)
	for name, work := range map[string]func(opts Options) error{
		"sort": func(opts Options) error {
			_, err := Sort(t.Context(), []string{path}, filepath.Join(t.TempDir(), "out.parquet"), opts)
			return err
		},
		"check": func(opts Options) error {
			_, err := Check(t.Context(), []string{path}, checking(opts))
			return err
		},
		"explain": func(opts Options) error { _, err := Explain(t.Context(), []string{path}, opts); return err },
		"orders": func(opts Options) error {
			_, err := DeclaredOrders(t.Context(), []string{path}, FooterOptions{Memory: opts.Memory})
			return err
		},
	} {
		err := work(opts)
		require.ErrorIs(t, err, tablefile.ErrLimit, name)
		require.ErrorContains(t, err, path, name)
		text := err.Error()
		_, err = fmt.Sscanf(text[strings.Index(text, "; "):], "; the budget has to be at least %d bytes", &needed)
		require.NoError(t, err, text)
		enough := opts
		enough.Memory.Budget = needed
		require.NoError(t, work(enough), name)
		enough.Memory.Budget--
		require.ErrorIs(t, work(enough), tablefile.ErrLimit, name)
	}
}

// TestRowGroupsOfNestedDictionaries: a table in memory with dictionaries in structs becomes row groups of about the
// bytes that its values take, since the writer has no dictionaries of nested columns; one of dictionaries is one.
func TestRowGroupsOfNestedDictionaries(t *testing.T) {
	const rows, entries, bytes = 20_000, 20, 2_000
	text := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	for name, c := range map[string]struct {
		typ         arrow.DataType
		least, most int
	}{
		"struct": {arrow.StructOf(arrow.Field{Name: "text", Type: text}), rows * bytes >> 20, rows * bytes >> 19},
		"flat":   {text, 1, 1},
	} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
			{Name: "value", Type: c.typ}}, nil)
		in, out := filepath.Join(t.TempDir(), "in.arrow"), filepath.Join(t.TempDir(), "out.parquet")
		generate(t, in, schema, 1, func(int) arrow.Record {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			defer b.Release()
			values := b.Field(1)
			for i := range rows {
				b.Field(0).(*array.Int64Builder).Append(int64(-i))
				if s, ok := b.Field(1).(*array.StructBuilder); ok {
					s.Append(true)
					values = s.FieldBuilder(0)
				}
				value := strings.Repeat(string(rune('a'+i%entries)), bytes)
				require.NoError(t, values.(*array.BinaryDictionaryBuilder).AppendString(value))
			}
			return b.NewRecord()
		})
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory}}
		result := sortFiles(t, []string{in}, out, opts)
		require.Zero(t, result.Runs, "it is sorted in memory")
		s, err := tablefile.Scan(out, 0, tablefile.ReadOptions{})
		require.NoError(t, err)
		groups := len(s.PartSizes())
		s.Close()
		require.True(t, c.least <= groups && groups <= c.most, "%s: %d row groups", name, groups)
		require.Equal(t, digestOf(t, in), digestOf(t, out), name)
	}
}
