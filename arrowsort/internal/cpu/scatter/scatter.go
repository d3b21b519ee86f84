// Package scatter stores values of rows at their places, and gathers them from there: kernels by width, plain or by
// software write combining.
package scatter

import "unsafe"

// LineBytes is the size of a cache line.
const LineBytes = 64

// Scatter stores the values of a block at the places of their rows. The places come from histograms of the same codes,
// so they are below the rows of dst: the loops check nothing.
func Scatter(dst, src []byte, places []uint32, width int) {
	switch width {
	case 1:
		scatterValues[uint8](dst, src, places)
	case 2:
		scatterValues[uint16](dst, src, places)
	case 4:
		scatterValues[uint32](dst, src, places)
	case 8:
		scatterValues[uint64](dst, src, places)
	case 16:
		scatterValues[[2]uint64](dst, src, places)
	case 32:
		scatterValues[[4]uint64](dst, src, places)
	default:
		for i, p := range places {
			copy(dst[int(p)*width:(int(p)+1)*width], src[i*width:])
		}
	}
}

// Gather stores the values of the given rows one after another.
func Gather(dst, src []byte, rows []uint32, width int) {
	switch width {
	case 1:
		gatherValues[uint8](dst, src, rows)
	case 2:
		gatherValues[uint16](dst, src, rows)
	case 4:
		gatherValues[uint32](dst, src, rows)
	case 8:
		gatherValues[uint64](dst, src, rows)
	case 16:
		gatherValues[[2]uint64](dst, src, rows)
	case 32:
		gatherValues[[4]uint64](dst, src, rows)
	default:
		for i, r := range rows {
			copy(dst[i*width:(i+1)*width], src[int(r)*width:])
		}
	}
}

//go:noinline
func scatterValues[T any](dst, src []byte, places []uint32) {
	var zero T
	size := unsafe.Sizeof(zero)
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	for i, p := range places {
		*(*T)(unsafe.Add(d, uintptr(p)*size)) = *(*T)(unsafe.Add(s, uintptr(i)*size))
	}
}

//go:noinline
func gatherValues[T any](dst, src []byte, rows []uint32) {
	var zero T
	size := unsafe.Sizeof(zero)
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	for i, r := range rows {
		*(*T)(unsafe.Add(d, uintptr(i)*size)) = *(*T)(unsafe.Add(s, uintptr(r)*size))
	}
}

// Places computes the places of rows whose bins are known, and moves the next place of each bin on.
//
//go:noinline
func Places(bins []uint16, places, next []uint32) {
	offsets := unsafe.Pointer(unsafe.SliceData(next))
	places = places[:len(bins)]
	for i, d := range bins {
		o := (*uint32)(unsafe.Add(offsets, uint64(d)*4))
		p := *o
		places[i] = p
		*o = p + 1
	}
}

// MakeRecords replaces the codes of rows from row on by their records.
//
//go:noinline
func MakeRecords(codes []uint64, rest, rowBits uint, row uint64) {
	rest, rowBits = rest&63, rowBits&63
	for i, x := range codes {
		codes[i] = x>>rest<<rowBits | row
		row++
	}
}

// Records stores the records of rows from row on at the next places of their bins.
//
//go:noinline
func Records(dst, codes []uint64, bins []uint16, next []uint32, rest, rowBits uint, row uint64) {
	offsets, records := unsafe.Pointer(unsafe.SliceData(next)), unsafe.Pointer(unsafe.SliceData(dst))
	rest, rowBits = rest&63, rowBits&63
	bins = bins[:len(codes)]
	for i, x := range codes {
		o := (*uint32)(unsafe.Add(offsets, uint64(bins[i])*4))
		p := *o
		*o = p + 1
		*(*uint64)(unsafe.Add(records, uint64(p)*8)) = x>>rest<<rowBits | row
		row++
	}
}

// Prefetch reads a byte of each line. Other workers may store to a few lines of a result at the same time, near the
// border of two stripes; what is read has no use, so that the race detector need not see it.
//
//go:norace
//go:noinline
func Prefetch(b []byte) (sum byte) {
	for i := 0; i < len(b); i += LineBytes {
		sum += b[i]
	}
	return sum
}

// TouchPages writes a byte of each page, however small pages are.
func TouchPages(b []byte) {
	for i := 0; i < len(b); i += 1 << 12 {
		b[i] = 0
	}
}

// rowsToCombine is a run of rows that one call of a kernel moves.
type rowsToCombine struct {
	dst     unsafe.Pointer
	src     unsafe.Pointer
	bins    unsafe.Pointer // 2 bytes for each row
	rows    int
	places  unsafe.Pointer // the next place of each bin, 4 bytes, which moves on
	first   unsafe.Pointer
	buffers unsafe.Pointer
	shift   int
}

// combineGo is the kernel of a WriteCombiner in Go, with plain stores. It returns what those in assembly return.
func combineGo(job *rowsToCombine, width int) int {
	switch width {
	case 1:
		return combineValues[uint8](job)
	case 2:
		return combineValues[uint16](job)
	case 4:
		return combineValues[uint32](job)
	case 8:
		return combineValues[uint64](job)
	case 16:
		return combineValues[[2]uint64](job)
	default:
		return combineValues[[4]uint64](job)
	}
}

func combineValues[T any](job *rowsToCombine) int {
	var zero T
	size := unsafe.Sizeof(zero)
	group := uintptr(1) << job.shift
	for i := range job.rows {
		bin := uintptr(*(*uint16)(unsafe.Add(job.bins, i*2)))
		place := (*uint32)(unsafe.Add(job.places, bin*4))
		at := uintptr(*place) * size
		buffer, in := unsafe.Add(job.buffers, bin<<job.shift), at&(group-1)
		full := in+size == group
		if full && at-in < uintptr(*(*uint32)(unsafe.Add(job.first, bin*4)))*size {
			return i
		}
		*(*T)(unsafe.Add(buffer, in)) = *(*T)(unsafe.Add(job.src, uintptr(i)*size))
		*place++
		if full {
			copy(unsafe.Slice((*byte)(unsafe.Add(job.dst, at-in)), group), unsafe.Slice((*byte)(buffer), group))
		}
	}
	return job.rows
}
