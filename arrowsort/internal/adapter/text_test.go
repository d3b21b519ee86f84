package adapter

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/keyencode"
)

// textOf returns row i of a chunk of text in any layout.
func textOf(c *keyencode.Chunk, l layout, i int) string {
	if l.kind == keyencode.BinaryView {
		return string(textOfView(c, i))
	}
	t := texts{*c, l}
	return string(t.data()[t.start(i):t.start(i+1)])
}

// TestConvertText converts text of each layout to each other one, with a reach of offsets that few strings pass.
func TestConvertText(t *testing.T) {
	mem := arrowtest.Checked(t)
	want := []string{"abc", "", "of more than twelve bytes", "abcdefghijkl", "", "abcdefghijklm", "zz", "an end"}
	types := []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView}
	for _, from := range types {
		b := array.NewBuilder(mem, from)
		for _, text := range append([]string{"before the slice"}, want...) {
			b.(interface{ Append(string) }).Append(text)
		}
		whole := b.NewArray()
		a := array.NewSlice(whole, 1, int64(whole.Len()))
		for _, to := range types {
			var w RawColumns
			w.Start(t.Context(), Options{Allocator: mem})
			l, _ := layoutOf(from)
			other, _ := layoutOf(to)
			column, err := w.column(l, []arraySlice{newSlice(a.Data(), a.Len())})
			require.NoError(t, err)
			chunks, err := w.convertText(column.Chunks[0], l, other, 27)
			require.NoError(t, err)
			require.Equal(t, other.kind == keyencode.Binary && from != to, len(chunks) > 1, "%s to %s", from, to)
			require.NoError(t, keyencode.Validate(&keyencode.Column{Kind: other.kind, Chunks: chunks}))
			var got []string
			for k := range chunks {
				for i := range chunks[k].Rows {
					got = append(got, textOf(&chunks[k], other, i))
				}
			}
			require.Equal(t, want, got, "%s to %s", from, to)
			w.Release()
		}
		a.Release()
		whole.Release()
		b.Release()
	}
}

// TestConvertTextThatIsTooLong: a value whose bytes offsets of 32 bits do not reach.
func TestConvertTextThatIsTooLong(t *testing.T) {
	mem := arrowtest.Checked(t)
	var w RawColumns
	w.Start(t.Context(), Options{Allocator: mem})
	defer w.Release()
	b := array.NewLargeStringBuilder(mem)
	defer b.Release()
	b.AppendValues([]string{"a", strings.Repeat("b", 20)}, nil)
	a := b.NewArray()
	defer a.Release()
	column, err := w.column(layout{keyencode.LargeBinary, 8}, []arraySlice{newSlice(a.Data(), 2)})
	require.NoError(t, err)
	_, err = w.convertText(column.Chunks[0], layout{keyencode.LargeBinary, 8}, layout{keyencode.Binary, 4}, 19)
	require.ErrorIs(t, err, engine.ErrOffsets)
	require.ErrorContains(t, err, "a value has 20 bytes")
}
