//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// Keys of strings as people have them.
var stringKeys = []struct {
	name string
	make func(b []byte, r *rand.Rand) []byte
}{
	{"5 to 40 bytes", func(b []byte, r *rand.Rand) []byte {
		for range 5 + r.IntN(36) {
			b = append(b, byte('a'+r.IntN(26)))
		}
		return b
	}},
	{"URLs of 10,000 hosts", func(b []byte, r *rand.Rand) []byte {
		host := r.Float64()
		return fmt.Appendf(b, "https://www.host%05d.example/%s/%d", int(10_000*host*host*host),
			[]string{"articles", "archive/2026", "images/large", "users", "search"}[r.IntN(5)], r.IntN(1e7))
	}},
	{"UUIDs", func(b []byte, r *rand.Rand) []byte {
		x, y := r.Uint64(), r.Uint64()
		return fmt.Appendf(b, "%08x-%04x-%04x-%04x-%012x", x>>32, x>>16&0xffff, x&0xffff, y>>48, y&(1<<48-1))
	}},
	{"e-mail addresses", func(b []byte, r *rand.Rand) []byte {
		host := []string{"example.org", "mail.example", "example.com"}[r.IntN(3)]
		return fmt.Appendf(b, "user.%d@%s", r.IntN(5e6), host)
	}},
	{"500 cities", func(b []byte, r *rand.Rand) []byte {
		city := r.IntN(500)
		return fmt.Appendf(b, "%c%ccity number %d", 'A'+city*7%26, 'a'+city*11%26, city)
	}},
	{"37 values", func(b []byte, r *rand.Rand) []byte { return fmt.Appendf(b, "category/%d", r.IntN(37)) }},
	{"five statuses", func(b []byte, r *rand.Rand) []byte {
		return append(b, []string{"pending", "paid", "shipped", "delivered", "returned"}[r.IntN(5)]...)
	}},
}

// stringArray has rows of strings, made by all threads.
func stringArray(rows int, make func(b []byte, r *rand.Rand) []byte) *array.LargeString {
	parts := runtime.GOMAXPROCS(0)
	made := [][]byte{}
	offsets := [][]int64{}
	var group sync.WaitGroup
	for p := range parts {
		made, offsets = append(made, nil), append(offsets, nil)
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(p), 1))
			var b []byte
			var ends []int64
			for i := rows * p / parts; i < rows*(p+1)/parts; i++ {
				b = make(b, r)
				ends = append(ends, int64(len(b)))
			}
			made[p], offsets[p] = b, ends
		})
	}
	group.Wait()
	all, data := []int64{0}, []byte{}
	for p := range parts {
		for _, end := range offsets[p] {
			all = append(all, int64(len(data))+end)
		}
		data = append(data, made[p]...)
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(all)),
		memory.NewBufferBytes(data)}
	return array.NewLargeStringData(array.NewData(arrow.BinaryTypes.LargeString, rows, buffers, nil, 0, 0))
}

// BenchmarkStrings is SortIndices of strings in ordinary memory on both engines, whose results are the same.
func BenchmarkStrings(b *testing.B) {
	device := openForBenchmark(b)
	const rows = 10_000_000
	for _, key := range stringKeys {
		strings := stringArray(rows, key.make)
		record := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "key", Type: strings.DataType()}}, nil),
			[]arrow.Array{strings}, rows)
		indices := func(e engine.Engine) *array.Uint32 {
			sorted, err := arrowsort.SortIndices32(b.Context(), record, []arrowsort.Key{{Path: "key"}},
				arrowsort.Options{Engine: e})
			require.NoError(b, err)
			return sorted
		}
		require.True(b, array.Equal(indices(nil), indices(device)), key.name)
		for _, run := range []struct {
			name string
			engine.Engine
		}{{"cpu", nil}, {"gpu", device}} {
			b.Run(fmt.Sprintf("key=%s/engine=%s", key.name, run.name), func(b *testing.B) {
				b.SetBytes(int64(len(strings.ValueBytes())))
				for b.Loop() {
					indices(run.Engine).Release()
				}
			})
		}
	}
}
