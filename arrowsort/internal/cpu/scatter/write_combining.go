package scatter

import (
	"math/bits"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// A WriteCombiner collects up to four cache lines for each bin and writes them when they are full, with non-temporal
// stores on amd64. A plain store to a line that is not cached first reads that line. Where that is slow, as on some
// virtual machines, write combining is 2 to 3 times as fast; elsewhere there is little to gain: see CombiningPays. Each
// worker has one.
type WriteCombiner struct {
	buffers []byte   // of all bins
	first   []uint32 // the first place of each bin that these rows take
	shift   int      // log2 of the bytes of the buffer of a bin
}

const allBufferBytes = 512 << 10 // of all buffers: they stay in the L2 cache, unless the bins are very many

// BufferBytes returns the size of the buffers of a number of bins.
func BufferBytes(bins int) int { return bins << bufferShift(bins) }

// bufferShift is log2 of the bytes of the buffer of each bin.
func bufferShift(bins int) int {
	return bits.Len(uint(min(max(allBufferBytes/bins, LineBytes), 4*LineBytes))) - 1
}

// NewWriteCombiner returns a WriteCombiner for a number of bins. Their buffers are the given BufferBytes(bins) bytes.
func NewWriteCombiner(buffers []byte, bins int) WriteCombiner {
	return WriteCombiner{buffers, make([]uint32, bins), bufferShift(bins)}
}

// Begin empties the buffers, for rows from these places on.
func (w *WriteCombiner) Begin(places []uint32) { copy(w.first, places) }

// Scatter moves rows to the next places of their bins in dst, which begins at a line.
func (w *WriteCombiner) Scatter(dst, src []byte, bins []uint16, places []uint32, width int) {
	if !combines(width) {
		for i, bin := range bins {
			p := int(places[bin])
			places[bin]++
			copy(dst[p*width:(p+1)*width], src[i*width:])
		}
		return
	}
	job := rowsToCombine{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), places: unsafe.Pointer(&places[0]),
		first: unsafe.Pointer(&w.first[0]), buffers: unsafe.Pointer(&w.buffers[0]), shift: w.shift,
	}
	for len(bins) > 0 {
		job.src, job.bins, job.rows = unsafe.Pointer(&src[0]), unsafe.Pointer(&bins[0]), len(bins)
		n := combine(&job, width)
		src, bins = src[n*width:], bins[n:]
		if len(bins) > 0 {
			w.fillFirst(dst, src, int(bins[0]), places, width)
			src, bins = src[width:], bins[1:]
		}
	}
}

// combines reports whether values of a width go through the buffers. Others are copied.
func combines(width int) bool { return width <= 32 && width&(width-1) == 0 }

// fillFirst moves a row that fills the first lines of a bin: these begin in another bin or stripe, so only the rows of
// this one are written.
func (w *WriteCombiner) fillFirst(dst, src []byte, bin int, places []uint32, width int) {
	p := int(places[bin])
	places[bin]++
	buffer := w.buffer(bin)
	copy(buffer[p*width&(len(buffer)-1):], src[:width])
	w.flush(dst, bin, p+1, width)
}

// buffer returns that of a bin.
func (w *WriteCombiner) buffer(bin int) []byte { return w.buffers[bin<<w.shift : (bin+1)<<w.shift] }

// flush writes the rows in the buffer of a bin, which end before place end.
func (w *WriteCombiner) flush(dst []byte, bin, end, width int) {
	buffer := w.buffer(bin)
	hi := end * width
	lo := max((hi-1)&^(len(buffer)-1), int(w.first[bin])*width)
	copy(dst[lo:hi], buffer[lo&(len(buffer)-1):])
}

// End writes the rows that are still in the buffers.
func (w *WriteCombiner) End(dst []byte, places []uint32, width int) {
	if combines(width) {
		for bin, p := range places {
			if p > w.first[bin] && int(p)*width&(1<<w.shift-1) != 0 {
				w.flush(dst, bin, int(p), width)
			}
		}
	}
	storeFence()
}

// Write combining pays only where a store to an uncached line takes longer than slowStoreTime. A machine on which it
// takes 3.2 to 4.9 ns has gained nothing in whole sorts, since two workers that stream wait for the memory; one on
// which it takes 4.8 to 8.2 ns, as a rule 7.4, has gained up to a quarter, and one with 7.9 to 9.6 ns up to a half.
const slowStoreTime = 5 * time.Nanosecond

// CombiningPays reports whether plain stores are slow on this machine, and write combining takes less than 3/4 of their
// time. The first call in a process measures it, in about 4 ms.
var CombiningPays = sync.OnceValue(func() bool {
	combined, plain := timeScatters()
	return plain > slowStoreTime*scatteredRows && combined*4 < plain*3
})

// scatteredRows are the rows that timeScatters times.
const scatteredRows = 1 << 15

// timeScatters scatters rows at random to 1,024 bins, by write combining and by plain stores in turns, and returns the
// medians of the times. Every round writes to lines that no cache has, as in a partition of many rows.
func timeScatters() (combined, plain time.Duration) {
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
