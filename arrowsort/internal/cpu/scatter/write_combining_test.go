package scatter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestWriteCombiner moves rows of every width to bins, in one go and in several, and compares with stores row by row:
// every byte of the destination, also those that no row takes.
func TestWriteCombiner(t *testing.T) {
	for _, width := range []int{1, 2, 3, 4, 8, 12, 16, 20, 32, 40} {
		for _, rows := range []int{1, 31, 1000, 70_001} {
			for _, count := range []int{1, 7, 300, 5000} {
				t.Run(fmt.Sprintf("width=%d/rows=%d/bins=%d", width, rows, count), func(t *testing.T) {
					testWriteCombiner(t, width, rows, count)
				})
			}
		}
	}
}

func testWriteCombiner(t *testing.T, width, rows, count int) {
	r := rand.New(rand.NewPCG(uint64(width), uint64(rows+count)))
	src, bins := make([]byte, rows*width), make([]uint16, rows)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	places := make([]uint32, count)
	for i := range bins {
		bins[i] = uint16(r.IntN(count))
		places[bins[i]]++
	}
	next := uint32(0)
	for bin, n := range places {
		next += uint32(r.IntN(3)) // places of others, before those of the bin
		places[bin], next = next, next+n
	}
	want := make([]byte, int(next)*width+LineBytes)
	at := slices.Clone(places)
	for i, bin := range bins {
		copy(want[int(at[bin])*width:], src[i*width:(i+1)*width])
		at[bin]++
	}
	w := NewWriteCombiner(make([]byte, BufferBytes(count)), count)
	got := alignedBytes(len(want))
	for lo := 0; lo < rows; {
		w.Begin(places)
		for range 1 + r.IntN(3) {
			hi := min(rows, lo+1+r.IntN(rows))
			w.Scatter(got, src[lo*width:], bins[lo:hi], places, width)
			if lo = hi; lo == rows {
				break
			}
		}
		w.End(got, places, width)
	}
	require.Equal(t, at, places)
	require.Equal(t, want, got)
}

// TestWriteCombinerKernels holds the kernels to their twins in Go: rows done, buffers, places and bytes written.
func TestWriteCombinerKernels(t *testing.T) {
	const rows, count = 5000, 50
	for _, width := range []int{1, 2, 4, 8, 16, 32} {
		r := rand.New(rand.NewPCG(1, uint64(width)))
		src, bins := make([]byte, rows*width), make([]uint16, rows)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		start := make([]uint32, count)
		for i := range bins {
			bins[i] = uint16(r.IntN(count))
			start[bins[i]]++
		}
		next := uint32(0)
		for bin, n := range start {
			start[bin], next = next, next+n
		}
		type outcome struct {
			dst, buffers []byte
			places       []uint32
			done         []int
		}
		run := func(kernel func(*rowsToCombine, int) int) (o outcome) {
			o = outcome{alignedBytes(rows * width), make([]byte, BufferBytes(count)), slices.Clone(start), nil}
			for lo := 0; lo < rows; { // a row that a kernel ends before is left out
				job := rowsToCombine{
					unsafe.Pointer(&o.dst[0]), unsafe.Pointer(&src[lo*width]), unsafe.Pointer(&bins[lo]), rows - lo,
					unsafe.Pointer(&o.places[0]), unsafe.Pointer(&start[0]), unsafe.Pointer(&o.buffers[0]),
					bufferShift(count),
				}
				n := kernel(&job, width)
				if o.done = append(o.done, n); lo+n < rows {
					o.places[bins[lo+n]]++
				}
				lo += n + 1
			}
			storeFence()
			return o
		}
		require.Equal(t, run(combineGo), run(combine), "width %d", width)
	}
}

// TestTimeScatters only shows that its scatters end, within memory: what is faster depends on the machine.
func TestTimeScatters(t *testing.T) {
	combined, plain := timeScatters()
	require.Positive(t, combined)
	require.Positive(t, plain)
	t.Logf(
		"ns per row: write combining %.2f, plain stores %.2f", float64(combined)/scatteredRows,
		float64(plain)/scatteredRows,
	)
}
