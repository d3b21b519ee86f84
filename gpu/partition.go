//go:build cuda && linux && amd64

package gpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A lookout is the memory of a session by which kernels look at columns and the host learns what they have seen.
type lookout struct {
	zeros  driver.Ptr // the verdict, then the counts of buckets, then of classes
	bytes  int        // of zeros
	clear  bool       // they are zero: the kernels behind a look leave them so
	report *abiReport // pinned
	told   driver.Event
}

func (l *lookout) open(c *driver.Context) error {
	memory, err := c.NewPinned(int(unsafe.Sizeof(abiReport{})))
	if err != nil {
		return err
	}
	l.report = (*abiReport)(unsafe.Pointer(unsafe.SliceData(memory)))
	l.told, err = c.NewEvent()
	return err
}

// provide sees to it that so many bytes are zero.
func (t *task) provide(bytes int) {
	l := &t.lookout
	if l.bytes < bytes && !t.failed() {
		if l.zeros != 0 {
			t.fail(t.Free(l.zeros))
			l.zeros, l.bytes = 0, 0
		}
		size := sizeClass(bytes)
		p, err := t.Alloc(size)
		if err != nil {
			t.fail(t.memory.trim())
			p, err = t.Alloc(size)
		}
		if err != nil {
			t.fail(t.outOfMemory(size, err))
			return
		}
		l.zeros, l.bytes, l.clear = p, size, false
	}
	if !l.clear && !t.failed() {
		t.fail(t.Zero(l.zeros, l.bytes))
	}
}

// A view is a column as look reads it: a key's, or codes that were made before.
type view struct {
	column abiColumn
	bits   int // of its numbers
}

// viewOf sees a key column as it lies on the device, if look reads such columns.
func viewOf(p place, layout keyencode.DeviceColumn, key keyencode.Key) view {
	return view{column: columnOf(p, layout, key), bits: 8 * layout.Width}
}

func codesView(codes driver.Ptr, bits int) *view {
	return &view{abiColumn{values: uint64(codes), form: uint64(keyencode.FormInteger), width: 8, stride: 8}, bits}
}

// keysView sees several keys as one column of numbers, by their Fields on the device.
func keysView(fields driver.Ptr, keys, bits int) view {
	return view{abiColumn{values: uint64(fields), form: formKeys, width: 8, stride: uint64(keys)}, bits}
}

// field makes numbers of the whole range of a column's type, which order as its rows do.
func (v *view) field() abiField {
	c := &v.column
	f := abiField{
		values: c.values, validity: c.validity, bit: c.bit, form: c.form, width: c.width, stride: c.stride,
		sign: c.sign, infinity: c.infinity, base: [4]uint64{c.signBit}, mul: 1, mask: ^uint64(0),
	}
	if c.descending != 0 {
		f.mul, f.bias = ^uint64(0), ^uint64(0)>>(64-8*c.width)
	}
	return f
}

// canLook reports whether look takes so many rows on this device.
func (t *task) canLook(n int) bool {
	return n > 0 && n <= bucketMaxRows && fits(t.Shared, bucketKernels...)
}

// look looks at a column, and sorts its rows in the order of the input by partition and finish: it deals them to buckets by the leading
// bits of their numbers and finishes every bucket in the memory of a multiprocessor. All is launched at once; the device decides
// whether to go on. What it has seen comes back while it sorts. Of many rows the host waits for the verdict of the sample before it
// launches what comes behind the look: the look takes longer, and tens of thousands of blocks that only return take a while. rows is 0
// when the device has declined, because another way is quicker.
//
// Meanwhile is called when all is launched.
func (t *task) look(v view, n int, meanwhile func()) (rows driver.Ptr, seen abiReport) {
	shape := shapeBuckets(n, int(v.column.width), v.column.form == uint64(keyencode.FormFloat))
	if v.column.form == formKeys {
		shape = shapeKeys(n)
	}
	p := t.newPartition(v, shape, n)
	if t.launchLook(p, shape, n) {
		t.launchPartition(p, shape, n)
	}
	t.lookout.clear = !t.failed()
	meanwhile() // other streams must not have the memory that is free from now on
	t.free(p.temp, p.records[0], p.records[1])
	if t.failed() {
		return 0, seen
	}
	if t.fail(t.WaitFor(t.lookout.told)); t.err != nil {
		return 0, seen
	}
	seen = *t.lookout.report
	if seen.verdict.goOn == 0 {
		t.free(p.rows)
		return 0, seen
	}
	t.moves(52 * n)
	return p.rows, seen
}

