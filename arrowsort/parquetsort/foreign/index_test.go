package foreign

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// event has columns of most types, flat and nested.
type event struct {
	Key   int64      `parquet:"key"`
	Flag  *bool      `parquet:"flag,optional"`
	Small *uint32    `parquet:"small,optional"`
	Big   *uint64    `parquet:"big,optional"`
	Int   *int32     `parquet:"int,optional"`
	Real  *float64   `parquet:"real,optional"`
	Half  float32    `parquet:"half"`
	Name  *string    `parquet:"name,optional,dict"`
	Text  string     `parquet:"text"`
	Bytes []byte     `parquet:"bytes"`
	ID    uuid.UUID  `parquet:"id,uuid"`
	When  time.Time  `parquet:"when,timestamp(microsecond)"`
	Tags  []string   `parquet:"tags,list"`
	Place *position  `parquet:"place,optional"`
	Path  []position `parquet:"path,list"`
}

type position struct {
	X float64 `parquet:"x"`
	Y *int32  `parquet:"y,optional"`
}

func randomEvents(n int) []event {
	r := rand.New(rand.NewPCG(3, 3))
	some := func() bool { return r.IntN(5) > 0 }
	rows := make([]event, n)
	for i := range rows {
		e := &rows[i]
		*e = event{Key: r.Int64N(int64(n)), Half: r.Float32() - 0.5,
			Text:  fmt.Sprintf("%0*d", 1+r.IntN(90), r.IntN(1000)),
			Bytes: make([]byte, r.IntN(9)), When: time.UnixMicro(r.Int64N(1 << 50)).UTC()}
		for b := range e.Bytes {
			e.Bytes[b] = byte(r.IntN(256))
		}
		for b := range e.ID {
			e.ID[b] = byte(r.IntN(256))
		}
		if i < n/4 {
			continue // pages of nulls
		}
		if some() {
			flag, small, big, number := r.IntN(2) == 0, r.Uint32(), r.Uint64(), r.Int32()-1<<30
			e.Flag, e.Small, e.Big, e.Int = &flag, &small, &big, &number
		}
		if some() {
			real, name := r.NormFloat64(), fmt.Sprintf("name %d", r.IntN(400))
			if r.IntN(30) == 0 {
				real = math.Copysign(0, real)
			}
			e.Real, e.Name = &real, &name
		}
		if some() {
			y := r.Int32()
			e.Place = &position{X: r.Float64(), Y: &y}
			for range r.IntN(4) {
				e.Tags = append(e.Tags, fmt.Sprint("tag ", r.IntN(50)))
				e.Path = append(e.Path, position{X: r.Float64()})
			}
		}
	}
	return rows
}

// TestParquetGoReadsThePageIndex compares the index of every column chunk with the pages that parquet-go finds by it.
func TestParquetGoReadsThePageIndex(t *testing.T) {
	arrowsort, folder := command(t), t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	require.NoError(t, parquet.WriteFile(in, randomEvents(60_000), parquet.Compression(&parquet.Zstd)))
	for name, flags := range map[string][]string{
		"in memory":          {"--row-group-rows", "40000"},
		"uncompressed":       {"--row-group-rows", "40000", "--compression", "none"},
		"larger than memory": {"--memory", "16MiB", "--spill-dir", folder},
		"second version":     {"--row-group-rows", "40000", "--page-version", "2"},
		"differences": append(encodingFlags("DELTA_BINARY_PACKED", "key", "small", "big", "int", "when"),
			encodingFlags("DELTA_BYTE_ARRAY", "text", "bytes")...),
		"others": append(encodingFlags("DELTA_LENGTH_BYTE_ARRAY", "name", "text", "bytes"),
			encodingFlags("BYTE_STREAM_SPLIT", "real", "half")...),
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"sort", "-k", "key", "-o", out, in}, flags...)
			said, err := exec.CommandContext(t.Context(), arrowsort, args...).CombinedOutput()
			require.NoError(t, err, string(said))
			b, err := os.ReadFile(out)
			require.NoError(t, err)
			f, err := parquet.OpenFile(readerAt(b), int64(len(b)))
			require.NoError(t, err)
			require.Greater(t, len(f.RowGroups()), 1)
			pages := 0
			for _, group := range f.RowGroups() {
				for _, chunk := range group.ColumnChunks() {
					pages += requirePages(t, f.Schema().Columns()[chunk.Column()], chunk, group.NumRows())
				}
				index, err := group.ColumnChunks()[0].ColumnIndex()
				require.NoError(t, err)
				require.True(t, index.IsAscending())
				requireOnePage(t, group.ColumnChunks()[0], index)
			}
			require.Greater(t, pages, 3*len(f.Schema().Columns()))
		})
	}
}

