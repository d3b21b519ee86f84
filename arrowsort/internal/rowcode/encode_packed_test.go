package rowcode

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keySource returns the source of a key of lists.
func keySource(t *testing.T, e *encoder, in *adapter.Input, typ arrow.DataType, nulls keyencode.NullPlacement) source {
	t.Helper()
	l := newLeaf(adapter.Leaf{Path: []int{0}, Name: "k", Type: typ}, keyencode.Key{Nulls: nulls})
	l.bare, l.nullCode = true, nil
	l.marked = l.marked && l.inner[0].mayBeEmpty()
	values, err := e.raw.PlainRows(in, l.Leaf)
	require.NoError(t, err)
	s, err := e.source(&l, values)
	require.NoError(t, err)
	return s
}

// TestPackedKeys encodes keys of lists all at once and list by list: rows that are not null have the same bytes. The
// elements have nulls of every type with a fixed size.
func TestPackedKeys(t *testing.T) {
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(testrun.Seed(), 7))
	packed := 0
	for _, typ := range arrowtest.Types() {
		if !adapter.Nested(typ) || !adapter.Sortable(typ) || adapter.Plain(typ) != typ {
			continue
		}
		for _, nulls := range []float64{0, 0.3} {
			var chunks []arrow.Array
			rows := 0
			for range 3 {
				n := rng.IntN(2 * tileRows)
				a := arrowtest.RandomSlice(rng, typ, n, rng.IntN(20), nulls, memory.NewGoAllocator())
				chunks = append(chunks, a)
				rows += n
			}
			in := &adapter.Input{Rows: rows, Columns: []adapter.Column{{Name: "k", Type: typ, Chunks: chunks}}}
			e := newEncoder(t.Context(), rows, Options{Allocator: mem, Threads: 2})
			s := keySource(t, e, in, typ, keyencode.NullPlacement(rng.IntN(2)))
			if s.packed() {
				packed++
				want, err := e.encode([]source{s}, rows)
				require.NoError(t, err)
				got, err := e.encodePacked(&s)
				require.NoError(t, err)
				require.Equal(t, rows, got.Len())
				row := 0
				for i := range s.chunks {
					k := &s.chunks[i]
					for r := range k.Rows {
						if k.valid(r) {
							where := fmt.Sprintf("row %d of %s, seed %d", row, typ, testrun.Seed())
							require.Equal(t, want.Row(row), got.Row(row), where)
						}
						row++
					}
				}
				want.Release()
				got.Release()
			}
			e.release()
		}
	}
	require.Greater(t, packed, 10)
}

// TestKeysThatAreNotPacked: elements that lie in another order, that have no bytes or a varying number of them, and
// offsets that fall or leave the elements where a list is null.
func TestKeysThatAreNotPacked(t *testing.T) {
	i32 := arrow.PrimitiveTypes.Int32
	elements := arrowtest.FromJSON(t, i32, `[1, 2, 3]`)
	lists := func(offsets ...int32) arrow.Array {
		validity := []byte{0b101}
		buffers := []*memory.Buffer{memory.NewBufferBytes(validity), memory.NewBufferBytes(buffers.Bytes(offsets))}
		return array.MakeFromData(array.NewData(
			arrow.ListOf(i32), len(offsets)-1, buffers, []arrow.ArrayData{elements.Data()}, 1, 0))
	}
	for _, c := range []struct {
		name   string
		lists  arrow.Array
		packed bool
	}{
		{"in order", lists(0, 1, 2, 3), true},
		{"a null list with elements", lists(0, 2, 3, 3), true},
		{"a null list with most of the elements", lists(0, 1, 3, 3), false},
		{"offsets that fall", lists(0, 2, 1, 3), false},
		{"a null list that leaves the elements", lists(0, 1, 7), false},
		{"a view", arrowtest.FromJSON(t, arrow.ListViewOf(i32), `[[1], null, [2]]`), false},
		{"strings", arrowtest.FromJSON(t, arrow.ListOf(arrow.BinaryTypes.String), `[["a"], null]`), false},
		{"nulls", arrowtest.FromJSON(t, arrow.ListOf(arrow.Null), `[[null], []]`), false},
		{"pairs", arrowtest.FromJSON(t, arrow.FixedSizeListOf(2, i32), `[[1, 2], null]`), true},
	} {
		in := &adapter.Input{Rows: c.lists.Len(), Columns: []adapter.Column{
			{Name: "k", Type: c.lists.DataType(), Chunks: []arrow.Array{c.lists}}}}
		e := newEncoder(t.Context(), in.Rows, Options{Allocator: memory.NewGoAllocator()})
		s := keySource(t, e, in, c.lists.DataType(), keyencode.NullsAtEnd)
		require.Equal(t, c.packed, s.packed(), c.name)
		e.release()
	}
}
