package extsort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// tablesOf is a stream of tables.
type tablesOf struct{ tables []arrow.Table }

func (s *tablesOf) Next(context.Context) (arrow.Table, error) {
	if len(s.tables) == 0 {
		return nil, io.EOF
	}
	table := s.tables[0]
	s.tables = s.tables[1:]
	return table, nil
}

func (s *tablesOf) Close() {
	for _, table := range s.tables {
		table.Release()
	}
}

// TestBatchesOfOnePart: with parts a batch ends where the part of its rows ends, or where it is full.
func TestBatchesOfOnePart(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 3))
	schema := arrow.NewSchema([]arrow.Field{{Name: "part", Type: arrow.PrimitiveTypes.Int64},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	for range testrun.Count(300, 100) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		source, part, rows := &tablesOf{}, int64(0), int64(0)
		var sizes []int64 // of the parts
		for range r.IntN(6) {
			b := array.NewRecordBuilder(mem, schema)
			for range r.IntN(50) {
				if len(sizes) == 0 || r.IntN(12) == 0 {
					part, sizes = part+1, append(sizes, 0)
				}
				sizes[len(sizes)-1]++
				b.Field(0).(*array.Int64Builder).Append(part)
				b.Field(1).(*array.Int64Builder).Append(rows)
				rows++
			}
			rec := b.NewRecord()
			source.tables = append(source.tables, array.NewTableFromRecords(schema, []arrow.Record{rec}))
			rec.Release()
			b.Release()
		}
		most := int64(1 + r.IntN(30))
		var want []string
		next := int64(0)
		for i, size := range sizes {
			for ; size > 0; size -= min(size, most) {
				want = append(want, fmt.Sprintf("part %d from row %d: %d rows", i+1, next, min(size, most)))
				next += min(size, most)
			}
		}
		opts := &Options{Allocator: mem, PartOf: func(table arrow.Table) PartNames {
			values := table.Column(0).Data()
			return func(row int64) (string, error) {
				for _, c := range values.Chunks() {
					if row < int64(c.Len()) {
						return c.ValueStr(int(row)), nil
					}
					row -= int64(c.Len())
				}
				return "", errors.New("no such row")
			}
		}}
		stream := newRebatch(source, schema, most, 0, opts)
		var found []string
		for {
			table, err := stream.Next(t.Context())
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			parts, numbers := table.Column(0).Data().Chunk(0), table.Column(1).Data().Chunk(0)
			found = append(found, fmt.Sprintf("part %s from row %s: %d rows", parts.ValueStr(0), numbers.ValueStr(0),
				table.NumRows()))
			table.Release()
		}
		stream.Close()
		require.Equal(t, want, found)
		mem.AssertSize(t, 0)
	}
}

// TestGallop: it finds the first number that is not inside, for every place of it, and returns errors.
func TestGallop(t *testing.T) {
	for all := int64(1); all < 70; all++ {
		for end := int64(1); end <= all; end++ {
			asked := 0
			n, err := gallop(all, func(n int64) (bool, error) {
				require.Less(t, n, all)
				asked++
				return n < end, nil
			})
			require.NoError(t, err)
			require.Equal(t, end, n)
			require.Less(t, asked, 14, "twice the bits of the number, and one")
		}
	}
	wrong := errors.New("wrong")
	for fails := range int64(5) {
		_, err := gallop(100, func(n int64) (bool, error) {
			if n > fails {
				return false, wrong
			}
			return true, nil
		})
		require.ErrorIs(t, err, wrong)
	}
}

// TestRowsCountHalfWhenTheyAreRead to be merged.
func TestRowsCountHalfWhenTheyAreRead(t *testing.T) {
	var done, total int64
	p := &rowProgress{rows: 100}
	p.add(10, 0) // before it is reported
	p.begin(&Options{Progress: func(_ Phase, d, t int64) { done, total = d, t }}, PhaseWrite, 50)
	require.Equal(t, []int64{5, 100}, []int64{done, total})
	p.add(90, 25)
	require.Equal(t, []int64{75, 100}, []int64{done, total})
	p.add(0, 25)
	require.Equal(t, []int64{100, 100}, []int64{done, total})
	(*rowProgress)(nil).add(1, 1)
}
