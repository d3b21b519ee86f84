package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A textSpec describes a column of strings.
type textSpec struct {
	name     string
	lo, hi   int // lengths
	nulls    int // percent
	chunks   int
	oneData  bool // the chunks are slices of one buffer, whose first bytes belong to none
	emptyToo bool // some chunks have no rows, and no buffer of bytes
}

var textSpecs = []textSpec{
	{name: "empty", lo: 0, hi: 0}, {name: "narrow", lo: 0, hi: 3},
	{name: "narrow with nulls", lo: 0, hi: 3, nulls: 20, chunks: 3}, {name: "short", lo: 0, hi: shortBytes},
	{name: "short with nulls", lo: 0, hi: shortBytes, nulls: 20}, {name: "one byte", lo: 1, hi: 1},
	{name: "three bytes", lo: 3, hi: 3, chunks: 5}, {name: "four bytes", lo: 4, hi: 4},
	{name: "seven bytes", lo: 7, hi: 7}, {name: "seven bytes with nulls", lo: 7, hi: 7, nulls: 1},
	{name: "eight bytes", lo: 8, hi: 8}, {name: "long", lo: 0, hi: 40, chunks: 2},
	{name: "long with nulls", lo: 5, hi: 20, nulls: 50}, {name: "all null", lo: 0, hi: 20, nulls: 100},
	{name: "short in many chunks", lo: 0, hi: 5, nulls: 5, chunks: 900, emptyToo: true},
	{name: "long in many chunks", lo: 0, hi: 15, nulls: 5, chunks: 900, emptyToo: true},
	{name: "slices of one buffer", lo: 0, hi: 9, nulls: 5, chunks: 40, oneData: true},
	{name: "equal slices of one buffer", lo: 5, hi: 5, chunks: 40, oneData: true},
}

// texts are the strings of a column, and what is null; strings under nulls are there, too.
func (s textSpec) texts(n int) (texts [][]byte, valid []bool) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(s.name))))
	pool := make([]byte, 1<<16)
	for i := range pool {
		pool[i] = byte(r.Uint32())
	}
	texts, valid = make([][]byte, n), make([]bool, n)
	for i := range texts {
		at := r.IntN(len(pool) - s.hi)
		texts[i], valid[i] = pool[at:at+s.lo+r.IntN(s.hi-s.lo+1)], r.IntN(100) >= s.nulls
	}
	return texts, valid
}

// column lays the strings out. Chunks begin at an offset of their buffers, and their first string not at 0.
func (s textSpec) column(kind keyencode.Kind, texts [][]byte, valid []bool) keyencode.Column {
	r := rand.New(rand.NewPCG(1, 1))
	c := keyencode.Column{Kind: kind}
	data, offsets := []byte("before"), []uint64{2}
	firsts := []int{0} // the chunks' first offsets
	flush := func(texts [][]byte, valid []bool) {
		k := keyencode.Chunk{Rows: len(texts), Offset: 1, Values: buffers.Bytes(offsets), Data: [][]byte{data}}
		if s.nulls > 0 {
			k.Validity = bitmapOf(r, 1, valid)
		}
		c.Chunks = append(c.Chunks, k)
	}
	chunks := max(s.chunks, 1)
	for k := range chunks {
		lo, hi := len(texts)*k/chunks, len(texts)*(k+1)/chunks
		if s.oneData {
			firsts = append(firsts, len(offsets)-1)
		} else {
			data, offsets = []byte("before"), []uint64{2}
		}
		offsets = append(offsets, uint64(len(data)))
		for _, text := range texts[lo:hi] {
			data = append(data, text...)
			offsets = append(offsets, uint64(len(data)))
		}
		flush(texts[lo:hi], valid[lo:hi])
		if s.emptyToo && k%3 == 0 {
			c.Chunks = append(c.Chunks, keyencode.Chunk{})
		}
	}
	for i := range c.Chunks {
		k := &c.Chunks[i]
		if s.oneData { // as slicing an array leaves it: the whole buffers, another offset
			k.Data, k.Values, k.Offset, k.Validity = [][]byte{data}, buffers.Bytes(offsets), firsts[i+1]+1, nil
			if s.nulls > 0 {
				k.Validity = bitmapOf(r, k.Offset, valid[len(texts)*i/chunks:len(texts)*(i+1)/chunks])
			}
		}
		if kind == keyencode.Binary {
			k.Values = narrowOffsets(k.Values)
		}
	}
	return c
}

func narrowOffsets(values []byte) []byte {
	offsets := make([]uint32, 0, len(values)/8)
	for _, o := range buffers.View[uint64](values) {
		offsets = append(offsets, uint32(o))
	}
	return buffers.Bytes(offsets)
}

// requireTexts compares a gathered column with the strings of the given rows. Its offsets begin at 0, and nothing else
// is in its bytes.
func requireTexts(
	t *testing.T, kind keyencode.Kind, texts [][]byte, valid []bool, rows []uint32, got *engine.Column, name string,
) {
	t.Helper()
	offset := func(i int) int {
		if kind == keyencode.Binary {
			return int(buffers.View[int32](got.Values)[i])
		}
		return int(buffers.View[int64](got.Values)[i])
	}
	at, nulls := 0, 0
	for i, row := range rows {
		text := texts[row]
		if !valid[row] {
			text, nulls = nil, nulls+1
		}
		if offset(i) != at || offset(i+1) != at+len(text) || string(got.Data[at:at+len(text)]) != string(text) ||
			got.Validity != nil && bitAt(got.Validity, i) != valid[row] {
			require.Failf(
				t, "wrong string", "%s: place %d, row %d: offsets %d to %d after %d, want %q", name, i, row, offset(i),
				offset(i+1), at, text,
			)
		}
		at += len(text)
	}
	require.Len(t, got.Data, at, name)
	require.Equal(t, nulls, got.Nulls, name)
	require.Equal(t, nulls > 0, got.Validity != nil, name)
}

