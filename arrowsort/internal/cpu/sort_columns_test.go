package cpu

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// fewTexts are n strings of a hundred distinct ones, of 0 to 40 bytes, that differ at their ends, too.
func fewTexts(n int) [][]byte {
	r := rand.New(rand.NewPCG(4, 4))
	pool := make([][]byte, 100)
	for i := range pool {
		pool[i] = bytes.Repeat([]byte("prefix"), i%7)
		pool[i] = append(pool[i], make([]byte, i%3)...)
		if i%5 > 0 {
			pool[i] = append(pool[i], byte(r.Uint32()))
		}
	}
	texts := make([][]byte, n)
	for i := range texts {
		texts[i] = pool[r.IntN(len(pool))]
	}
	return texts
}

// shortTexts are n strings of a hundred distinct ones, of up to 7 bytes, some of which differ in zero bytes only.
func shortTexts(n int) [][]byte {
	texts := fewTexts(n)
	for i, text := range texts {
		texts[i] = text[max(0, len(text)-i%2-6):][:min(len(text), 6)]
	}
	return texts
}

// requireFew checks whether the only key of a job is encoded.
func requireFew(t *testing.T, job *engine.Job, few bool) {
	t.Helper()
	s, err := newSorter(t.Context(), job, newMeter(t))
	require.NoError(t, err)
	defer s.mem.Release()
	require.NoError(t, s.encodeStrings())
	require.Equal(t, few, len(s.keys.Dictionaries) == 1)
}

// TestFewStrings sorts by few strings and a number, both of them gathered, and by the strings alone.
func TestFewStrings(t *testing.T) {
	n := 2*tileRows + 3
	specs := []cputest.Texts{
		{}, {Nulls: 10, Chunks: 7}, {Chunks: 300, EmptyToo: true}, {Nulls: 1, Chunks: 2, OneData: true},
	}
	for k, spec := range append(specs, specs...) {
		texts := fewTexts(n)
		if k >= len(specs) {
			texts = shortTexts(n)
		}
		_, valid := cputest.Texts{Hi: 1, Nulls: spec.Nulls}.Draw(n)
		for i, kind := range []keyencode.Kind{keyencode.Binary, keyencode.LargeBinary} {
			columns := []keyencode.Column{spec.Column(kind, texts, valid), uint64Column(drawn(1, n, shapes["few"]))}
			numbers := buffers.View[uint64](columns[1].Chunks[0].Values)
			for _, order := range []keyencode.Order{keyencode.Ascending, keyencode.Descending} {
				keys := []keyencode.Key{{Order: order, Nulls: keyencode.NullPlacement(i)}, {Column: 1}}
				compare := func(a, b uint32) int {
					if valid[a] != valid[b] {
						return map[bool]int{valid[a]: -1, !valid[a]: 1}[i == 0]
					}
					if c := bytes.Compare(texts[a], texts[b]); valid[a] && c != 0 {
						return c * (1 - 2*int(order))
					}
					return 0
				}
				name := fmt.Sprintf("%+v, kind %d, order %d", spec, kind, order)
				if !testrun.Share(8, name, k) {
					continue
				}
				want := stable(allRows(n), compare)
				job := engine.Job{Rows: n, Columns: columns, Keys: keys[:1], RowNumbers: 4, Threads: 2}
				requireFew(t, &job, true)
				res, _ := mustSort(t, &job)
				requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%s, row numbers", name)
				job.Gather, job.RowNumbers = []int{0}, 0
				res, _ = mustSort(t, &job)
				requireTexts(t, kind, texts, valid, want, &res.Columns[0], name+", alone")
				job.Gather, job.RowNumbers = []int{1, 0}, 8
				res, temp := mustSort(t, &job)
				requireTexts(t, kind, texts, valid, want, &res.Columns[1], name)
				require.Less(t, temp, n*(2+8+8+8+2)+6<<20, "indices, codes, words, unpacked strings, bins")
				job.Plan = true
				described, err := Explain(t.Context(), &job, newMeter(t))
				require.NoError(t, err)
				for _, job.Limit = range []int{n / 8, n / 2} {
					res, _ = mustSort(t, &job)
					requireTexts(t, kind, texts, valid, want[:job.Limit], &res.Columns[1], name+", limit")
					require.Equal(t, described.String(), res.Plan.String(), "the plan of the keys as they are")
				}

				want = stable(want, func(a, b uint32) int {
					return cmp.Or(compare(a, b), cmp.Compare(numbers[a], numbers[b]))
				})
				job = engine.Job{Rows: n, Columns: columns, Keys: keys, RowNumbers: 4, Gather: []int{0}, Threads: 3}
				res, _ = mustSort(t, &job)
				requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%s, two keys", name)
				requireTexts(t, kind, texts, valid, want, &res.Columns[0], name)
				job.Gather, job.RowNumbers = []int{0, 1}, 0 // the codes are made from what has moved
				res, _ = mustSort(t, &job)
				requireTexts(t, kind, texts, valid, want, &res.Columns[0], name)
				sorted := buffers.View[uint64](res.Columns[1].Values)
				for i, row := range want {
					require.Equal(t, numbers[row], sorted[i], "%s, place %d", name, i)
				}
			}
		}
	}
}

