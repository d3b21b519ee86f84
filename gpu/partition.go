//go:build cuda && linux && amd64

package gpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// partition sorts the rows, in the order of the input, by codes of so many bits: it deals them to buckets by their leading bits and
// finishes every bucket in the memory of a multiprocessor. It declines, after a look at the codes, where digit binning is
// quicker.
func (b *binner) partition(field driver.Ptr, codeBits int) (rows driver.Ptr, ok bool) {
	if codeBits <= bucketCodeBits || b.rows > bucketMaxRows || !fits(b.Shared, bucketKernels...) {
		return 0, false
	}
	n := b.rows
	shape := shapeBuckets(n)
	p := b.newPartition(field, codeBits, shape)
	defer b.free(p.temp, p.records[0], p.records[1])
	b.launch("sample", 1, uint64(p.buckets))
	b.launch("bucket_histogram", b.histogramBlocks(kernels.HistogramThreads), uint64(p.buckets))
	b.launch("bucket_plan", (1<<shape.bits+4095)/4096, uint64(p.buckets))
	b.moves(8 * n)
	verdict := &abiVerdict{}
	b.download(host.BytesOf(verdict.words()), p.verdict)
	if b.wait() != nil || !verdict.accepts(n, codeBits) {
		b.free(p.rows)
		return 0, false
	}
	tiles := (n + kernels.PartitionTile - 1) / kernels.PartitionTile
	if shape.first < shape.bits {
		b.launch("partition_first", tiles, uint64(p.buckets))
		b.launch("partition_second", n/kernels.PartitionSecondTile+1<<shape.first+1, uint64(p.buckets))
	} else {
		b.launch("partition_only", tiles, uint64(p.buckets))
	}
	b.launch(shape.finish(codeBits), shape.windows(n), uint64(p.buckets))
	b.launch("finish_rest", b.Multiprocessors, uint64(p.buckets))
	b.moves(44 * n)
	return p.rows, true
}

// A partition is the memory of partition and finish.
type partition struct {
	buckets driver.Ptr // the structure Buckets
	temp    driver.Ptr // all of the small arrays
	records [2]driver.Ptr
	rows    driver.Ptr
	verdict driver.Ptr
}

func (b *binner) newPartition(field driver.Ptr, codeBits int, shape bucketShape) *partition {
	n, buckets, windows := b.rows, 1<<shape.bits, shape.windows(b.rows)
	p := &partition{rows: b.alloc(4 * n)}
	p.records[0] = b.alloc(8 * n)
	if shape.first < shape.bits {
		p.records[1] = b.alloc(8 * n)
	}
	// The counts come first: they alone have to be zero.
	sizes := []int{4 * buckets, int(unsafe.Sizeof(abiVerdict{})), 4 * (buckets + 1), 4 * buckets, 4 * (1<<shape.first + 1), 4 << shape.first, 8 * (windows + 1), 8 * (buckets + windows)}
	at, total := make([]uint64, len(sizes)), 0
	for i, size := range sizes {
		at[i] = uint64(total)
		total += (size + 255) &^ 255
	}
	p.temp = b.alloc(total)
	if !b.failed() {
		b.fail(b.Zero(p.temp, sizes[0]))
	}
	for i := range at {
		at[i] += uint64(p.temp)
	}
	p.verdict = driver.Ptr(at[1])
	p.buckets = put(b.task, abiBuckets{
		field: uint64(field), codeBits: uint64(codeBits), records: [2]uint64{uint64(p.records[0]), uint64(p.records[1])}, rows: uint64(p.rows),
		counts: at[0], verdict: at[1], starts: at[2], cursors: at[3], firstStarts: at[4], firstCursors: at[5], windows: at[6], rest: at[7],
		n: uint64(n), bits: uint64(shape.bits), firstBits: uint64(shape.first), rowBits: rowBitsOf(n), window: uint64(shape.window),
		second: uint64(shape.bits - shape.first),
	})
	return p
}
