package cpu

import (
	"math/bits"
	"unsafe"
)

// A lineScatter moves rows to their bins through open lines: a few cache lines for each bin, which are written to their
// place when they are full, on amd64 past the caches. A plain store to a line that is in no cache reads it first. Where
// that is slow, as on some virtual machines, whole lines are 2 to 3 times as fast; where it is not, there is little to
// gain: see linesAreFaster. Each worker has one.
type lineScatter struct {
	lines []byte   // of each bin
	first []uint32 // the first place of each bin that these rows take
	shift int      // log2 of the bytes of the lines of a bin
}

const (
	lineBytes = 64
	openBytes = 512 << 10 // of all open lines: they stay in the L2 cache, unless the bins are very many
)

// newLineScatters returns one for each worker, and the lines of all.
func (p *partition) newLineScatters(workers int) (ws []lineScatter, lines []byte, err error) {
	shift := lineShift(p.binner.bins)
	each := p.binner.bins << shift
	if lines, err = p.mem.Bytes(workers * each); err != nil {
		return nil, nil, err
	}
	ws = make([]lineScatter, workers)
	for i := range ws {
		ws[i] = lineScatter{lines[i*each:][:each], make([]uint32, p.binner.bins), shift}
	}
	return ws, lines, nil
}

// lineShift is log2 of the bytes of the open lines of each bin.
func lineShift(bins int) int {
	return bits.Len(uint(min(max(openBytes/bins, lineBytes), 4*lineBytes))) - 1
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

// begin opens the lines for the rows from these places on.
func (w *lineScatter) begin(places []uint32) { copy(w.first, places) }

// scatter moves rows to the next places of their bins in dst, which begins at a line.
func (w *lineScatter) scatter(dst, src []byte, bins []uint16, places []uint32, width int) {
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
func (w *lineScatter) fillFirst(dst, src []byte, bin int, places []uint32, width int) {
	p := int(places[bin])
	places[bin]++
	lines := w.of(bin)
	copy(lines[p*width&(len(lines)-1):], src[:width])
	w.flush(dst, bin, p+1, width)
}

// of are the open lines of a bin.
func (w *lineScatter) of(bin int) []byte { return w.lines[bin<<w.shift : (bin+1)<<w.shift] }

// flush writes the rows in the open lines of a bin, which end before place end.
func (w *lineScatter) flush(dst []byte, bin, end, width int) {
	lines := w.of(bin)
	hi := end * width
	lo := max((hi-1)&^(len(lines)-1), int(w.first[bin])*width)
	copy(dst[lo:hi], lines[lo&(len(lines)-1):])
}

// end writes what is left in the open lines.
func (w *lineScatter) end(dst []byte, places []uint32, width int) {
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