// TestFewStringsMoveAsRanks: the keys are what has moved, and strings that are sorted alone are counted.
func TestFewStringsMoveAsRanks(t *testing.T) {
	n := 2 * tileRows
	_, valid := cputest.Texts{Hi: 1}.Draw(n)
	_, withNulls := cputest.Texts{Hi: 1, Nulls: 5}.Draw(n)
	for _, texts := range [][][]byte{fewTexts(n), shortTexts(n)} {
		for _, nulls := range []int{0, 5} {
			if nulls > 0 {
				valid = withNulls
			}
			columns := []keyencode.Column{
				cputest.Texts{Nulls: nulls}.Column(keyencode.Binary, texts, valid), uint64Column(drawn(1, n, uniform)),
			}
			job := engine.Job{Rows: n, Columns: columns, Keys: []keyencode.Key{{}}, Gather: []int{0}, Threads: 2}
			for _, job.Gather = range [][]int{{0}, {0, 1}, {1}} {
				s, err := newSorter(t.Context(), &job, newMeter(t))
				require.NoError(t, err)
				require.NoError(t, s.encodeStrings())
				require.NoError(t, s.keys.Measure(s.pool, false))
				require.NoError(t, s.allocate())
				_, moved := s.movedKeys()
				require.Equal(t, job.Gather[0] == 0, moved)
				require.Equal(t, nulls == 0 && len(job.Gather) == 1 && moved, s.onlyCountableKey())
				s.mem.Release()
			}
		}
	}
}

// TestFewStringsInOrder: rows in order, or in the reverse order, are copied, whatever their strings are.
func TestFewStringsInOrder(t *testing.T) {
	n := 2 * tileRows
	texts, valid := make([][]byte, n), make([]bool, n)
	for i := range texts {
		texts[i], valid[i] = fmt.Appendf(nil, "a long string %03d", i*500/n), true
	}
	c := cputest.Texts{}.Column(keyencode.Binary, texts, valid)
	for _, order := range []keyencode.Order{keyencode.Ascending, keyencode.Descending} {
		job := engine.Job{Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{{Order: order}}, RowNumbers: 4}
		requireFew(t, &job, false)
	}
}

// TestFewStringsOfSample: where only the sampled rows have few strings, all rows are sorted as others are.
func TestFewStringsOfSample(t *testing.T) {
	n := 2 * tileRows
	texts, valid := make([][]byte, n), make([]bool, n)
	for i := range texts {
		texts[i], valid[i] = fmt.Appendf(nil, "a long string %d", i*7919%n), true
	}
	for i, row := range keys.SampledRows(n) {
		texts[row] = fmt.Appendf(nil, "a long string %d", i%2)
	}
	columns := []keyencode.Column{cputest.Texts{}.Column(keyencode.Binary, texts, valid)}
	job := engine.Job{
		Rows: n, Columns: columns, Keys: []keyencode.Key{{}}, Gather: []int{0}, RowNumbers: 4, Threads: 2,
	}
	requireFew(t, &job, false)
	want := stable(allRows(n), func(a, b uint32) int { return bytes.Compare(texts[a], texts[b]) })
	res, _ := mustSort(t, &job)
	requireSame(t, want, buffers.View[uint32](res.RowNumbers), "rows")
	requireTexts(t, keyencode.Binary, texts, valid, want, &res.Columns[0], "")
}

