package curveorder

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// orderOf returns an order along a curve over all kinds of keys, what names it, and its rows.
func orderOf(t *testing.T) (arrow.Table, []arrowsort.Key, *Order, *tablefile.CurveOrder) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 1))
	rec := sorttest.Mixed(memory.DefaultAllocator, r, 0, 3000)
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	keys := []arrowsort.Key{{Path: "text", Nulls: arrowsort.NullsAtStart}, {Path: "word"}, {Path: "at"},
		{Path: "at.day", Order: arrowsort.Descending}, arrowsort.KeyAt(4)}
	o, err := SampleTable(t.Context(), table, keys, arrowsort.Hilbert, arrowsort.Options{})
	require.NoError(t, err)
	p := dataset.New([]string{"x"}, table.Schema(), dataset.Options{}).All()
	p.Keys = keys
	named, err := o.Metadata(t.Context(), p)
	require.NoError(t, err)
	return table, keys, o, named
}

// places returns the places of all rows.
func places(t *testing.T, o *Order, table arrow.Table, keys []arrowsort.Key) []uint64 {
	codes, err := o.Codes(t.Context(), table, keys, arrowsort.Options{})
	require.NoError(t, err)
	return codes.Column(0).Data().Chunk(0).(*array.Uint64).Uint64Values()
}

// TestMetadataRoundTrip: the order that metadata name has the same places for all rows.
func TestMetadataRoundTrip(t *testing.T) {
	table, keys, o, named := orderOf(t)
	require.Equal(t, []string{"text:nulls-first", "word", "at", "at.day:desc", "#5"}, named.Keys)
	declared, found, err := Declared(t.Context(), named, table.Schema())
	require.NoError(t, err)
	require.Equal(t, keys, found)
	require.Equal(t, places(t, o, table, keys), places(t, declared, table, keys))
	require.Less(t, len(named.Grid), 20<<10)
}

// TestMetadataOfOthers: metadata that do not fit the file, or are damaged, are an error, and nothing panics.
func TestMetadataOfOthers(t *testing.T) {
	table, _, _, named := orderOf(t)
	for text, other := range map[string]tablefile.CurveOrder{
		`the curve "peano", which is not supported`: {Curve: "peano", Keys: named.Keys, Grid: named.Grid},
		`no match for key "nobody"`:                 {Curve: "zorder", Keys: []string{"nobody", "at"}},
		"a zorder curve of 1 keys":                  {Curve: "zorder", Keys: named.Keys[:1], Grid: named.Grid},
		"grid is malformed":                         {Curve: "zorder", Keys: named.Keys[:3], Grid: named.Grid},
		"unexpected EOF":                            {Curve: "zorder", Keys: named.Keys, Grid: named.Grid[:99]},
		"EOF":                                       {Curve: "zorder", Keys: named.Keys},
	} {
		_, _, err := Declared(t.Context(), &other, table.Schema())
		require.ErrorContains(t, err, text)
	}
	grid, err := io.ReadAll(flate.NewReader(bytes.NewReader(named.Grid)))
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(testrun.Seed(), 2))
	for range testrun.Count(5000, 500) {
		damaged := bytes.Clone(grid)
		for range 1 + r.IntN(3) {
			at := min(r.IntN(len(damaged)), r.IntN(len(damaged)))
			damaged[at] = byte(r.Uint32())
		}
		if r.IntN(4) == 0 {
			damaged = damaged[:r.IntN(len(damaged))]
		}
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.NoCompression)
		_, err := w.Write(damaged)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		o, keys, err := Declared(t.Context(), &tablefile.CurveOrder{Curve: "hilbert", Keys: named.Keys,
			Grid: packed.Bytes()}, table.Schema())
		if err != nil {
			require.ErrorIs(t, err, errkind.ErrCorrupt)
			continue
		}
		places(t, o, table, keys) // another border, but one
	}
}
