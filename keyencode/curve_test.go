package keyencode

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// pointOf returns the point with coordinates of some levels, the leading bits of CurveBits.
func pointOf(coordinates []uint64, levels int) (point uint64) {
	keys := len(coordinates)
	for key, c := range coordinates {
		point |= Interleave(c<<(CurveBits(keys)-levels), key, keys)
	}
	return point
}

// grid returns the coordinates of all points of some levels, in the order of their places on a curve, which have to be
// all places.
func grid(t *testing.T, c Curve, keys, levels int) [][]uint64 {
	order := make([][]uint64, 1<<(keys*levels))
	shift := (CurveBits(keys) - levels) * keys
	for n := range order {
		coordinates := make([]uint64, keys)
		for key := range coordinates {
			coordinates[key] = uint64(n) >> (key * levels) & (1<<levels - 1)
		}
		codes := []uint64{pointOf(coordinates, levels)}
		c.Codes(codes, keys, levels)
		require.Zero(t, codes[0]&(1<<shift-1), "digits after the levels")
		place := codes[0] >> shift
		require.Nil(t, order[place], "%v of %d keys: place %d twice", c, keys, place)
		order[place] = coordinates
	}
	return order
}

// TestHilbertVisitsNeighbours: each step of the curve changes one coordinate by one, and it begins at the origin.
func TestHilbertVisitsNeighbours(t *testing.T) {
	for keys := MinCurveKeys; keys <= MaxCurveKeys; keys++ {
		for levels := 1; levels*keys <= 16; levels++ {
			points := grid(t, Hilbert, keys, levels)
			require.Equal(t, make([]uint64, keys), points[0])
			for i, p := range points[1:] {
				distance := uint64(0)
				for key, c := range p {
					distance += max(c, points[i][key]) - min(c, points[i][key])
				}
				require.EqualValues(t, 1, distance, "%d keys of %d bits: from %v to %v", keys, levels, points[i], p)
			}
		}
	}
}

// TestZOrderComparesBitsInTurn: the place is the number whose bits are those of the coordinates in turn.
func TestZOrderComparesBitsInTurn(t *testing.T) {
	require.Equal(t, [][]uint64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, grid(t, ZOrder, 2, 1))
	for keys := MinCurveKeys; keys <= MaxCurveKeys; keys++ {
		for place, p := range grid(t, ZOrder, keys, 2) {
			for key, c := range p {
				high, low := place>>(2*keys-1-key)&1, place>>(keys-1-key)&1
				require.EqualValues(t, 2*high+low, c, "%d keys: key %d of place %d", keys, key, place)
			}
		}
	}
}

// TestCurveOfEveryLevel: fewer levels are the leading digits of more; all bits of the coordinates count.
func TestCurveOfEveryLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for keys := MinCurveKeys; keys <= MaxCurveKeys; keys++ {
		width := CurveBits(keys)
		require.Equal(t, 64/keys, width)
		for range 100 {
			full := make([]uint64, keys)
			for key := range full {
				full[key] = random.Uint64() >> (64 - width)
			}
			for _, c := range []Curve{Hilbert, ZOrder} {
				whole := []uint64{pointOf(full, width)}
				c.Codes(whole, keys, width)
				for levels := 1; levels <= width; levels++ {
					leading := slices.Clone(full)
					for key := range leading {
						leading[key] >>= width - levels
					}
					code := []uint64{pointOf(leading, levels)}
					c.Codes(code, keys, levels)
					shift := keys * (width - levels)
					require.Equal(t, whole[0]>>shift<<shift, code[0], "%v of %d keys, %d levels", c, keys, levels)
				}
			}
		}
	}
}

func TestCurveNames(t *testing.T) {
	require.Equal(t, "hilbert zorder ", fmt.Sprint(Hilbert, " ", ZOrder, " ", Curve(0)))
}

func BenchmarkCurve(b *testing.B) {
	for _, keys := range []int{2, 3, 8} {
		b.Run(fmt.Sprintf("curve=hilbert/keys=%d", keys), func(b *testing.B) {
			points := make([]uint64, 1<<14)
			levels := min(16, CurveBits(keys))
			for b.Loop() {
				for i := range points {
					points[i] = uint64(i) * 0x9e3779b97f4a7c15 >> (64 % keys)
				}
				Hilbert.Codes(points, keys, levels)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(points)), "ns/row")
		})
	}
}
