//go:build cuda && cub && linux && amd64

package cub

// #include "api.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"
)

// row prints a row of the table. Of some sizes nothing is asked: 0.
func row(what string, log2 int, asked, measured float64, unit string, met bool, note string) {
	ask, missed := "", ""
	if asked > 0 {
		ask = fmt.Sprintf("%6.2f %s", asked, unit)
	}
	if !met {
		missed = "missed"
	}
	fmt.Printf("%-48s 2^%-4d %-10s %8.2f %-3s %-6s %s\n", what, log2, ask, measured, unit, missed, note)
}

// table prints the speeds that are asked for, row by row. Each size has memory of that size, as the engine and CUB
// have it: the same kernels take 3 % longer in buffers for sixteen times the rows.
func table(e Engine, sizes []int, rows func(b *bench, log2 int)) (wrong int) {
	fmt.Printf("CUB %s, for each row the fastest\n", strings.Join(cubVersions(), ", "))
	fmt.Printf("%-48s %-6s %10s %12s        %s\n", "job", "rows", "asked", "measured", "ours, CUB")
	for _, log2 := range sizes {
		b := newBench(e, 1<<log2)
		b.warmUp()
		rows(b, log2)
		b.free()
		wrong += b.wrong
	}
	return wrong
}

func (b *bench) table(log2 int) {
	column := slices.Index(jobRows, log2)
	if column < 0 {
		fmt.Printf("2^%d rows are not in the table\n", log2)
		return
	}
	for _, j := range tableJobs() {
		if j.asked[column] > 0 {
			b.jobRow(j, log2, j.asked[column])
		}
	}
	b.gatherRows(log2)
	b.limitRows(log2, -100, 100)
	if log2 == slices.Min(jobRows) {
		b.smallSortsRow()
	}
}

func (b *bench) jobRow(j job, log2 int, asked float64) {
	t := b.race(j, 1<<log2)
	row(j.String(), log2, asked, t.ratio(), "x", t.ratio() >= asked,
		fmt.Sprintf("%.4f ms, %.4f ms, %d bits, %s%s", t.ours, t.theirs, t.Bits, t.Path, mark(t.right)))
}

// valueRows are the rows of keys only, after the ends of their kernels.
func (b *bench) valueRows(log2 int) {
	for _, j := range valueJobs() {
		b.phases(j, 1<<log2)
	}
	column := slices.Index(jobRows, log2)
	for _, j := range valueJobs() {
		if column >= 0 && j.asked[column] > 0 {
			b.jobRow(j, log2, j.asked[column])
		}
	}
}

// keyRows are the rows by several keys.
func (b *bench) keyRows(log2 int) {
	for _, j := range tableJobs() {
		if len(j.keys) > 1 {
			b.jobRow(j, log2, 0)
			b.phases(j, 1<<log2)
		}
	}
}

// gatherRows gathers columns of 8 bytes by the result of a sort, as the engine does: in windows. Plain is a gather
// without.
func (b *bench) gatherRows(log2 int) {
	if log2 < 24 {
		return
	}
	n, asked := 1<<log2, 0.0
	if log2 == 28 {
		asked = 4
	}
	keys := b.make(single(recipe{Type: I64}, 0), n, 42)
	rows := b.Sort(keys, n, 0)
	gathered := alloc(8 * n)
	gather := func(columns int, windows bool) (ms float64, right bool) {
		b.stream.Fill(gathered, 0xee, 8*n)
		ms = b.median(5, func() {}, func() { b.Gather(keys[0].Values, gathered, columns, windows) })
		return ms / float64(columns), b.holds(b.stream.proveGathered(keys[0].Values, rows, n, gathered), "gathered", n)
	}
	plain, right := gather(1, false)
	for _, r := range []struct {
		columns int
		name    string
	}{{1, "one column"}, {3, "each of 3 columns"}} {
		ms, rightToo := gather(r.columns, true)
		row("gather of 8 bytes, "+r.name, log2, asked, ms, "ms", asked == 0 || ms <= asked,
			fmt.Sprintf("plain %.4f ms%s", plain, mark(right && rightToo)))
	}
	free(gathered)
	b.Release()
}

// smallSortsRow sorts 10,000 rows again and again, each sort with its decision.
func (b *bench) smallSortsRow() {
	const n, sorts = 10_000, 1000
	if n > b.most {
		return
	}
	keys := b.make(single(recipe{Type: I64}, 0), n, 42)
	us := b.median(3, b.Release, func() {
		for range sorts {
			b.Release()
			b.Sort(keys, n, 0)
		}
	}) * 1000 / sorts
	_, rows := b.timeSort(1, func() Ptr { return b.Sort(keys, n, 0) })
	right := b.holds(b.stream.proveRows(keys, rows, n, b.seen), "timed", n)
	row("1,000 sorts of 10,000 rows, i64: one", 13, 25, us, "us", us <= 25, b.Report().Path+mark(right))
	b.Release()
}

// limitRows prints a row for each limit: of n rows n/share, or -share rows if it is negative.
func (b *bench) limitRows(log2 int, shares ...int) {
	if log2 < 20 {
		return
	}
	n := 1 << log2
	for _, d := range []distribution{C.UNIFORM, C.FIVE_VALUES} {
		for _, t := range []Type{U32, I64, F64} {
			j := single(recipe{Type: t, distribution: d}, 0)
			whole := b.race(j, n)
			for _, share := range shares {
				if share < 0 {
					b.limitRow(j, log2, -share, whole)
				} else {
					b.limitRow(j, log2, n/share, whole)
				}
			}
		}
	}
}

func (b *bench) limitRow(j job, log2, k int, whole timed) {
	n := 1 << log2
	keys := b.make(j, n, 42)
	ms, rows := b.timeSort(9, func() Ptr { return b.Sort(keys, n, k) })
	right := b.holds(b.stream.proveFirst(keys, rows, n, k), "timed", n) && whole.right
	how := "sorted in full"
	if r := b.Report(); r.Selected {
		how = fmt.Sprintf("%d candidates", r.Candidates)
	}
	row(fmt.Sprintf("%s, limit %d", j, k), log2, 0, ms, "ms", true, fmt.Sprintf("all rows %.4f ms, CUB %.4f ms,%s %s%s",
		whole.ours, whole.theirs, b.theirTopK(keys[0], n, k), how, mark(right)))
	b.Release()
}

// theirTopK is the time in which CUB finds the rows of the k least keys, in no order, by the newest version.
func (b *bench) theirTopK(key Key, n, k int) string {
	version := len(cubVersions()) - 1
	if !hasTopK(version) {
		return ""
	}
	cub := newTheirs(version, key.Bytes(), n)
	defer cub.free()
	cub.load(key.Values, b.stream)
	return fmt.Sprintf(" DeviceTopK %.4f ms,", b.median(9, func() {}, func() { cub.topK(k, b.stream) }))
}
