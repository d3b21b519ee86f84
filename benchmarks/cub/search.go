//go:build cuda && cub && linux && amd64

package cub

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// search races as many generated distributions as the time allows, each with a type, nulls or none, and one of four
// orders, and prints those that are slowest compared with CUB.
func (b *bench) search(log2 int, during time.Duration) {
	const shown, inPhases = 12, 3
	type result struct {
		job
		timed
	}
	var found []result
	of := []Type{U32, I64, F64, F32, U64, I32}
	b.warmUp()
	for begin, variant := time.Now(), uint64(1); time.Since(begin) < during; variant++ {
		r := recipe{Type: of[variant%uint64(len(of))], variant: variant, anyBits: variant%7 < 4}
		if variant%5 == 0 {
			r.nullsPercent = 30
		}
		j := single(r, int(variant/8%4))
		j.name = fmt.Sprintf("variant %d", variant)
		found = append(found, result{j, b.raceRuns(j, 1<<log2, 3)})
	}
	slices.SortStableFunc(found, func(a, b result) int { return cmp.Compare(a.ratio(), b.ratio()) })
	slower := 0
	for slower < len(found) && found[slower].ratio() < 1 {
		slower++
	}
	fmt.Printf("%d generated distributions of 2^%d rows, %d wrong, %d of them slower than CUB; the slowest\n",
		len(found), log2, b.wrong, slower)
	var groups []string // of all, by type and way
	count, slowerOf := map[string]int{}, map[string]int{}
	for i, f := range found {
		group := fmt.Sprintf("%s %s", f.keys[0].Type, f.Path)
		if count[group]++; count[group] == 1 {
			groups = append(groups, group)
		}
		if i < slower {
			slowerOf[group]++
		}
	}
	for _, group := range groups {
		fmt.Printf("    %-20s %5d of %5d slower\n", group, slowerOf[group], count[group])
	}
	for _, f := range found[:min(shown, len(found))] {
		r := f.keys[0]
		fmt.Printf("variant %-6d %s %2d %% null %8.2f x  %.4f ms, %.4f ms, %d bits, %s%s\n", r.variant, r.Type,
			r.nullsPercent, f.ratio(), f.ours, f.theirs, f.Bits, f.Path, mark(f.right))
	}
	for _, f := range found[:min(inPhases, len(found))] {
		b.phases(f.job, 1<<log2)
	}
}