// launchPartition launches what is behind the verdict, and leaves the counters clear.
func (t *task) launchPartition(p *partition, shape bucketShape, n int) {
	launch := t.launch
	if shape.early() {
		launch = t.launchEarly
	}
	launch(shape.partition(), shape.tiles(n), p.buckets...)
	if shape.first < shape.bits {
		launch("partition_second", n/kernels.PartitionSecondTile+1<<shape.first+1, p.buckets...)
	}
	launch(shape.finish(), shape.windows(n), p.buckets...)
	launch("finish_rest", t.Multiprocessors, p.buckets...)
}

// launchLook launches what ends with a verdict, and reports whether to launch more: not when the sample has declined already, so that
// nothing is counted.
func (t *task) launchLook(p *partition, shape bucketShape, n int) bool {
	t.lookout.clear = false // until all is launched that clears them again
	t.lookout.report.verdict.early = 0
	t.launch("sample", 1, p.buckets...)
	if !shape.small {
		t.fail(t.Record(t.lookout.told))
	}
	t.launch(shape.look(), t.lookBlocks(n), p.buckets...)
	if !shape.small {
		t.fail(t.WaitFor(t.lookout.told))
		if t.failed() || t.lookout.report.verdict.early != 0 {
			return false
		}
	}
	if shape.bits > kernels.SmallBucketBits {
		t.launch("bucket_plan", (1<<shape.bits+4095)/4096+kernels.Classes, p.buckets...)
	}
	t.fail(t.Record(t.lookout.told))
	return true
}

// lookBlocks is one block for each multiprocessor, or as many as there are rows for.
func (t *task) lookBlocks(n int) int {
	const rowsOfThread = 8
	perBlock := kernels.LookThreads * rowsOfThread
	return min(t.Multiprocessors, (n+perBlock-1)/perBlock)
}

// A partition is the memory of partition and finish.
type partition struct {
	buckets []uint64   // the words of the structure Buckets
	temp    driver.Ptr // all of the small arrays
	records [2]driver.Ptr
	rows    driver.Ptr
}

func (t *task) newPartition(v view, shape bucketShape, n int) *partition {
	buckets, windows := 1<<shape.bits, shape.windows(n)
	p := &partition{rows: t.alloc(4 * n)}
	p.records[0] = t.alloc(8 * n)
	if shape.first < shape.bits {
		p.records[1] = t.alloc(8 * n)
	}
	sizes := []int{
		4 * (buckets + 1), 4 * buckets, 4 * (1<<shape.first + 1), 4 << shape.first, 8 * (windows + 1), 8 * (buckets + windows),
		kernels.MapBytes, kernels.PartialBytes,
	}
	at, total := make([]uint64, len(sizes)), 0
	for i, size := range sizes {
		at[i] = uint64(total)
		total += (size + 255) &^ 255
	}
	p.temp = t.alloc(total)
	for i := range at {
		at[i] += uint64(p.temp)
	}
	verdictBytes := int(unsafe.Sizeof(abiVerdict{}))
	t.provide(verdictBytes + 4*buckets + 4*kernels.Classes*shape.tiles(n))
	zeros := uint64(t.lookout.zeros)
	p.buckets = abiWords([]abiBuckets{{
		field: v.field(), column: v.column, codeBits: uint64(v.bits), records: [2]uint64{uint64(p.records[0]), uint64(p.records[1])}, rows: uint64(p.rows),
		verdict: zeros, counts: zeros + uint64(verdictBytes), classCounts: zeros + uint64(verdictBytes+4*buckets),
		starts: at[0], cursors: at[1], firstStarts: at[2], firstCursors: at[3], windows: at[4], rest: at[5],
		numberMap: at[6], seen: at[7], report: uint64(uintptr(unsafe.Pointer(t.lookout.report))),
		n: uint64(n), bits: uint64(shape.bits), firstBits: uint64(shape.first), rowBits: rowBitsOf(n), window: uint64(shape.window),
		second: uint64(shape.bits - shape.first),
		needed: bucketCodeBits, tolerated: shape.tolerated(),
	}})
	return p
}
