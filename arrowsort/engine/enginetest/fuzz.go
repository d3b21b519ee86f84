package enginetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// FuzzEngine searches for a job that an engine gets wrong. An input describes the columns, four bytes each.
func FuzzEngine(f *testing.F, open func(testing.TB) engine.Engine) {
	e := open(f)
	f.Add(uint64(1), uint16(100), []byte{})
	f.Add(uint64(2), uint16(700), []byte{1, 5, 0, 0, 0, 12, 3, 33})
	f.Add(uint64(3), uint16(5000), []byte{17, 0, 0xFF, 7, 0, 0, 0, 0, 2, 15, 1, 60, 30, 0, 40, 9})
	f.Fuzz(func(t *testing.T, seed uint64, rows uint16, description []byte) {
		described(seed, int(rows), description).prove(t, e)
	})
}

// described is the scenario of a fuzz input. A column takes four bytes: kind and width; distribution; order, placement,
// style and part of nulls; chunks and bit offset. The first one is a key, the top bit of the first byte makes others
// keys.
func described(seed uint64, rows int, description []byte) scenario {
	s := scenario{seed: seed, rows: rows, threads: int(seed % 4)}
	distributions := slices.Concat(plain, adversarial)
	if seed%5 == 0 {
		s.limit = 1 + int(seed/5%1000)
	}
	for i, d := range slices.Collect(slices.Chunk(description, 4)) {
		d = append(slices.Clone(d), 0, 0, 0)
		spec := columnSpec{
			kind: keyencode.Kind((d[0] & 63) % 23), width: 1 + int(d[3]%41),
			dist:  distributions[int(d[1])%len(distributions)],
			nulls: []float64{0, 0.02, 0.5, 1}[d[2]>>4&3], style: int(d[2] >> 2 & 3), chunks: int(d[3] & 7),
			offset: int(d[3]>>3) - 1,
		}
		if i == 0 || i < 6 && d[0] >= 128 {
			s.keys = append(s.keys, keySpec{spec, keyencode.Order(d[2] & 1), keyencode.NullPlacement(d[2] >> 1 & 1)})
		} else if i < 10 {
			s.payload = append(s.payload, spec)
		}
	}
	if len(s.keys) == 0 {
		s.keys = []keySpec{{columnSpec: rowID}}
	}
	return s
}

// testDescribed sorts a fixed fuzz input.
func testDescribed(t *testing.T, e suite) {
	s := described(10, 300, []byte{5, 8, 0x17, 9, 0x80 | 16, 3, 0x2E, 250, 12, 1, 0x20})
	require.Len(t, s.keys, 2)
	require.Len(t, s.payload, 1)
	s.prove(t, e)
}
