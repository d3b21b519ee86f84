package scatter

import (
	"math/bits"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// A WriteCombiner moves rows to their bins through open lines: a few cache lines for each bin, which are written to
// their place when they are full, on amd64 past the caches. A plain store to a line that is in no cache reads it first.
// Where that is slow, as on some virtual machines, whole lines are 2 to 3 times as fast; where it is not, there is
// little to gain: see CombiningPays. Each worker has one.
type WriteCombiner struct {
	lines []byte   // of each bin
	first []uint32 // the first place of each bin that these rows take
	shift int      // log2 of the bytes of the lines of a bin
}

const (
	LineBytes = 64        // of a cache line
	openBytes = 512 << 10 // of all open lines: they stay in the L2 cache, unless the bins are very many
)

// BufferBytes is the size of the open lines of all bins.
func BufferBytes(bins int) int { return bins << lineShift(bins) }

// lineShift is log2 of the bytes of the open lines of each bin.
func lineShift(bins int) int {
	return bits.Len(uint(min(max(openBytes/bins, LineBytes), 4*LineBytes))) - 1
}

// NewWriteCombiner returns one for a number of bins, whose open lines are the given BufferBytes of them.
func NewWriteCombiner(lines []byte, bins int) WriteCombiner {
	return WriteCombiner{lines, make([]uint32, bins), lineShift(bins)}
}

// A lineJob is a run of rows that one call of a kernel moves.
type lineJob struct {
	dst    unsafe.Pointer
	src    unsafe.Pointer
	bins   unsafe.Pointer // 2 bytes for each row
	rows   int
	places unsafe.Pointer // the next place of each bin, 4 bytes, which moves on
	first  unsafe.Pointer
	lines  unsafe.Pointer
	shift  int
}

// Begin opens the lines for the rows from these places on.
func (w *WriteCombiner) Begin(places []uint32) { copy(w.first, places) }

// Scatter moves rows to the next places of their bins in dst, which begins at a line.
func (w *WriteCombiner) Scatter(dst, src []byte, bins []uint16, places []uint32, width int) {
	if !hasLines(width) {
		for i, bin := range bins {
			p := int(places[bin])
			places[bin]++
			copy(dst[p*width:(p+1)*width], src[i*width:])
		}
		return
	}
	job := lineJob{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), places: unsafe.Pointer(&places[0]),
		first: unsafe.Pointer(&w.first[0]), lines: unsafe.Pointer(&w.lines[0]), shift: w.shift,
	}
	for len(bins) > 0 {
		job.src, job.bins, job.rows = unsafe.Pointer(&src[0]), unsafe.Pointer(&bins[0]), len(bins)
		n := scatterLines(&job, width)
		src, bins = src[n*width:], bins[n:]
		if len(bins) > 0 {
			w.fillFirst(dst, src, int(bins[0]), places, width)
			src, bins = src[width:], bins[1:]
		}
	}
}

// hasLines reports whether values of a width have open lines. Others are copied.
func hasLines(width int) bool { return width <= 32 && width&(width-1) == 0 }

// fillFirst moves a row that fills the first lines of a bin: they begin in another bin or share, so only the rows of
// this one are written.
func (w *WriteCombiner) fillFirst(dst, src []byte, bin int, places []uint32, width int) {
	p := int(places[bin])
	places[bin]++
	lines := w.of(bin)
	copy(lines[p*width&(len(lines)-1):], src[:width])
	w.flush(dst, bin, p+1, width)
}

// of are the open lines of a bin.
func (w *WriteCombiner) of(bin int) []byte { return w.lines[bin<<w.shift : (bin+1)<<w.shift] }

// flush writes the rows in the open lines of a bin, which end before place end.
func (w *WriteCombiner) flush(dst []byte, bin, end, width int) {
	lines := w.of(bin)
	hi := end * width
	lo := max((hi-1)&^(len(lines)-1), int(w.first[bin])*width)
	copy(dst[lo:hi], lines[lo&(len(lines)-1):])
}

// End writes what is left in the open lines.
func (w *WriteCombiner) End(dst []byte, places []uint32, width int) {
	if hasLines(width) {
		for bin, p := range places {
			if p > w.first[bin] && int(p)*width&(1<<w.shift-1) != 0 {
				w.flush(dst, bin, int(p), width)
			}
		}
	}
	storeFence()
}

