package rows_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// An exhausted allocator fails from call number left on: it returns nil, panics, or returns half of the bytes.
type exhausted struct {
	memory.Allocator
	left int
	how  string
}

func (e *exhausted) Allocate(size int) []byte {
	e.left--
	switch {
	case e.left >= 0:
		return e.Allocator.Allocate(size)
	case e.how == "panic":
		panic("no memory")
	case e.how == "half":
		return e.Allocator.Allocate(size / 2)
	}
	return nil
}

// A stopping context ends in call number left of Err.
type stopping struct {
	context.Context
	left int
}

func (s *stopping) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}

// A call is Encode or Decode; it returns the release of its result.
type call = func(context.Context, rows.Options) (release func(), err error)

// callsOfAllTypes are calls on a record with a column of every type, all of them keys; of those with elements a share.
func callsOfAllTypes(t *testing.T, mem memory.Allocator) map[string]call {
	rng := rand.New(rand.NewPCG(1, 8))
	var fields []rows.Field
	var columns []arrow.Array
	for i, typ := range append(flatKeyTypes(), testrun.Sample(8, nestedTypes())...) {
		a := random(rng, typ, 60, 0.2, mem)
		t.Cleanup(a.Release)
		columns = append(columns, a)
		fields = append(fields, rows.Field{Name: fmt.Sprint(i), Type: typ})
	}
	rec := recordOf(columns...)
	t.Cleanup(rec.Release)
	converter := newConverter(t, fields...)
	encoded, err := converter.Encode(t.Context(), rec, rows.Options{Allocator: mem})
	require.NoError(t, err)
	t.Cleanup(encoded.Release)
	return map[string]call{
		"Encode": func(ctx context.Context, opts rows.Options) (func(), error) {
			r, err := converter.Encode(ctx, rec, opts)
			if err != nil {
				return nil, err
			}
			return r.Release, nil
		},
		"Decode": func(ctx context.Context, opts rows.Options) (func(), error) {
			r, err := converter.Decode(ctx, encoded, opts)
			if err != nil {
				return nil, err
			}
			return r.Release, nil
		},
	}
}

// TestFailingAllocator lets each allocation of a call fail in turn: an error each time, and no memory is lost.
func TestFailingAllocator(t *testing.T) {
	mem := arrowtest.Checked(t)
	for name, call := range callsOfAllTypes(t, mem) {
		before := mem.CurrentAlloc()
		ways := []string{"nil", "panic", "half"}
		if !testrun.Long() {
			ways = ways[:1]
		}
		for _, how := range ways {
			failures := 0
			for {
				release, err := call(t.Context(), rows.Options{Allocator: &exhausted{mem, failures, how}, Threads: 1})
				if err == nil {
					release()
					break
				}
				require.ErrorIs(t, err, engine.ErrMemory, "%s, allocation %d: %s", name, failures, how)
				require.Equal(t, before, mem.CurrentAlloc(), "%s, allocation %d: %s", name, failures, how)
				failures++
			}
			require.Greater(t, failures, 50, name)
			require.Equal(t, before, mem.CurrentAlloc(), name)
		}
	}
}

// TestCancellation ends the context wherever a call looks at it, in turn.
func TestCancellation(t *testing.T) {
	mem := arrowtest.Checked(t)
	for name, call := range callsOfAllTypes(t, mem) {
		if !testrun.Share(2, name) {
			continue
		}
		before := mem.CurrentAlloc()
		stops := 0
		for ; ; stops++ {
			release, err := call(&stopping{t.Context(), stops}, rows.Options{Allocator: mem, Threads: 1})
			if err == nil {
				release()
				break
			}
			require.ErrorIs(t, err, context.Canceled, "%s, look %d", name, stops)
			require.Equal(t, before, mem.CurrentAlloc(), "%s, look %d", name, stops)
		}
		require.Greater(t, stops, 50, name)
		require.Equal(t, before, mem.CurrentAlloc(), name)
	}
}

// TestResultsOutliveInputs reads results when the input and the rows are gone.
func TestResultsOutliveInputs(t *testing.T) {
	mem := arrowtest.Checked(t)
	for i, typ := range keyTypes() {
		a := random(rand.New(rand.NewPCG(uint64(i), 9)), typ, 50, 0.2, mem)
		want := make([]string, a.Len())
		for i := range want {
			want[i] = text(a, i)
		}
		converter := newConverter(t, rows.Field{Type: typ})
		encoded, err := converter.Encode(t.Context(), a, rows.Options{Allocator: mem})
		require.NoError(t, err)
		a.Release()
		decoded, err := converter.Decode(t.Context(), encoded, rows.Options{Allocator: mem})
		require.NoError(t, err)
		encoded.Release()
		encoded.Release() // does nothing
		require.Zero(t, encoded.Len())
		for i := range want {
			require.Equal(t, want[i], text(decoded.Column(0), i), "%s row %d", typ, i)
		}
		decoded.Release()
	}
}

// TestNumbersOfThreads: any number of threads that is not negative encodes and decodes.
func TestNumbersOfThreads(t *testing.T) {
	rec := recordOf(fromJSON(t, arrow.PrimitiveTypes.Int8, `[2, 1, null]`))
	defer rec.Release()
	c, err := rows.ForKeys(rec.Schema(), []arrowsort.Key{{At: arrowsort.Column(0)}})
	require.NoError(t, err)
	for _, threads := range []int{0, 1, math.MaxInt32, math.MaxInt, -1, math.MinInt} {
		opts := rows.Options{Threads: threads}
		encoded, err := c.Encode(t.Context(), rec, opts)
		if threads < 0 {
			require.ErrorIs(t, err, arrowsort.ErrOption)
			continue
		}
		require.NoError(t, err)
		decoded, err := c.Decode(t.Context(), encoded, opts)
		require.NoError(t, err)
		require.Equal(t, rec.NumRows(), decoded.NumRows())
		decoded.Release()
		encoded.Release()
	}
}
