package cpu

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// longTexts are n strings with a long common prefix, of which a share (in per cent) ties in the first word of the codes
// and differs later; some are prefixes of others, some end with zero bytes.
func longTexts(n, tied int) [][]byte {
	r := rand.New(rand.NewPCG(uint64(tied), 8))
	texts := make([][]byte, n)
	for i := range texts {
		host := r.Uint32N(1 << 20)
		if r.IntN(100) < tied {
			host = 77
		}
		texts[i] = fmt.Appendf(nil, "https://%07d.example/%d", host, r.IntN(n))[:12+r.IntN(30)%21]
		if i%50 == 0 {
			texts[i] = append(texts[i], make([]byte, i%4)...)
		}
	}
	return texts
}

// requireMoved checks whether a sort of a job carries a number of columns, and how many of their bins.
func requireMoved(t *testing.T, job *engine.Job, columns int, all bool) {
	t.Helper()
	s := newTestSorter(t, job)
	require.NoError(t, s.allocate())
	require.NoError(t, s.sortColumns())
	for _, c := range s.moved {
		columns--
		left := 0
		for _, moved := range c.moved {
			if !moved {
				left++
			}
		}
		require.Equal(t, all, left == 0, "%d bins stay in the input", left)
	}
	require.Zero(t, columns)
}

// TestMovedBytes sorts by long strings, by two columns of them, and moves them by a number: with and without bins
// that are too long to move.
func TestMovedBytes(t *testing.T) {
	const n = 200_003
	numbers := drawn(2, n, uniform)
	specs := []cputest.Texts{
		{}, {Nulls: 10, Chunks: 7}, {Chunks: 300, EmptyToo: true}, {Nulls: 1, Chunks: 2, OneData: true},
	}
	for i, spec := range specs {
		tied := []int{1, 60}[i%2]
		texts := longTexts(n, tied)
		_, valid := cputest.Texts{Hi: 1, Nulls: spec.Nulls}.Draw(n)
		for k, kind := range []keyencode.Kind{keyencode.Binary, keyencode.LargeBinary} {
			order, nulls := keyencode.Order((i+k)%2), keyencode.NullPlacement(i%2)
			columns := []keyencode.Column{
				spec.Column(kind, texts, valid), uint64Column(numbers), spec.Column(kind, texts, valid),
				uint64Column(drawn(3, n, shapes["few"])),
			}
			few := buffers.View[uint64](columns[3].Chunks[0].Values)
			byText := func(a, b uint32) int {
				if valid[a] != valid[b] {
					return map[bool]int{valid[a]: -1, !valid[a]: 1}[nulls == keyencode.NullsAtEnd]
				}
				if c := bytes.Compare(texts[a], texts[b]); valid[a] && c != 0 {
					return c * (1 - 2*int(order))
				}
				return 0
			}
			byNumber := func(a, b uint32) int { return cmp.Compare(numbers[a], numbers[b]) }
			text := keyencode.Key{Order: order, Nulls: nulls}
			for name, c := range map[string]struct {
				keys    []keyencode.Key
				gather  []int
				moved   int
				compare func(a, b uint32) int
			}{
				"the key": {[]keyencode.Key{text}, []int{0}, 1, byText},
				"the same key": {
					[]keyencode.Key{text, {Column: 2, Order: order, Nulls: nulls}}, []int{2, 0}, 2, byText,
				},
				"another key": {[]keyencode.Key{{Column: 1}}, []int{0, 1}, 1, byNumber},
				"keys behind": {
					[]keyencode.Key{text, {Column: 3}, {Column: 1}}, []int{0, 3, 1}, 1,
					func(a, b uint32) int {
						return cmp.Or(byText(a, b), cmp.Compare(few[a], few[b]), byNumber(a, b))
					},
				},
				"a number before": {[]keyencode.Key{{Column: 3}, text}, []int{0}, 1, func(a, b uint32) int {
					return cmp.Or(cmp.Compare(few[a], few[b]), byText(a, b))
				}},
			} {
				name := fmt.Sprintf("%s, %+v, kind %d", name, spec, kind)
				if !testrun.Share(8, name) {
					continue
				}
				job := engine.Job{
					Rows: n, Columns: columns, Keys: c.keys, RowNumbers: 4, Gather: c.gather, Threads: 1 + i%3,
				}
				requireMoved(t, &job, c.moved, tied < 50 || c.moved == 1 && c.keys[0].Column > 0)
				want := stable(allRows(n), c.compare)
				res, _ := mustSort(t, &job)
				requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%s", name)
				for g, column := range c.gather {
					if column%2 == 0 {
						requireTexts(t, kind, texts, valid, want, &res.Columns[g], name)
					}
				}
				job.Limit = n / 2 // all rows are sorted, and some of them copied
				res, _ = mustSort(t, &job)
				requireSame(t, want[:n/2], buffers.View[uint32](res.RowNumbers), "%s, limit", name)
			}
		}
	}
}

// TestMovedBytesTempMemory: bytes are moved into the result; a worker copies those of one bin.
func TestMovedBytesTempMemory(t *testing.T) {
	const n = 500_000
	texts, valid := longTexts(n, 0), make([]bool, n)
	for i := range valid {
		valid[i] = true
	}
	job := engine.Job{
		Rows: n, Columns: []keyencode.Column{cputest.Texts{}.Column(keyencode.Binary, texts, valid)},
		Keys: []keyencode.Key{{}}, Gather: []int{0}, Threads: 2,
	}
	requireMoved(t, &job, 1, true)
	_, temp := mustSort(t, &job)
	require.Less(t, temp, n*(2+8+8)+3<<20, "bins, codes, words")
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
	for i, s := range cputest.AllTexts {
		t.Run(s.Name, func(t *testing.T) {
			kind := keyencode.Binary + keyencode.Kind(i%2)
			texts, valid := s.Draw(n)
			c := s.Column(kind, texts, valid)
			for name, keys := range orders {
				if !testrun.Share(3, s.Name, name) {
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
			few.Columns = []keyencode.Column{few.Columns[0], s.Column(kind, texts[:3000], valid[:3000])}
			few.Gather = []int{1}
			res, _ := mustSort(t, &few)
			requireTexts(t, kind, texts, valid, fewRows, &res.Columns[0], "few rows")
		})
	}
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
