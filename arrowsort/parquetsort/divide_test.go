package parquetsort

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestPartsAreTheInputs: the rows of all parts, one after the other, are those of the files; of some columns too.
func TestPartsAreTheInputs(t *testing.T) {
	for _, c := range []struct {
		names []string
		parts int // when each row group and record batch is one
	}{{[]string{"a.parquet", "b.parquet"}, 18}, {[]string{"a.arrow", "b.arrows"}, 2}} {
		t.Run(c.names[0], func(t *testing.T) { requireParts(t, c.names, c.parts) })
	}
}

func requireParts(t *testing.T, names []string, parts int) {
	t.Helper()
	folder, keys := t.TempDir(), []arrowsort.Key{{At: arrowsort.Column(1)}}
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	var paths []string
	var want [2][]string
	for i, name := range names {
		table := arrowtest.RandomTable(dict, 0.1, []int{300, 200}, uint64(i))
		paths = append(paths, filepath.Join(folder, name))
		groupRows := 0
		if filepath.Ext(name) == ".parquet" {
			groupRows = 60
		}
		writeTable(t, paths[i], table, tablefile.WriteOptions{RowGroupRows: groupRows})
		for c := range want {
			want[c] = append(want[c], arrowtest.Values(table.Column(c).Data())...)
		}
		table.Release()
	}
	d, err := Divide(t.Context(), paths, 1, DivideOptions{Keys: keys})
	require.NoError(t, err)
	require.Equal(t, []arrowsort.Key{{Path: "s"}}, d.Keys)
	require.Equal(t, []int{1}, d.KeyColumns)
	require.Equal(t, "utf8", d.Schema.Field(0).Type.String())
	require.GreaterOrEqual(t, len(d.Parts), parts)
	mem := arrowtest.Checked(t)
	for _, columns := range [][]int{nil, {1}, {0}} {
		var got [2][]string
		for _, part := range d.Parts {
			err := ReadPart(t.Context(), part, d.Stored, columns, PartOptions{Allocator: mem},
				func(piece arrow.Table) error {
					for i := range int(piece.NumCols()) {
						c := d.Schema.FieldIndices(piece.Schema().Field(i).Name)[0]
						got[c] = append(got[c], arrowtest.Values(piece.Column(i).Data())...)
					}
					return nil
				})
			require.NoError(t, err)
		}
		for c := range want {
			if columns == nil || columns[0] == c {
				require.Equal(t, want[c], got[c])
			}
		}
	}
	whole, err := Divide(t.Context(), paths, 1<<30, DivideOptions{Keys: keys})
	require.NoError(t, err)
	require.Len(t, whole.Parts, len(names))
	gone := d.Parts[0]
	gone.First = 1000
	unused := func(arrow.Table) error { return nil }
	err = ReadPart(t.Context(), gone, d.Stored, nil, PartOptions{}, unused)
	require.ErrorContains(t, err, "row groups or record batches, but number 1000")
}

// elsewhere is a file in memory that counts how often it is open.
type elsewhere struct {
	*bytes.Reader
	open *int
}

func (e elsewhere) Close() error {
	*e.open--
	return nil
}

// TestPartsOfFilesThatAreElsewhere are those of local files; they are closed, and no other function takes them.
func TestPartsOfFilesThatAreElsewhere(t *testing.T) {
	keys, open, lost := []arrowsort.Key{{At: arrowsort.Column(0)}}, 0, errors.New("the connection is lost")
	files := map[string][]byte{"there/bad.parquet": []byte("no Parquet file"), "there/x.csv.gz": nil}
	var paths []string
	for _, name := range []string{"there/*.parquet", "there/b.arrow", "there/c.arrows"} {
		path := filepath.Join(t.TempDir(), filepath.Base(filepath.Ext(name)))
		table := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.1, []int{300, 200}, 2)
		writeTable(t, path+filepath.Ext(name), table, tablefile.WriteOptions{})
		files[name] = readFile(t, path+filepath.Ext(name))
		paths = append(paths, name)
	}
	opener := func(path string) (File, error) {
		b, ok := files[path]
		if !ok {
			return nil, lost
		}
		open++
		return elsewhere{bytes.NewReader(b), &open}, nil
	}
	opts := DivideOptions{Keys: keys, Open: opener}
	for _, path := range paths {
		d, err := Divide(t.Context(), []string{path}, 1, opts)
		require.NoError(t, err)
		rows := int64(0)
		for _, part := range d.Parts {
			count := func(piece arrow.Table) error {
				rows += piece.NumRows()
				return nil
			}
			require.NoError(t, ReadPart(t.Context(), part, d.Stored, nil, PartOptions{Open: opener}, count))
		}
		require.EqualValues(t, 500, rows, path)
	}
	for path, text := range map[string]string{"there/absent.parquet": "absent.parquet: the connection is lost",
		"there/bad.parquet": "bad.parquet: this is not a Parquet file", "there/x": "there/x: unknown file format",
		"there/x.csv.gz": "CSV is not divided"} {
		_, err := Divide(t.Context(), []string{path}, 1, opts)
		require.ErrorContains(t, err, text)
	}
	require.Zero(t, open)
}

// TestSorterWritesFiles as Sort does, in memory and spilled, and of no rows.
func TestSorterWritesFiles(t *testing.T) {
	keys := []arrowsort.Key{{Path: "v", Order: arrowsort.Descending}}
	for _, batches := range []int{0, 3, 40} {
		table := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.1, make([]int, 1), 1)
		schema := table.Schema()
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		s, err := NewSorter(t.Context(), schema, keys, SorterOptions{BatchRows: 1, Run: Run{Allocator: mem},
			Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()}})
		require.NoError(t, err)
		var all []arrow.Record
		for i := range batches {
			part := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.1, []int{20_000}, uint64(i))
			r := array.NewTableReader(part, -1)
			require.True(t, r.Next())
			rec := r.Record()
			rec.Retain()
			all = append(all, rec)
			require.NoError(t, s.Write(rec))
		}
		path := filepath.Join(t.TempDir(), "x.parquet")
		result, err := s.WriteFile(path, Output{RowGroupRows: 30_000})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		mem.AssertSize(t, 0)
		require.EqualValues(t, batches*20_000, result.Rows)
		require.Equal(t, batches > 3, result.Runs > 0)
		require.Equal(t, []string{path}, result.Outputs)
		joined := array.NewTableFromRecords(schema, all)
		sorted, err := arrowsort.Sort(t.Context(), joined, keys, arrowsort.Options{})
		require.NoError(t, err)
		in, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{})
		require.NoError(t, err)
		if batches > 0 {
			require.EqualValues(t, 30_000, in.Template.RowGroups()[0].Rows, "not the rows of a batch")
		}
		for c := range 2 {
			require.Equal(t, arrowtest.Values(sorted.Column(c).Data()), arrowtest.Values(in.Table.Column(c).Data()))
		}
		orders := declaredOrders(t, []string{path})
		if batches > 0 {
			require.Equal(t, keys, orders[0].Keys)
		}
		_, err = s.WriteFile(path, Output{RowGroupRows: 30_000})
		require.ErrorIs(t, err, ErrOption, "it is called once")
	}
}
