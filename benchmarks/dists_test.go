package benchmarks

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// Dists are the ways to spread keys. and2 to and16 are the low entropy ones of the Onesweep paper: the AND of
// that number of draws.
var Dists = []string{"uniform", "and2", "and3", "and4", "and8", "and16", "constant", "twovalues", "sorted", "reversed",
	"nearlysorted", "swapped", "jitter", "runs2", "runs8", "runs32", "sawtooth", "zipf", "oneodd", "highbits",
	"outliers"}

// words makes n 64-bit keys in the order of their unsigned value.
func words(dist string, n int) ([]uint64, error) {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	next, err := generator(dist, n, r)
	if err != nil {
		return nil, err
	}
	w := make([]uint64, n)
	for i := range w {
		w[i] = next(i)
	}
	if dist == "swapped" { // one row in a hundred with another
		for range n / 100 {
			i, j := r.IntN(n), r.IntN(n)
			w[i], w[j] = w[j], w[i]
		}
	}
	return w, nil
}

func generator(dist string, n int, r *rand.Rand) (func(i int) uint64, error) {
	step := math.MaxUint64 / uint64(max(n, 1))
	switch dist {
	case "uniform":
		return func(int) uint64 { return r.Uint64() }, nil
	case "and2", "and3", "and4", "and8", "and16":
		draws := map[string]int{"and2": 2, "and3": 3, "and4": 4, "and8": 8, "and16": 16}[dist]
		return func(int) uint64 {
			w := r.Uint64()
			for range draws - 1 {
				w &= r.Uint64()
			}
			return w
		}, nil
	case "constant":
		return func(int) uint64 { return 42 << 56 }, nil
	case "twovalues":
		return func(int) uint64 { return r.Uint64N(2) << 62 }, nil
	case "sorted", "swapped":
		return func(i int) uint64 { return uint64(i) * step }, nil
	case "reversed":
		return func(i int) uint64 { return uint64(n-1-i) * step }, nil
	case "nearlysorted": // each row within 100 places of its own
		return func(i int) uint64 { return uint64(i+r.IntN(100)) * (math.MaxUint64 / uint64(n+100)) }, nil
	case "jitter": // 64 rows a tick, up to 600 ticks late
		return func(i int) uint64 { return uint64(i/64) + r.Uint64N(600) }, nil
	case "runs2", "runs8", "runs32": // sorted ones, appended; the last one is shorter
		count := map[string]int{"runs2": 2, "runs8": 8, "runs32": 32}[dist]
		length := n/count + n/count/count/2 + 1
		return func(i int) uint64 { return uint64(i%length)*step + r.Uint64N(step) }, nil
	case "sawtooth":
		return func(i int) uint64 { return uint64(i%1000) << 54 }, nil
	case "zipf":
		z := rand.NewZipf(r, 1.2, 1, 1<<40)
		return func(int) uint64 { return z.Uint64() << 23 }, nil
	case "oneodd":
		return func(i int) uint64 { return 42<<56 | uint64((i+1)/max(n, 1))<<32 }, nil
	case "highbits":
		return func(int) uint64 { return bits.Reverse64(r.Uint64N(1 << 12)) }, nil
	case "outliers": // one in a thousand outside a narrow range
		return func(int) uint64 {
			if r.IntN(1000) == 0 {
				return r.Uint64()
			}
			return 1<<63 | r.Uint64N(1<<20)
		}, nil
	}
	return nil, fmt.Errorf("benchmarks: unknown distribution %q", dist)
}

// A Spec says what a benchmark sorts; its String is the name of the benchmark.
type Spec struct {
	Type  string // one of Types
	Rows  int
	Dist  string // one of Dists
	Nulls int    // per cent of the rows
}

func (s Spec) String() string {
	return fmt.Sprintf("type=%s/rows=%d/dist=%s/nulls=%d", s.Type, s.Rows, s.Dist, s.Nulls)
}

// Table makes the record of a spec: columns key, row (int64, the row number) and value (float64). The caller releases
// it.
func Table(s Spec, mem memory.Allocator) (arrow.Record, error) {
	w, err := words(s.Dist, s.Rows)
	if err != nil {
		return nil, err
	}
	key, err := keys(s, w, mem)
	if err != nil {
		return nil, err
	}
	defer key.Release()

	r := rand.New(rand.NewPCG(12, uint64(s.Rows)))
	row, value := array.NewInt64Builder(mem), array.NewFloat64Builder(mem)
	defer row.Release()
	defer value.Release()
	row.Reserve(s.Rows)
	value.Reserve(s.Rows)
	for i := range s.Rows {
		row.UnsafeAppend(int64(i))
		value.UnsafeAppend(r.Float64())
	}
	rows, values := row.NewArray(), value.NewArray()
	defer rows.Release()
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: key.DataType(), Nullable: true},
		{Name: "row", Type: rows.DataType()},
		{Name: "value", Type: values.DataType()},
	}, nil)
	return array.NewRecord(schema, []arrow.Array{key, rows, values}, int64(s.Rows)), nil
}

func TestTablesOfEveryTypeAndDistribution(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for _, typ := range Types {
		for _, dist := range Dists {
			for _, nulls := range []int{0, 20} {
				spec := Spec{typ, 1000, dist, nulls}
				rec, err := Table(spec, mem)
				require.NoError(t, err, spec)
				require.EqualValues(t, spec.Rows, rec.NumRows(), spec)
				require.Equal(t, []string{"key", "row", "value"},
					[]string{rec.ColumnName(0), rec.ColumnName(1), rec.ColumnName(2)}, spec)
				require.InDelta(t, spec.Rows*nulls/100, rec.Column(0).NullN(), 60, spec)
				rec.Release()
			}
		}
	}
}

// The words of a distribution become keys of the same order, so sorted words must give sorted keys of every type.
func TestKeysKeepTheOrderOfTheWords(t *testing.T) {
	for _, typ := range Types {
		for _, dist := range []string{"sorted", "constant", "reversed", "uniform"} {
			rec, err := Table(Spec{typ, 5000, dist, 0}, memory.DefaultAllocator)
			require.NoError(t, err)
			sorted, row, err := arrowsort.IsSorted(t.Context(), rec, []arrowsort.Key{{Path: "key"}},
				arrowsort.Options{})
			require.NoError(t, err, typ)
			require.Equal(t, dist == "sorted" || dist == "constant", sorted,
				"type %s, distribution %s: first wrong row %d", typ, dist, row)
			rec.Release()
		}
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := Table(Spec{"int64", 10, "bell", 0}, memory.DefaultAllocator)
	require.EqualError(t, err, `benchmarks: unknown distribution "bell"`)
	_, err = Table(Spec{"int7", 10, "uniform", 0}, memory.DefaultAllocator)
	require.EqualError(t, err, `benchmarks: unknown type "int7"`)
}