// encodingFlags names an encoding of some columns.
func encodingFlags(encoding string, columns ...string) []string {
	flags := []string{"--row-group-rows", "40000"}
	for _, c := range columns {
		flags = append(flags, "--encoding", c+"="+encoding)
	}
	return flags
}

type readerAt []byte

func (b readerAt) ReadAt(p []byte, at int64) (int, error) {
	n := copy(p, b[min(at, int64(len(b))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// requirePages requires that each page of a column chunk starts where the index says and has the bounds and nulls that
// it says.
func requirePages(t *testing.T, path []string, chunk parquet.ColumnChunk, rows int64) int {
	t.Helper()
	columns, err := chunk.ColumnIndex()
	require.NoError(t, err, path)
	offsets, err := chunk.OffsetIndex()
	require.NoError(t, err, path)
	require.Equal(t, offsets.NumPages(), columns.NumPages(), path)
	typ := chunk.Type()
	for i := range offsets.NumPages() {
		end := rows
		if i+1 < offsets.NumPages() {
			end = offsets.FirstRowIndex(i + 1)
		}
		values := valuesOf(t, chunk, offsets.FirstRowIndex(i), end)
		nulls, first := int64(0), true
		var low, high parquet.Value
		for _, v := range values {
			switch {
			case v.IsNull():
				nulls++
			case first:
				low, high, first = v, v, false
			case typ.Compare(v, low) < 0:
				low = v
			case typ.Compare(v, high) > 0:
				high = v
			}
		}
		require.Equal(t, nulls, columns.NullCount(i), path)
		require.Equal(t, first, columns.NullPage(i), path)
		if first {
			continue
		}
		require.LessOrEqual(t, typ.Compare(columns.MinValue(i), low), 0, "%s: %v, %v", path, columns.MinValue(i), low)
		require.GreaterOrEqual(t, typ.Compare(columns.MaxValue(i), high), 0, "%s: %v, %v", path, columns.MaxValue(i),
			high)
		if len(low.Bytes()) <= 64 && len(high.Bytes()) <= 64 {
			require.Zero(t, typ.Compare(columns.MinValue(i), low), "%s: %v, %v", path, columns.MinValue(i), low)
			require.Zero(t, typ.Compare(columns.MaxValue(i), high), "%s: %v, %v", path, columns.MaxValue(i), high)
		}
	}
	return offsets.NumPages()
}

// valuesOf reads the values of some rows of a column chunk, to whose page it goes by the offset index.
func valuesOf(t *testing.T, chunk parquet.ColumnChunk, first, end int64) (values []parquet.Value) {
	t.Helper()
	pages := chunk.Pages()
	defer pages.Close()
	require.NoError(t, pages.SeekToRow(first))
	page, err := pages.ReadPage()
	require.NoError(t, err)
	defer parquet.Release(page)
	require.Equal(t, end-first, page.NumRows())
	values = make([]parquet.Value, page.NumValues())
	n, err := page.Values().ReadValues(values)
	if !errors.Is(err, io.EOF) {
		require.NoError(t, err)
	}
	require.Equal(t, len(values), n)
	for i := range values {
		values[i] = values[i].Clone()
	}
	return values
}

// requireOnePage requires that a value of the sorted column is found by a search in the index, in the page that has it.
func requireOnePage(t *testing.T, chunk parquet.ColumnChunk, index parquet.ColumnIndex) {
	t.Helper()
	for page := range index.NumPages() {
		wanted := index.MaxValue(page)
		found := parquet.Find(index, wanted, chunk.Type().Compare)
		require.LessOrEqual(t, chunk.Type().Compare(index.MinValue(found), wanted), 0)
		require.GreaterOrEqual(t, chunk.Type().Compare(index.MaxValue(found), wanted), 0)
	}
}