// scatterLinesGo is the kernel in Go, with plain stores.
func scatterLinesGo(job *lineJob, width int) int {
	switch width {
	case 1:
		return scatterLinesOf[uint8](job)
	case 2:
		return scatterLinesOf[uint16](job)
	case 4:
		return scatterLinesOf[uint32](job)
	case 8:
		return scatterLinesOf[uint64](job)
	case 16:
		return scatterLinesOf[[2]uint64](job)
	default:
		return scatterLinesOf[[4]uint64](job)
	}
}

func scatterLinesOf[T any](job *lineJob) int {
	var zero T
	size := unsafe.Sizeof(zero)
	group := uintptr(1) << job.shift
	for i := range job.rows {
		bin := uintptr(*(*uint16)(unsafe.Add(job.bins, i*2)))
		place := (*uint32)(unsafe.Add(job.places, bin*4))
		at := uintptr(*place) * size
		lines, in := unsafe.Add(job.lines, bin<<job.shift), at&(group-1)
		full := in+size == group
		if full && at-in < uintptr(*(*uint32)(unsafe.Add(job.first, bin*4)))*size {
			return i
		}
		*(*T)(unsafe.Add(lines, in)) = *(*T)(unsafe.Add(job.src, uintptr(i)*size))
		*place++
		if full {
			copy(unsafe.Slice((*byte)(unsafe.Add(job.dst, at-in)), group), unsafe.Slice((*byte)(lines), group))
		}
	}
	return job.rows
}

// slowStore is what a row takes at least that is stored plainly to a line in no cache, on machines where open lines
// pay. A machine on which it takes 3.2 to 4.9 ns has gained nothing in whole sorts, since two workers that stream wait
// for the memory; one on which it takes 4.8 to 8.2 ns, as a rule 7.4, has gained up to a quarter, and one with 7.9 to
// 9.6 ns up to a half.
const slowStore = 5 * time.Nanosecond

// CombiningPays reports whether plain stores are slow on this machine, and open lines take less than 3/4 of their
// time. The first call in a process measures it, in about 4 ms.
var CombiningPays = sync.OnceValue(func() bool {
	lines, plain := timeScatters()
	return plain > slowStore*scatteredRows && lines*4 < plain*3
})

// scatteredRows are the rows that timeScatters times.
const scatteredRows = 1 << 15

// timeScatters scatters rows at random to 1,024 bins, by lines and by plain stores in turns, and returns the medians of
// the times. Every round writes to lines that no cache has, as in a partition of many rows.
func timeScatters() (lines, plain time.Duration) {
	const rounds, count, rows = 9, 1 << 10, scatteredRows
	const each = 1 << 9 // rows of a bin in each half of the memory, of which the rounds take 288 on average
	memory := alignedBytes(2 * count * each * 8)
	src, bins, rowPlaces := make([]byte, rows*8), make([]uint16, rows), make([]uint32, rows)
	var places [2][]uint32
	for way := range places {
		places[way] = make([]uint32, count)
		for bin := range places[way] {
			places[way][bin] = uint32((2*bin + way) * each)
		}
	}
	clear(memory) // so that it has pages
	flushLines(unsafe.Pointer(&memory[0]), len(memory)/LineBytes)
	w := NewWriteCombiner(make([]byte, BufferBytes(count)), count)
	w.Begin(places[0])
	var times [2][]time.Duration
	state := uint64(1)
	for range rounds {
		for i := range bins {
			state = state*6364136223846793005 + 1442695040888963407
			bins[i] = uint16(state >> 54)
		}
		start := time.Now()
		w.Scatter(memory, src, bins, places[0], 8)
		storeFence()
		middle := time.Now()
		Places(bins, rowPlaces, places[1])
		Scatter(memory, src, rowPlaces, 8)
		times[0], times[1] = append(times[0], middle.Sub(start)), append(times[1], time.Since(middle))
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return times[0][rounds/2], times[1][rounds/2]
}

// alignedBytes are n bytes that begin at a line.
func alignedBytes(n int) []byte {
	b := make([]byte, n+LineBytes)
	return b[-int(uintptr(unsafe.Pointer(&b[0])))&(LineBytes-1):][:n]
}
