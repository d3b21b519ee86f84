package cpu

import "unsafe"

// scatter stores the values of a block at the places of their rows. The places come from histograms of the same codes,
// so they are below the rows of dst: the loops check nothing.
func scatter(dst, src []byte, places []uint32, width int) {
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

// gather stores the values of the given rows one after another.
func gather(dst, src []byte, rows []uint32, width int) {
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
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		r := (*[4]uint32)(rows[i:])
		v0, v1 := *(*T)(unsafe.Add(s, uintptr(r[0])*size)), *(*T)(unsafe.Add(s, uintptr(r[1])*size))
		v2, v3 := *(*T)(unsafe.Add(s, uintptr(r[2])*size)), *(*T)(unsafe.Add(s, uintptr(r[3])*size))
		o := (*[4]T)(unsafe.Add(d, uintptr(i)*size))
		o[0], o[1], o[2], o[3] = v0, v1, v2, v3
	}
	for ; i < len(rows); i++ {
		*(*T)(unsafe.Add(d, uintptr(i)*size)) = *(*T)(unsafe.Add(s, uintptr(rows[i])*size))
	}
}