// TestStrings moves strings of every form by a key: with the partition, as one copy in order and in reverse, by the
// leading rows, and few of them.
func TestStrings(t *testing.T) {
	const n = 200_000
	keys := drawn(1, n, uniform)
	orders := map[string][]uint64{
		"random": keys, "sorted": drawn(1, n, shapes["sorted"]), "reversed": drawn(1, n, shapes["reversed"]),
	}
	rows := map[string][]uint32{}
	for name, keys := range orders {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
		}
		res, _ := mustSort(t, &job)
		rows[name] = buffers.View[uint32](res.RowNumbers)
	}
	few := engine.Job{
		Rows: 3000, Columns: []keyencode.Column{uint64Column(keys[:3000])}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
	}
	res, _ := mustSort(t, &few)
	fewRows := buffers.View[uint32](res.RowNumbers)
	for i, s := range textSpecs {
		t.Run(s.name, func(t *testing.T) {
			kind := keyencode.Binary + keyencode.Kind(i%2)
			texts, valid := s.texts(n)
			c := s.column(kind, texts, valid)
			for name, keys := range orders {
				if !testrun.Share(3, s.name, name) {
					continue
				}
				job := engine.Job{
					Rows: n, Columns: []keyencode.Column{uint64Column(keys), c}, Keys: []keyencode.Key{{}},
					Gather: []int{1}, Threads: 2,
				}
				res, _ := mustSort(t, &job)
				requireTexts(t, kind, texts, valid, rows[name], &res.Columns[0], name)
				job.Limit = n / 20
				res, _ = mustSort(t, &job)
				requireTexts(
					t, kind, texts, valid, rows[name][:job.Limit], &res.Columns[0],
					fmt.Sprint(name, ", limit ", job.Limit),
				)
			}
			kind ^= keyencode.Binary ^ keyencode.LargeBinary
			few.Columns = []keyencode.Column{few.Columns[0], s.column(kind, texts[:3000], valid[:3000])}
			few.Gather = []int{1}
			res, _ := mustSort(t, &few)
			requireTexts(t, kind, texts, valid, fewRows, &res.Columns[0], "few rows")
		})
	}
}

// TestStringForms checks the form of a string's word: the whole string, or its place and length.
func TestStringForms(t *testing.T) {
	for _, c := range []struct {
		lo, hi, nulls int
		short         bool
		equal         int
	}{{0, 0, 0, true, 0}, {3, 3, 0, true, 3}, {3, 3, 10, true, 0}, {0, 7, 0, true, 0}, {8, 8, 0, false, 8}, {0, 30, 0,
		false, 0}} {
		s := textSpec{lo: c.lo, hi: c.hi, nulls: c.nulls}
		texts, valid := s.texts(1000)
		column := s.column(keyencode.Binary, texts, valid)
		job := engine.Job{Rows: 1000, Columns: []keyencode.Column{column}}
		form, err := newStrings(newChunked(&column), newTestSorter(t, &job), c.nulls > 0)
		require.NoError(t, err)
		require.Equal(
			t, []any{c.short, c.equal}, []any{form.short, form.equal}, "lengths %d to %d, %d %% null", c.lo, c.hi,
			c.nulls,
		)
	}
	slices := textSpec{lo: 9, hi: 9, chunks: 100, oneData: true}
	texts, valid := slices.texts(1000)
	column := slices.column(keyencode.LargeBinary, texts, valid)
	form, err := newStrings(
		newChunked(&column), newTestSorter(t, &engine.Job{Rows: 1000, Columns: []keyencode.Column{column}}), false,
	)
	require.NoError(t, err)
	require.Equal(
		t, 9*1000, form.bases[len(column.Chunks)],
		"places count the bytes of rows, not those of a buffer once for each slice",
	)
}

// TestTooManyBytes: strings whose offsets would pass 2 GiB are an error before any byte is copied.
func TestTooManyBytes(t *testing.T) {
	const chunks, size = 300, 8 << 20 // the chunks share their bytes
	data := make([]byte, size)
	c := keyencode.Column{Kind: keyencode.Binary}
	for range chunks {
		offsets := buffers.Bytes([]uint32{0, size})
		c.Chunks = append(c.Chunks, keyencode.Chunk{Rows: 1, Values: offsets, Data: [][]byte{data}})
	}
	job := engine.Job{
		Rows: chunks, Columns: []keyencode.Column{c, uint64Column(drawn(1, chunks, uniform))},
		Keys: []keyencode.Key{{Column: 1}}, Gather: []int{0},
	}
	mem := newMeter(t)
	_, err := New().Sort(t.Context(), &job, mem)
	require.ErrorIs(t, err, engine.ErrOffsets)
	require.Less(t, mem.Most, 1<<20, "bytes that were allocated")
	require.Greater(t, chunks*size, math.MaxInt32)
}
