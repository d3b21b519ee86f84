package page

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// plainText returns texts in plain encoding.
func plainText(texts ...string) (b []byte) {
	for _, s := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// TestBytesOfPages: the bytes of text are counted without lengths, in plain pages and in those with a dictionary, once
// for each row. They are unknown of a chunk with a page in another encoding.
func TestBytesOfPages(t *testing.T) {
	p := boundsOf(t, parquet.Types.ByteArray)
	values := plainText("a", "", "longer")
	plain, err := p.OfPage(Plain, values, 3)
	require.NoError(t, err)
	require.EqualValues(t, 7, plain.Bytes)
	p.SetEntries(values, 3)
	b := AppendRLE([]byte{2}, []int32{2, 2, 0, 1, 2}, 2)
	indices, err := p.OfPage(RLEDictionary, append(b, make([]byte, RLESpare)...)[:len(b)], 5)
	require.NoError(t, err)
	require.EqualValues(t, 19, indices.Bytes)
	const deltaByteArray = 7
	other, err := p.OfPage(deltaByteArray, nil, 1)
	require.NoError(t, err)
	x := Index{Column: p.column, Entries: []PageLocation{{Statistics: plain}, {Statistics: indices}}}
	all := x.Statistics()
	require.EqualValues(t, 26, all.Bytes)
	require.True(t, all.HasBytes(p.column))
	x.Entries = append(x.Entries, PageLocation{Statistics: other}, PageLocation{Statistics: plain})
	all = x.Statistics()
	require.False(t, all.HasBytes(p.column))
}

// TestDistinctValues are those entries that pages refer to, each once; none where there are values outside of a small
// dictionary, or where values of other bits may be equal.
func TestDistinctValues(t *testing.T) {
	pages := func(p *PlainBounds, entries []byte, n int, indices ...[]int32) int64 {
		p.SetEntries(entries, n)
		for _, page := range indices {
			b := AppendRLE([]byte{13}, page, 13)
			_, err := p.OfPage(RLEDictionary, append(b, make([]byte, RLESpare)...)[:len(b)], len(page))
			require.NoError(t, err)
		}
		return p.Distinct()
	}
	text := plainText("a", "b", "a", "c", "unused")
	require.EqualValues(t, 3, pages(boundsOf(t, parquet.Types.ByteArray), text, 5, []int32{0, 1}, []int32{2, 3}))
	require.EqualValues(t, 1, pages(boundsOf(t, parquet.Types.ByteArray), text, 5, []int32{0, 2}, nil))
	require.EqualValues(t, 0, pages(boundsOf(t, parquet.Types.Double), make([]byte, 16), 2, []int32{0, 1}))
	p := boundsOf(t, parquet.Types.ByteArray)
	require.EqualValues(t, 1, pages(p, text, 5, []int32{1}))
	_, err := p.OfPage(Plain, text, 2)
	require.NoError(t, err)
	require.EqualValues(t, 0, p.Distinct())
	for _, more := range []int{0, 1} {
		var texts []string
		for i := range mostCountedEntries + more {
			texts = append(texts, fmt.Sprint(i))
		}
		want := int64(2 * (1 - more))
		require.Equal(t, want, pages(boundsOf(t, parquet.Types.ByteArray), plainText(texts...), len(texts),
			[]int32{7, 8}))
	}
}

// TestHistogram counts levels in both kinds of runs, of one bit and of several. A level above the last one is an error.
func TestHistogram(t *testing.T) {
	for _, width := range []int{1, 2, 3} {
		var levels []int32
		want := make([]int64, 1<<width)
		for i := range 1000 {
			level := int32(i*7/3) % int32(len(want))
			if i%300 > 200 {
				level = 1
			}
			levels = append(levels, level)
			want[level]++
		}
		b := append(AppendRLE(nil, levels, width), bytes.Repeat([]byte{0}, RLESpare)...)
		b = b[:len(b)-RLESpare]
		r := RLEReader{Bytes: b, Width: width}
		got, err := r.Histogram(len(levels), len(want))
		require.NoError(t, err)
		require.Equal(t, want, got)
		if width > 1 {
			r = RLEReader{Bytes: b, Width: width}
			_, err = r.Histogram(len(levels), len(want)-1)
			require.ErrorIs(t, err, errkind.ErrCorrupt)
		}
	}
}
