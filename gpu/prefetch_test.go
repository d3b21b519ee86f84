//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/keyencode"
)

// wideJob has a key and many columns in chunks, with nulls and without, gathered in any order and more than once.
func wideJob(mem engine.Allocator, rows int, seed uint64) *engine.Job {
	r := rand.New(rand.NewPCG(seed, 1))
	job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}, RowNumbers: 8}
	for i, kind := range []keyencode.Kind{keyencode.Int64, keyencode.Int64, keyencode.Float32, keyencode.Bool,
		keyencode.Uint16, keyencode.Decimal128, keyencode.Float64} {
		c := keyencode.Column{Kind: kind}
		for left := rows; left > 0; {
			n := min(left, 1+r.IntN(rows))
			k := keyencode.Chunk{Rows: n, Offset: r.IntN(20)}
			k.Values = mem.Allocate((k.Offset + n) * max(c.ValueBytes(), 1))
			for b := range k.Values {
				k.Values[b] = byte(r.Uint32())
			}
			if i%2 == 1 && r.IntN(2) == 0 {
				k.Validity = []byte(fmt.Sprintf("%0*d", (k.Offset+n)/8+1, r.Uint64()))
			}
			c.Chunks = append(c.Chunks, k)
			left -= n
		}
		job.Columns = append(job.Columns, c)
	}
	for range 9 {
		job.Gather = append(job.Gather, r.IntN(len(job.Columns)))
	}
	return job
}

// useStreams makes even a few bytes use separate streams.
func useStreams(t *tuning.Table) {
	t.PrefetchBytes, t.LateBytes = 1, 0
}

// TestPrefetch sorts with columns that are uploaded while the keys are sorted, from pageable and from pinned memory,
// and without.
func TestPrefetch(t *testing.T) {
	e := openForTest(t, useStreams)
	usual := e.tuning
	for seed := range uint64(20) {
		for name, mem := range map[string]engine.Allocator{"go": goMemory{}, "pinned": e.Allocator()} {
			job := wideJob(mem, 1+int(seed*seed*100), seed)
			job.Limit = int(seed%3) * job.Rows / 2
			e.tuning = usual
			e.tuning.PrefetchBytes, e.tuning.LateBytes = 1<<60, 1<<60
			want, err := e.Sort(t.Context(), job, mem)
			require.NoError(t, err)
			e.tuning.PrefetchBytes, e.tuning.LateBytes = 1, 0
			e.tuning.DirectBytes, e.tuning.CopyBytes = 1, 1+int(seed*997) // pinned memory is copied in many parts
			got, err := e.Sort(t.Context(), job, mem)
			require.NoError(t, err)
			require.Equal(t, want.RowNumbers, got.RowNumbers, "%s, seed %d", name, seed)
			for i, at := range job.Gather {
				require.Equal(t, want.Columns[i], got.Columns[i], "%s, seed %d: column %d", name, seed, at)
			}
			want.Release(mem)
			got.Release(mem)
		}
	}
}

// TestPrefetchIsCancelled cancels at any moment: nothing leaks, and the next sort is correct.
func TestPrefetchIsCancelled(t *testing.T) {
	e := openForTest(t, useStreams)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	job := wideJob(goMemory{}, 20_000, 1)
	want, err := e.Sort(t.Context(), job, mem)
	require.NoError(t, err)
	defer want.Release(mem)
	for wait := time.Duration(1); wait < 5*time.Millisecond; wait = wait*3/2 + 1 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		res, err := e.Sort(ctx, job, mem)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			continue
		}
		require.Equal(t, want.Columns, res.Columns)
		res.Release(mem)
	}
}