// TestFewViews sorts by views and by wide values of fixed size, few of which are distinct.
func TestFewViews(t *testing.T) {
	n := 2 * tileRows
	data := [][]byte{[]byte("the third of them"), []byte("the first of them"), []byte("the second of them")}
	pick := func(i int) int { return i%7%4 - 1 }
	text := func(row uint32) []byte {
		if k := pick(int(row)); k >= 0 {
			return data[k]
		}
		return nil
	}
	fixed := keyencode.Column{Kind: keyencode.FixedSizeBinary, Width: 16, Chunks: []keyencode.Chunk{{Rows: n}}}
	for row := range n {
		value := make([]byte, 16)
		copy(value, text(uint32(row)))
		fixed.Chunks[0].Values = append(fixed.Chunks[0].Values, value...)
	}
	want := stable(allRows(n), func(a, b uint32) int { return bytes.Compare(text(a), text(b)) })
	for _, c := range []keyencode.Column{viewColumn(n, data, pick), fixed} {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{{}}, Gather: []int{0}, RowNumbers: 4,
			Threads: 2,
		}
		requireFew(t, &job, true)
		res, _ := mustSort(t, &job)
		requireSame(t, want, buffers.View[uint32](res.RowNumbers), "kind %d", c.Kind)
		values := c.Chunks[0].Values
		for i, row := range want {
			require.True(t, bytes.Equal(res.Columns[0].Values[16*i:16*i+16], values[16*row:16*row+16]))
		}
	}
}

// TestFewStringsThatPay: strings are not encoded for the first rows only, nor behind other keys without being gathered.
func TestFewStringsThatPay(t *testing.T) {
	n := smallRows + 1
	_, valid := cputest.Texts{Hi: 1}.Draw(n)
	columns := []keyencode.Column{
		cputest.Texts{}.Column(keyencode.Binary, fewTexts(n), valid), uint64Column(drawn(1, n, uniform)),
		cputest.Texts{}.Column(keyencode.Binary, fewTexts(n), valid),
	}
	text, number := keyencode.Key{}, keyencode.Key{Column: 1}
	for _, c := range []struct {
		job engine.Job
		few int
	}{
		{engine.Job{Keys: []keyencode.Key{text}, RowNumbers: 4}, 1},
		{engine.Job{Keys: []keyencode.Key{text}, RowNumbers: 4, Limit: n / 4}, 0},
		{engine.Job{Keys: []keyencode.Key{text, number}, RowNumbers: 4}, 1},
		{engine.Job{Keys: []keyencode.Key{text, {Column: 2}}, RowNumbers: 4}, 2},
		{engine.Job{Keys: []keyencode.Key{number, text}, RowNumbers: 4}, 0},
		{engine.Job{Keys: []keyencode.Key{number, text}, Gather: []int{0}}, 1},
	} {
		c.job.Rows, c.job.Columns, c.job.Threads = n, columns, 2
		s, err := newSorter(t.Context(), &c.job, newMeter(t))
		require.NoError(t, err)
		require.NoError(t, s.encodeStrings())
		few := len(s.keys.Dictionaries)
		require.Equal(t, c.few, few, "keys %v, gather %v, limit %d", c.job.Keys, c.job.Gather, c.job.Limit)
		s.mem.Release()
	}
}

