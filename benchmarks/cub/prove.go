//go:build cuda && cub && linux && amd64

package cub

// #include "api.h"
import "C"

import (
	"fmt"

	"github.com/arrowsort/arrowsort/kernels"
)

// prove proves sorts of every type, distribution, order and size.
func (b *bench) prove() {
	b.proveProof()
	const tile, wide = kernels.BinningTile, kernels.BinningWideTile
	for _, n := range []int{1, 2, 31, 33, 1000, wide - 1, wide, wide + 1, tile - 1, tile, tile + 1, 2*tile - 1,
		2*tile + 1, 100_003, 1<<20 + 7} {
		for t := range Type(types) {
			nulls := int(t % 2 * 10)
			b.check(single(recipe{Type: t, nullsPercent: nulls, nanPermille: 10, zeroPermille: 20}, (n+int(t))%4), n)
		}
	}
	for d := range distribution(distributions) {
		for t := range Type(types) {
			r := recipe{Type: t, distribution: d, nanPermille: int(d % 2 * 10), zeroPermille: int(d % 2 * 10)}
			if t == Type(d%types) {
				r.nullsPercent = 25
			}
			for _, n := range []int{5000, 60_001, 1<<21 + 13} {
				b.check(single(r, int(d%4)), n)
			}
		}
	}
	for _, r := range []recipe{{Type: U32}, {Type: I64}, {Type: F64, nullsPercent: 5, nanPermille: 10}} {
		b.check(single(r, 0), b.most-12345)
	}
	b.proveClasses()
	b.proveKeys()
	b.proveValues()
	b.proveLimits()
	fmt.Printf("%d sorts proved, %d wrong\n", b.cases, b.wrong)
}

// proveProof proves that wrong results are seen: another order, a row number that is none, one that is there twice.
func (b *bench) proveProof() {
	const n, k, at = 5000, 50, 100
	keys := b.make(single(recipe{Type: U32}, 0), n, 42)
	rows := b.Sort(keys, n, 0)
	reversed := []Key{keys[0]}
	reversed[0].Descending = true
	place := rows + 4*at
	var seen [4]bool
	seen[0] = b.stream.proveRows(reversed, rows, n, b.seen) == faults{order: n - 1}
	seen[1] = b.stream.proveFirst(reversed, rows, n, k) == faults{order: k - 1, before: n - k - (k - 1)}
	b.stream.Fill(place, 0xff, 4)
	seen[2] = b.stream.proveRows(keys, rows, n, b.seen) == faults{outside: 1}
	b.stream.Fill(place, 0, 4)
	seen[3] = b.stream.proveRows(keys, rows, n, b.seen).twice == 1
	if seen != [4]bool{true, true, true, true} {
		b.wrong++
		fmt.Println("WRONG the proof does not see faults:", seen)
	}
	b.Release()
}

// proveClasses proves rows of classes in addition to records, at sizes around whole blocks of the key scan, repeatedly:
// for rare failures.
func (b *bench) proveClasses() {
	for _, n := range []int{20_000, 32_769, 65_535, 65_536, 131_071, 500_001} {
		for round := range 50 {
			for _, t := range []Type{F64, I64, F32} {
				b.check(single(recipe{Type: t, nullsPercent: 5, anyBits: t != I64}, round%4),
					n-round*7%1000*(round%2))
			}
		}
	}
}

// proveKeys proves sorts by two keys, also of few rows as one column.
func (b *bench) proveKeys() {
	i32, i16, id := recipe{Type: I32}, recipe{Type: I16}, recipe{Type: I64, distribution: C.LIVE32}
	f32 := recipe{Type: F32, nullsPercent: 10, nanPermille: 10, zeroPermille: 10}
	time, odd := recipe{Type: I64, distribution: C.LIVE40}, recipe{Type: I64, distribution: C.ODD_VALUE}
	few := recipe{Type: I32, distribution: C.FIVE_VALUES, nullsPercent: 10}
	constant, sorted := recipe{Type: I32, distribution: C.CONSTANT}, recipe{Type: U32, distribution: C.SORTED}
	mode := 0
	pairs := func() {
		for _, pair := range [][]recipe{{i32, i32}, {i16, time}, {time, i16}, {f32, i32}, {i32, f32}, {id, i16},
			{i16, id}, {few, f32}, {odd, i16}, {constant, i32}, {constant, sorted}, {sorted, i32}} {
			for _, n := range []int{9, 5000, 60_001, 1<<20 + 77, b.most - 4321} {
				b.check(job{keys: pair, mode: mode % 4, name: "two keys"}, n)
				mode++
			}
		}
		for _, j := range wideJobs() {
			for _, n := range []int{9, 5000, 60_001, 1<<20 + 77, b.most - 4321} {
				j.mode = mode % 4
				b.check(j, n)
				mode++
			}
		}
	}
	b.withThresholds(func(t *Thresholds) { t.KeysRows, t.RangesRows = 0, 0 }, pairs)
	pairs()
}

