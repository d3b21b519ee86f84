package page

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// withSpare is the bytes with the capacity that a hybridReader needs.
func withSpare(b []byte) []byte { return append(b, make([]byte, RLESpare)...)[:len(b)] }

// runs are values of a width in runs of up to a length.
func runs(r *rand.Rand, rows, width, longest int) []int32 {
	values := make([]int32, 0, rows)
	for len(values) < rows {
		v := int32(r.Uint64() & (1<<width - 1))
		for range min(1+r.IntN(longest), rows-len(values)) {
			values = append(values, v)
		}
	}
	return values
}

func TestHybridRoundTrip(t *testing.T) {
	for width := 1; width <= 31; width++ {
		for _, longest := range []int{1, 3, 9, 40, 3000} {
			for _, rows := range []int{0, 1, 7, 8, 9, 63, 64, 65, 2000} {
				name := fmt.Sprintf("width=%d longest=%d rows=%d", width, longest, rows)
				r := rand.New(rand.NewPCG(uint64(width), uint64(longest)))
				values := runs(r, rows, width, longest)
				b := withSpare(AppendRLE([]byte("front"), values, width))
				require.Equal(t, "front", string(b[:5]), name)
				reader := RLEReader{Bytes: b[5:], Width: width}
				got := make([]uint32, rows)
				for from := 0; from < rows; { // in pieces, which end anywhere in a run
					to := min(rows, from+1+r.IntN(100))
					greatest, err := reader.Read(got[from:to])
					require.NoError(t, err, name)
					for _, v := range got[from:to] {
						require.LessOrEqual(t, v, greatest, name)
					}
					from = to
				}
				for i, v := range values {
					require.EqualValues(t, v, got[i], "%s row %d", name, i)
				}
				_, err := reader.Read(make([]uint32, groupValues)) // more than fill the last group
				require.ErrorIs(t, err, errkind.ErrCorrupt, name)
			}
		}
	}
}

func TestHybridOfEqualValuesIsShort(t *testing.T) {
	require.Equal(t, []byte{0x80, 0x40, 5, 0}, AppendRLE(nil, make5s(4096), 9))
}

func make5s(n int) []int32 {
	values := make([]int32, n)
	for i := range values {
		values[i] = 5
	}
	return values
}

func TestHybridBits(t *testing.T) {
	for _, longest := range []int{1, 30} {
		r := rand.New(rand.NewPCG(1, uint64(longest)))
		values := runs(r, 1000, 1, longest)
		reader := RLEReader{Bytes: withSpare(AppendRLE(nil, values, 1)), Width: 1}
		const first = 3
		bitmap := make([]byte, 200)
		ones := 0
		for from := 0; from < len(values); {
			n := min(1+r.IntN(90), len(values)-from)
			k, err := reader.ReadBits(bitmap, first+from, n)
			require.NoError(t, err)
			ones, from = ones+k, from+n
		}
		want := 0
		for i, v := range values {
			require.Equal(t, v == 1, bitutil.BitIsSet(bitmap, first+i), "longest %d, row %d", longest, i)
			want += int(v)
		}
		require.Equal(t, want, ones)
	}
	_, err := (&RLEReader{Bytes: withSpare([]byte{16, 2}), Width: 1}).ReadBits(make([]byte, 1), 0, 8)
	require.ErrorIs(t, err, errkind.ErrCorrupt, "a level above 1")
}

func TestHybridThatIsCutOff(t *testing.T) {
	b := AppendRLE(nil, runs(rand.New(rand.NewPCG(7, 8)), 100, 11, 20), 11)
	for n := range b {
		_, err := (&RLEReader{Bytes: withSpare(b[:n:n]), Width: 11}).Read(make([]uint32, 100))
		require.ErrorIs(t, err, errkind.ErrCorrupt, n)
	}
}
