package enginetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// faulty spoils the results of the reference engine.
type faulty struct {
	reference
	spoil func(job *engine.Job, res *engine.Result, mem engine.Allocator)
}

func (f faulty) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	res, err := f.reference.Sort(ctx, job, mem)
	if err == nil {
		f.spoil(job, res, mem)
	}
	return res, err
}

func swapRows(res *engine.Result, size, i, j int) {
	for k := range size {
		b := res.RowNumbers
		b[i*size+k], b[j*size+k] = b[j*size+k], b[i*size+k]
	}
}

// TestVerifySeesFaults holds the checks themselves: each fault of an engine has to be found.
func TestVerifySeesFaults(t *testing.T) {
	job := scenario{
		seed: 4, rows: 1001, limit: 700,
		keys: []keySpec{{columnSpec: columnSpec{kind: keyencode.Int64, dist: plain[8], nulls: 0.1}}},
		payload: []columnSpec{
			{kind: keyencode.Binary, dist: uniform, style: 3, nulls: 0.1},
			{kind: keyencode.Bool, dist: uniform, nulls: 0.1},
		},
	}.job()
	require.NoError(t, checkJob(t.Context(), reference{}, job))
	faults := map[string]func(job *engine.Job, res *engine.Result, mem engine.Allocator){
		"two neighbours in ties change places": func(job *engine.Job, res *engine.Result, _ engine.Allocator) {
			if job.RowNumbers > 0 {
				swapRows(res, job.RowNumbers, 3, 4)
			}
		},
		"first and last row change places": func(job *engine.Job, res *engine.Result, _ engine.Allocator) {
			if job.RowNumbers > 0 {
				swapRows(res, job.RowNumbers, 0, res.Rows-1)
			}
		},
		"a row is there twice": func(job *engine.Job, res *engine.Result, _ engine.Allocator) {
			copy(res.RowNumbers[:job.RowNumbers], res.RowNumbers[job.RowNumbers:])
		},
		"the limit leaves out the first row": func(job *engine.Job, res *engine.Result, mem engine.Allocator) {
			other := *job
			other.Limit = 0
			whole, _ := reference{}.Sort(context.Background(), &other, mem)
			copy(res.RowNumbers, whole.RowNumbers[job.RowNumbers:])
			whole.Release(mem)
		},
		"one value is another": func(_ *engine.Job, res *engine.Result, _ engine.Allocator) {
			if len(res.Columns) > 0 {
				res.Columns[0].Values[0] ^= 1
			}
		},
		"one string is another": func(_ *engine.Job, res *engine.Result, _ engine.Allocator) {
			if len(res.Columns) > 2 {
				res.Columns[1].Data[len(res.Columns[1].Data)-1] ^= 1
			}
		},
		"the null count is off": func(_ *engine.Job, res *engine.Result, _ engine.Allocator) {
			if len(res.Columns) > 0 {
				res.Columns[0].Nulls++
			}
		},
		"a padding bit is set": func(_ *engine.Job, res *engine.Result, _ engine.Allocator) {
			if len(res.Columns) > 2 {
				res.Columns[2].Validity[res.Rows/8] |= 0x80
			}
		},
		"a buffer is lost": func(_ *engine.Job, _ *engine.Result, mem engine.Allocator) { mem.Allocate(1) },
		"a buffer is freed twice": func(_ *engine.Job, _ *engine.Result, mem engine.Allocator) {
			b := mem.Allocate(10)
			mem.Free(b)
			mem.Free(b)
		},
		"the input is written to": func(job *engine.Job, _ *engine.Result,
			_ engine.Allocator) {
			job.Columns[2].Chunks[0].Values[0]++
		},
		"a row is missing": func(_ *engine.Job, res *engine.Result, _ engine.Allocator) { res.Rows-- },
	}
	for name, spoil := range faults {
		require.Error(t, checkJob(t.Context(), faulty{spoil: spoil}, job), name)
	}
}
