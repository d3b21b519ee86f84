package arrowsort_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// An exhausted allocator fails from some call on, by nil or by panic.
type exhausted struct {
	memory.Allocator
	left   int
	panics bool
}

func (e *exhausted) fail() bool {
	e.left--
	if e.left < 0 && e.panics {
		panic("no memory")
	}
	return e.left < 0
}

func (e *exhausted) Allocate(size int) []byte {
	if e.fail() {
		return nil
	}
	return e.Allocator.Allocate(size)
}

func (e *exhausted) Reallocate(size int, b []byte) []byte {
	if e.fail() {
		return nil
	}
	return e.Allocator.Reallocate(size, b)
}

// TestFailingAllocator lets each allocation of a call fail in turn: an error each time, and nothing is lost.
func TestFailingAllocator(t *testing.T) {
	mem := checked(t)
	rng := rand.New(rand.NewPCG(1, 8))
	var names []string
	var columns []arrow.Array
	for _, typ := range arrowtest.Types() {
		a := arrowtest.RandomSlice(rng, typ, 60, 7, 0.2, mem)
		defer a.Release()
		names, columns = append(names, typ.String()), append(columns, a)
	}
	rec := record(t, names, columns...)
	var keys []arrowsort.Key
	for i, typ := range arrowtest.Types() {
		for _, s := range sortableTypes() {
			if arrow.TypeEqual(typ, s) {
				keys = append(keys, arrowsort.Key{Index: i})
				break
			}
		}
	}
	rows := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[3, 3, 59, 0]`)
	calls := map[string]func(arrowsort.Options) (arrowsort.Data, error){
		"Sort": func(o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Sort(t.Context(), rec, keys, o))
		},
		"SortIndices": func(o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SortIndices(t.Context(), rec, keys, o))
		},
		"Take": func(o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Take(t.Context(), rec, rows, o))
		},
		"IsSorted": func(o arrowsort.Options) (arrowsort.Data, error) {
			_, _, err := arrowsort.IsSorted(t.Context(), rec, keys, o)
			return array.NewNull(0), err
		},
		"Explain": func(o arrowsort.Options) (arrowsort.Data, error) {
			_, err := arrowsort.Explain(t.Context(), rec, keys, o)
			return array.NewNull(0), err
		},
	}
	for name, call := range calls {
		for _, panics := range []bool{false, true} {
			before := mem.CurrentAlloc()
			failures := 0
			for n := 0; ; n++ {
				result, err := call(arrowsort.Options{Allocator: &exhausted{mem, n, panics}, Threads: 1})
				if err == nil {
					result.Release()
					require.Equal(t, before, mem.CurrentAlloc(), "%s, %d allocations", name, n)
					break
				}
				failures++
				require.ErrorIs(t, err, engine.ErrMemory, "%s, allocation %d", name, n)
				require.Equal(t, before, mem.CurrentAlloc(), "%s, allocation %d: %v", name, n, err)
			}
			require.Positive(t, failures, name)
		}
	}
}

// data is the result of a call as Data.
func data[T arrowsort.Data](result T, err error) (arrowsort.Data, error) { return result, err }

// TestResultsOutliveInputs reads a result whose input is gone.
func TestResultsOutliveInputs(t *testing.T) {
	for seed, typ := range arrowtest.Types() {
		mem := checked(t)
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		a := arrowtest.Random(rng, typ, 50, 0.2, mem)
		key := arrowtest.Random(rng, arrow.PrimitiveTypes.Int16, 50, 0, mem)
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ, Nullable: true}, {Name: "k", Type: key.DataType()}}, nil),
			[]arrow.Array{a, key}, 50)
		want := texts(a)
		order := argsort([][]arrow.Array{{key}}, []arrowsort.Key{{}})
		sorted, err := arrowsort.Sort(t.Context(), arrow.Record(rec), []arrowsort.Key{{Path: "k"}}, arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		a.Release()
		key.Release()
		rec.Release()
		got := texts(sorted.Column(0))
		for i, row := range order {
			require.Equal(t, want[row], got[i], "%s", typ)
		}
		sorted.Release()
	}
}
