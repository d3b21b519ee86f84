package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

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

// TestStringForms checks the form of a string's word: the whole string, or its place and length.
func TestStringForms(t *testing.T) {
	for _, c := range []struct {
		lo, hi, nulls int
		short         bool
		equal         int
	}{{0, 0, 0, true, 0}, {3, 3, 0, true, 3}, {3, 3, 10, true, 0}, {0, 7, 0, true, 0}, {8, 8, 0, false, 8}, {0, 30, 0,
		false, 0}} {
		s := cputest.Texts{Lo: c.lo, Hi: c.hi, Nulls: c.nulls}
		texts, valid := s.Draw(1000)
		column := s.Column(keyencode.Binary, texts, valid)
		job := engine.Job{Rows: 1000, Columns: []keyencode.Column{column}}
		form, err := newStrings(newChunked(&column), newTestSorter(t, &job), c.nulls > 0)
		require.NoError(t, err)
		require.Equal(
			t, []any{c.short, c.equal}, []any{form.short, form.equal}, "lengths %d to %d, %d %% null", c.lo, c.hi,
			c.nulls,
		)
	}
	slices := cputest.Texts{Lo: 9, Hi: 9, Chunks: 100, OneData: true}
	texts, valid := slices.Draw(1000)
	column := slices.Column(keyencode.LargeBinary, texts, valid)
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