// TestFewStringsOfFixedWidth sorts by strings that are encoded and do not move as ranks, alone and with a number.
func TestFewStringsOfFixedWidth(t *testing.T) {
	n := 2 * tileRows
	_, valid := cputest.Texts{Hi: 1, Nulls: 5}.Draw(n)
	for _, kind := range []keyencode.Kind{keyencode.FixedSizeBinary, keyencode.BinaryView} {
		for _, width := range []int{9, 16} {
			if kind == keyencode.BinaryView && width != 16 {
				continue
			}
			values := make([]byte, n*width)
			for i := range n {
				text := fmt.Appendf(nil, "%08d", i*7919%100*7919)
				if kind == keyencode.BinaryView { // its bytes are in the view
					binary.LittleEndian.PutUint32(values[i*width:], uint32(len(text)))
					copy(values[i*width+4:], text)
				} else {
					copy(values[i*width:], text)
				}
			}
			value := func(row uint32) []byte { return values[int(row)*width:][:width] }
			for _, mode := range testrun.Sample(2, []int{0, 1, 2, 3}) {
				chunk, order := keyencode.Chunk{Rows: n, Values: values}, keyencode.Order(mode%2)
				if mode > 1 {
					chunk.Validity = cputest.Bitmap(rand.New(rand.NewPCG(1, 1)), 0, valid)
				}
				compare := func(a, b uint32) int {
					switch {
					case mode < 2 || valid[a] && valid[b]:
					case valid[a] == valid[b]:
						return 0
					case valid[a]:
						return -1
					default:
						return 1
					}
					return bytes.Compare(value(a), value(b)) * (1 - 2*int(order))
				}
				want := stable(allRows(n), compare)
				columns := []keyencode.Column{
					{Kind: kind, Width: width, Chunks: []keyencode.Chunk{chunk}}, uint64Column(drawn(1, n, uniform)),
				}
				job := engine.Job{Rows: n, Columns: columns, Keys: []keyencode.Key{{Order: order}}, Threads: 2}
				requireFew(t, &job, true)
				for _, job.Gather = range [][]int{{0}, {1, 0}} {
					res, _ := mustSort(t, &job)
					got := res.Columns[len(job.Gather)-1].Values
					for i, row := range want {
						if mode < 2 || valid[row] {
							require.Equal(t, value(row), got[i*width:][:width],
								"kind %d of %d bytes, mode %d, %v, place %d", kind, width, mode, job.Gather, i)
						}
					}
				}
			}
		}
	}
}

// TestSortValuesOnly compares keys of 4 bytes that are sorted alone with those that row numbers are sorted with, and
// the ways of other jobs: with nulls, of 8 bytes, of floats, with another column.
func TestSortValuesOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	const n = 3*tileRows + 5
	column := func(kind keyencode.Kind, width, nulls int) keyencode.Column {
		c := keyencode.Column{Kind: kind}
		k := keyencode.Chunk{Rows: n, Values: make([]byte, n*width)}
		for i := range k.Values {
			k.Values[i] = byte(r.Uint32() >> r.IntN(32))
		}
		if nulls > 0 {
			k.Validity = make([]byte, (n+7)/8)
			for i := range k.Validity {
				k.Validity[i] = byte(r.Uint32() | r.Uint32())
			}
		}
		c.Chunks = []keyencode.Chunk{k}
		return c
	}
	for _, kind := range []keyencode.Kind{keyencode.Int32, keyencode.Uint32} {
		for _, order := range []keyencode.Order{keyencode.Ascending, keyencode.Descending} {
			job := engine.Job{Rows: n, Columns: []keyencode.Column{column(kind, 4, 0)},
				Keys: []keyencode.Key{{Order: order}}, Gather: []int{0}, Threads: 2}
			s := newTestSorter(t, &job)
			require.NoError(t, s.allocate())
			values, _ := s.onlyValues()
			require.NotNil(t, values)
			alone, _ := mustSort(t, &job)
			job.RowNumbers = 4
			want, _ := mustSort(t, &job)
			require.Equal(t, want.Columns[0].Values, alone.Columns[0].Values, "kind %d, order %d", kind, order)
		}
	}
	whole, nullable := column(keyencode.Int32, 4, 0), column(keyencode.Int32, 4, 1)
	for name, job := range map[string]engine.Job{
		"nulls":       {Columns: []keyencode.Column{nullable}, Gather: []int{0}},
		"8 bytes":     {Columns: []keyencode.Column{column(keyencode.Int64, 8, 0)}, Gather: []int{0}},
		"floats":      {Columns: []keyencode.Column{column(keyencode.Float32, 4, 0)}, Gather: []int{0}},
		"row numbers": {Columns: []keyencode.Column{whole}, Gather: []int{0}, RowNumbers: 8},
		"two columns": {Columns: []keyencode.Column{whole, whole}, Gather: []int{0, 1}},
		"another":     {Columns: []keyencode.Column{whole, whole}, Gather: []int{1}},
	} {
		job.Rows, job.Threads, job.Keys = n, 2, []keyencode.Key{{}}
		s := newTestSorter(t, &job)
		require.NoError(t, s.allocate())
		values, _ := s.onlyValues()
		require.Nil(t, values, name)
	}
}
