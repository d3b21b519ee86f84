package difftest

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestSearchInRandomTables compares SearchSorted with bisections by the model.
func TestSearchInRandomTables(t *testing.T) {
	compareCalls(t, 7000, testrun.Count(1500, 120), (*table).checkSearch)
}

// TestSearchOfEveryKey has every type of key, order, null placement and shape, in one chunk and in several.
func TestSearchOfEveryKey(t *testing.T) {
	compareCallsOfEveryKey(t, (*table).checkSearch)
}

// A callCheck compares calls on a table with the model.
type callCheck = func(*table, *testing.T, *rand.Rand, arrowsort.Options) error

// compareCalls checks calls on the tables of some seeds: one in twelve has more rows than one worker sorts alone.
func compareCalls(t *testing.T, first, tables int, check callCheck) {
	compareAll(t, tables, func(i int) error {
		seed := testrun.Seed() + uint64(first+i)
		r := rand.New(rand.NewPCG(seed, 1))
		rows := []int{r.IntN(20), r.IntN(300), r.IntN(4000)}[r.IntN(3)]
		if r.IntN(12) == 0 {
			rows = 1<<15 + r.IntN(1<<15)
		}
		return compareCall(t, r, check, func(mem memory.Allocator) *table {
			return newTable(seed, rows, mem)
		})
	})
}

func compareCallsOfEveryKey(t *testing.T, check callCheck) {
	cases := sample(everyKey(), testrun.OneIn(20))
	compareAll(t, len(cases), func(i int) error {
		r := rand.New(rand.NewPCG(cases[i].seed, 5))
		return compareCall(t, r, check, func(mem memory.Allocator) *table {
			return cases[i].table(1+r.IntN(700), mem)
		})
	})
}

func compareCall(t *testing.T, r *rand.Rand, check callCheck, make func(memory.Allocator) *table) error {
	mem := arrowtest.Checked(t)
	tab := make(mem)
	defer tab.release()
	opts := arrowsort.Options{Allocator: mem, Threads: r.IntN(4)}
	if err := check(tab, t, r, opts); err != nil {
		return fmt.Errorf("%s, %d threads: %w", tab.text, opts.Threads, err)
	}
	return nil
}

// checkSearch searches rows of the sorted table, and random ones, by whole columns.
func (t *table) checkSearch(tt *testing.T, r *rand.Rand, opts arrowsort.Options) error {
	var types []arrow.DataType
	for i := range t.keys {
		if t.modelKeys[i].Fields != nil { // another column than that of the collation
			t.keys[i].Collation, t.modelKeys[i].Text = arrowsort.Bytes, nil
			t.keys[i].Function, t.modelKeys[i].Function = "", nil
		}
		t.modelKeys[i].Fields = nil
		t.keys[i].Path, t.keys[i].At = "", arrowsort.Column(t.modelKeys[i].Column)
		types = append(types, t.columns[t.modelKeys[i].Column].Type)
	}
	sorted, err := arrowsort.Sort(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return fmt.Errorf("Sort: %w", err)
	}
	defer sorted.Release()
	skip := min(t.rows, r.IntN(9))
	data := sliceData(sorted, skip, t.rows)
	defer data.Release()

	values := drawValues(r, types, chunksOf(sorted), t.keys, opts)
	defer values.release()
	keys := make([]model.Key, len(t.keys)) // a column that is a key twice has two columns of values
	columns := make([]model.Column, len(t.keys))
	for i, key := range t.modelKeys {
		keys[i] = model.Key{Column: i, Descending: key.Descending, NullsFirst: key.NullsFirst, Function: key.Function,
			Text: key.Text}
		chunks := chunksOf(data)[key.Column]
		columns[i] = model.Column{Type: types[i],
			Chunks: append(append([]arrow.Array{}, chunks...), values.columns[i].Chunks...)}
	}
	order := model.NewOrder(columns, keys)
	for _, side := range []arrowsort.Side{arrowsort.Left, arrowsort.Right} {
		if err := checkPlaces(tt, data, values, t.keys, t.rows-skip, order, side, opts); err != nil {
			return err
		}
	}
	return nil
}

func checkPlaces(tt *testing.T, data arrowsort.Data, values *table, keys []arrowsort.Key, rows int, order model.Order,
	side arrowsort.Side, opts arrowsort.Options) error {
	got, err := arrowsort.SearchSorted(tt.Context(), data, values.data, keys, side, opts)
	if err != nil {
		return fmt.Errorf("SearchSorted: %w", err)
	}
	defer got.Release()
	if got.Len() != values.rows || got.NullN() != 0 {
		return fmt.Errorf("side %d: %d places with %d nulls, want %d", side, got.Len(), got.NullN(), values.rows)
	}
	for i, place := range got.Uint64Values() {
		value := uint64(rows + i)
		want := sort.Search(rows, func(row int) bool {
			c := order.Compare(uint64(row), value)
			return c > 0 || c == 0 && side == arrowsort.Left
		})
		if int(place) != want {
			return fmt.Errorf("side %d, value %d, %s: place %d of %d, want %d", side, i, order.Show(value), place, rows,
				want)
		}
	}
	return nil
}

// drawValues makes a record, table, array or chunked array of some types: rows of the columns that are keys, and random
// ones.
func drawValues(r *rand.Rand, types []arrow.DataType, from [][]arrow.Array, keys []arrowsort.Key,
	opts arrowsort.Options) *table {
	v := &table{rows: []int{0, 1, r.IntN(50), r.IntN(3000)}[r.IntN(4)]}
	form := r.IntN(2)
	if len(types) == 1 {
		form = r.IntN(4)
	}
	for i, typ := range types {
		if form%2 == 0 {
			v.addColumn(r, typ, v.drawForm(r, form), opts.Allocator)
			continue
		}
		c := model.Column{Type: typ}
		left := v.rows
		at, _ := keys[i].At.Index()
		for _, chunk := range from[at] {
			n := min(chunk.Len(), left)
			c.Chunks = append(c.Chunks, array.NewSlice(chunk, int64(chunk.Len()-n), int64(chunk.Len())))
			left -= n
		}
		rest := column(r, typ, columnForm{shapes[r.IntN(len(shapes))], 0.1, 1}, left, opts.Allocator)
		c.Chunks = append(c.Chunks, rest.Chunks...)
		v.columns = append(v.columns, c)
	}
	v.data = v.assemble(form)
	return v
}

// sliceData is rows lo..hi-1 of data of any form.
func sliceData(data arrowsort.Data, lo, hi int) arrowsort.Data {
	switch d := data.(type) {
	case arrow.Record:
		return d.NewSlice(int64(lo), int64(hi))
	case arrow.Array:
		return array.NewSlice(d, int64(lo), int64(hi))
	case *arrow.Chunked:
		return array.NewChunkedSlice(d, int64(lo), int64(hi))
	case arrow.Table:
		columns := make([]arrow.Column, d.NumCols())
		for i := range columns {
			c := d.Column(i)
			chunks := array.NewChunkedSlice(c.Data(), int64(lo), int64(hi))
			columns[i] = *arrow.NewColumn(c.Field(), chunks)
			chunks.Release()
			defer columns[i].Release()
		}
		return array.NewTable(d.Schema(), columns, int64(hi-lo))
	}
	panic(fmt.Sprintf("data of type %T", data))
}
