package keyencode

import (
	"math/rand/v2"
	"slices"
)

// randomCells draws n cells of a kind: from few or many values, near together or anywhere, with and without nulls.
func randomCells(rng *rand.Rand, kind Kind, fixed, n int) []cell {
	distinct := []int{1, 2, 5, 1000}[rng.IntN(4)]
	if kind == Dictionary8 {
		distinct = min(distinct, 100) // an index has 8 bits
	}
	nulls := []float64{0, 0, 0.1, 0.6, 1}[rng.IntN(5)]
	pool := make([][]byte, min(distinct, n))
	style := rng.IntN(6)
	base := randomValue(rng, kind, fixed, 0, nil)
	for i := range pool {
		pool[i] = randomValue(rng, kind, fixed, style, base)
	}
	if (&Column{Kind: kind, Width: fixed}).shape() == shapeBytes && rng.IntN(3) == 0 {
		shareBytes(rng, kind, pool)
	}
	cells := make([]cell, n)
	for i := range cells {
		if kind == Null || rng.Float64() < nulls {
			cells[i].null = true
		} else {
			cells[i].raw = pool[rng.IntN(len(pool))]
		}
	}
	return cells
}

func randomValue(rng *rand.Rand, kind Kind, fixed, style int, base []byte) []byte {
	switch kind {
	case Null:
		return nil
	case Bool:
		return []byte{byte(rng.IntN(2))}
	case Binary, LargeBinary, BinaryView:
		return randomString(rng, style%5)
	}
	w := widthOf(kind, fixed)
	v := garbage(rng, w)
	switch {
	case w == 0:
	case style == 1: // near the base
		v = slices.Clone(base)
		v[0] ^= byte(rng.Uint32()) & 0x3c
	case style == 2: // extremes
		fill := [][2]byte{{0, 0}, {0xff, 0xff}, {0, 0x80}, {0xff, 0x7f}}[rng.IntN(4)]
		for i := range v {
			v[i] = fill[0]
		}
		v[w-1] = fill[1]
	case style == 3 && kind.isFloat(): // zeros, infinities, NaNs
		clear(v)
		v[w-1] = []byte{0, 0x80, 0x7f, 0xff}[rng.IntN(4)]
		if v[w-1]&0x7f != 0 {
			v[w-2] = []byte{0xf0, 0x80, 0x7c, 0xff}[rng.IntN(4)]
		}
		if rng.IntN(2) == 0 {
			v[0] = byte(rng.IntN(3))
		}
	case style == 5 && w <= 8: // multiples of a number, from anywhere
		u := uint64(0)
		for i, b := range base {
			u |= uint64(b) << (8 * i)
		}
		putWord(v, w, u%1000+rng.Uint64N(50)*uint64(w)*1500)
	case style == 4: // high bits only
		clear(v[:w-1])
	}
	if kind.isDictionary() {
		v[3] &= 0x7f // leave a rank free for null
	}
	return v
}

func randomString(rng *rand.Rand, style int) []byte {
	letters := []string{"ab", "\x00a", "\x00\xff", "abcdefghijklmnopqrstuvwxyz", "\x00"}[style]
	prefix := []string{"", "", "shared/", "\x00\x00", "a long prefix that all share \xff"}[(style+3)%5]
	s := []byte(prefix)
	for range rng.IntN([]int{4, 10, 12, 24, 40}[rng.IntN(5)]) {
		s = append(s, letters[rng.IntN(len(letters))])
	}
	return s
}

// shareBytes writes the same bytes to two places near the beginning of some strings, which are made longer if they may.
func shareBytes(rng *rand.Rand, kind Kind, pool [][]byte) {
	shared := garbage(rng, 8+rng.IntN(80))
	places := [2]int{rng.IntN(len(shared)), rng.IntN(len(shared))}
	length := rng.IntN(30)
	for i, s := range pool {
		if kind != FixedSizeBinary {
			s = append(garbage(rng, len(shared)), s...)
		}
		for _, at := range places {
			for b := at; b < min(at+length, len(s), len(shared)); b++ {
				s[b] = shared[b]
			}
		}
		pool[i] = s
	}
}
