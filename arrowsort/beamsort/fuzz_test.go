package beamsort

import (
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// FuzzShards: the shards are the sorted files, whatever their rows, their ties, their row groups, and however many
// shards there are.
func FuzzShards(f *testing.F) {
	f.Add(uint64(1), uint16(100), uint8(5), uint8(30), uint8(3))
	f.Add(uint64(2), uint16(0), uint8(0), uint8(0), uint8(2))
	f.Add(uint64(3), uint16(7), uint8(1), uint8(1), uint8(40))
	f.Fuzz(func(t *testing.T, seed uint64, rows uint16, values, groupRows, shards uint8) {
		n, in := int(rows)%700, t.TempDir()
		var paths []string
		for i, name := range []string{"a.parquet", "b.parquet"} {
			table := numbers(seed+uint64(i), n*(i+1)/2, 1+int(values), i*n)
			paths = append(paths, writeFile(t, in, name, table, 20+int(groupRows)))
		}
		keys := []arrowsort.Key{{Path: "key", Order: arrowsort.Order(seed % 2)}}
		files := runSteps(t, paths, t.TempDir(), keys, Options{Shards: 1 + int(shards)%50})
		requireSorted(t, paths, files, keys)
	})
}