// proveValues proves keys only of every distribution, in both orders.
func (b *bench) proveValues() {
	before := b.cases
	for d := range distribution(distributions) {
		for _, t := range []Type{U32, I32, U64, I64} {
			for i, n := range []int{1, 9999, 60_001, 1<<20 + 7, 1<<21 + 13, b.most - 12345} {
				j := job{keys: []recipe{{Type: t, distribution: d}}, mode: (int(d) + i) % 2, alone: true}
				if i < 5 || d%8 == 0 {
					b.checkValues(j, n)
				}
			}
		}
	}
	fmt.Printf("%d sorts of keys only proved, %d wrong so far\n", b.cases-before, b.wrong)
}

// checkValues proves a job of keys only, without a single launch.
func (b *bench) checkValues(j job, n int) {
	if n < 1 || n > b.most {
		return
	}
	b.withThresholds(func(t *Thresholds) { t.SmallSortRows = 0 }, func() {
		key := b.make(j, n, uint64(n)+uint64(j.keys[0].distribution))[0]
		b.Spoil()
		f := b.stream.proveValues(key, b.SortValues(key, n), n)
		b.holds(f, fmt.Sprintf("%s mode %d %s", j, j.mode, b.Report().Path), n)
		b.cases++
		b.Release()
	})
}

// check proves a job, by a single launch as well where the engine has one. Sizes beyond the most rows are left out.
func (b *bench) check(j job, n int) {
	if n < 1 || n > b.most {
		return
	}
	if n <= b.Thresholds().SmallSortRows {
		b.checkOnce(j, n)
	}
	b.withThresholds(func(t *Thresholds) { t.SmallSortRows = 0 }, func() { b.checkOnce(j, n) })
}

func (b *bench) checkOnce(j job, n int) {
	keys := b.make(j, n, uint64(n)+uint64(j.keys[0].distribution))
	b.Spoil()
	rows := b.Sort(keys, n, 0)
	f := b.stream.proveRows(keys, rows, n, b.seen)
	r := b.Report()
	b.holds(f, fmt.Sprintf("%s nulls %d mode %d bits %d %s", j, j.keys[0].nullsPercent, j.mode, r.Bits, r.Path), n)
	b.cases++
	b.Release()
}

// proveLimits proves the first rows of orders, selected from few rows as well, and by single launches of all.
func (b *bench) proveLimits() {
	before := b.cases
	b.withThresholds(func(t *Thresholds) { t.SelectRows = 1 }, b.proveSelects)
	b.withThresholds(func(t *Thresholds) { t.SelectRows, t.SmallSortRows = 1, 0 }, b.proveSelects)
	fmt.Printf("%d limits proved, %d wrong so far, %d of them sorted in full\n", b.cases-before, b.wrong, b.inFull)
}

func (b *bench) proveSelects() {
	for _, n := range []int{70_001, 1<<20 + 7, 1<<21 - 1} {
		for t := range I16 {
			for d := range distribution(distributions) {
				r := recipe{Type: t, distribution: d, nanPermille: int(d % 2 * 10), zeroPermille: int(d % 2 * 10)}
				if d%4 == 0 {
					r.nullsPercent = 25
				}
				for _, k := range []int{1, 100, n / 50, n / 7, n / 6} {
					if (k+int(d)+int(t))%3 == 0 {
						b.proveLimit(single(r, (int(d)+int(t))%4), n, k)
					}
				}
			}
		}
	}
	for _, n := range []int{1 << 24, b.most - 12345} {
		for _, t := range []Type{U32, I64, F64} {
			for _, k := range []int{100, n / 10} {
				for _, d := range []distribution{C.UNIFORM, C.FIVE_VALUES, C.SORTED, C.OUTLIERS} {
					b.proveLimit(single(recipe{Type: t, distribution: d}, 0), n, k)
				}
			}
		}
	}
}

func (b *bench) proveLimit(j job, n, k int) {
	if n < 1 || n > b.most || k < 1 {
		return
	}
	keys := b.make(j, n, uint64(n+k))
	b.Spoil()
	rows := b.Sort(keys, n, k)
	f := b.stream.proveFirst(keys, rows, n, k)
	if !b.Report().Selected {
		b.inFull++
	}
	b.holds(f, fmt.Sprintf("limit %d %s mode %d", k, j, j.mode), n)
	b.cases++
	b.Release()
}
