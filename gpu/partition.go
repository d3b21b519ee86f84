//go:build cuda && linux && amd64

package gpu

import (
	"sync/atomic"
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

	selected *abiSelected // pinned
}

func (l *lookout) open(c *driver.Context) error {
	memory, err := c.NewPinned(int(unsafe.Sizeof(abiReport{})))
	if err != nil {
		return err
	}
	l.report = (*abiReport)(unsafe.Pointer(unsafe.SliceData(memory)))
	if memory, err = c.NewPinned(int(unsafe.Sizeof(abiSelected{}))); err != nil {
		return err
	}
	l.selected = (*abiSelected)(unsafe.Pointer(unsafe.SliceData(memory)))
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
		size := sizeClass(bytes) // of sorts that grow not each has it made anew
		p := t.obtain(size, func() (driver.Ptr, error) { return t.memory.fresh(size) })
		if t.failed() {
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
	bits   int  // of its numbers
	orders bool // rows in order need no statistics
}

// viewOf sees a key column as it lies on the device, if look reads such columns.
func viewOf(p place, layout keyencode.DeviceColumn, key keyencode.Key) view {
	return view{column: columnOf(p, layout, key), bits: 8 * layout.Width, orders: true}
}

func codesView(codes driver.Ptr, bits int) *view {
	return &view{abiColumn{values: uint64(codes), form: uint64(keyencode.FormInteger), width: 8, stride: 8}, bits, true}
}

// keysView sees several keys as one column of numbers, by their Fields on the device.
func keysView(fields driver.Ptr, keys, bits int) view {
	return view{abiColumn{values: uint64(fields), form: formKeys, width: 8, stride: uint64(keys)}, bits, false}
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
	return n > 0 && n <= thresholds.bucketRows && fits(t.Shared, bucketKernels...)
}

// look looks at a column, and sorts its rows in the order of the input by partition and finish: it deals them to
// buckets by the leading bits of their numbers and finishes every bucket in the memory of a multiprocessor. All is
// launched at once; the device decides whether to go on. What it has decided comes back while it sorts. Of many rows
// the host waits for the verdict of the sample before it launches what comes behind the look: the look takes longer,
// and tens of thousands of blocks that only return take a while. Where most rows are of classes the others are sorted
// by digits. A column whose sample is in order has its row numbers written while its order is watched; should that
// break, all begins anew. rows is 0 when the device has declined, because another way is quicker.
//
// Meanwhile is called when all is launched.
func (t *task) look(v view, n int, meanwhile func()) (rows driver.Ptr) {
	shape := shapeBuckets(n, int(v.column.width))
	shape.floats = v.column.form == uint64(keyencode.FormFloat)
	if v.column.form == formKeys {
		shape = shapeKeys(n)
	}
	p := t.newPartition(v, shape, n)
	says := t.launchLook(p, &shape, n)
	t.launchBehind(p, shape, n, says)
	if says&saysInOrder != 0 {
		t.launch("watch_order", t.blocks(n), p.buckets...)
	}
	meanwhile() // other streams must not have the memory that is free from now on
	told := t.hear(&t.lookout.report.plan)
	if says&saysInOrder != 0 && told&saysNo != 0 {
		p.structure.orders = 0
		p.buckets = p.with(p.records[0], p.records[1])
		says = t.launchLook(p, &shape, n)
		t.launchBehind(p, shape, n, says)
		told = t.hear(&t.lookout.report.plan)
	}
	if told&saysStrays != 0 {
		t.launch("place_strays", t.blocks(n), p.buckets...)
	}
	t.lookout.clear = !t.failed() && told&saysAside == 0
	t.fail(t.Record(t.lookout.told))
	switch {
	case told&saysAside != 0:
		t.sortAside(p, v, shape, n)
	case told&saysYes == 0:
		t.lookout.clear = t.lookout.clear && !p.aside // they are in order, and nothing has taken the counts of classes
		t.free(p.rows)
		p.rows = 0
	default:
		t.moves(52 * n)
	}
	t.free(p.temp, p.records[0], p.records[1])
	return p.rows
}

// hear waits for what the device tells in a word, while it goes on; 0 when it has failed.
func (t *task) hear(word *uint64) (says uint64) {
	for says == 0 && !t.failed() {
		passed, err := t.Passed() // before the word: what is through has said all
		t.fail(err)
		says = atomic.LoadUint64(word)
		if passed {
			break
		}
	}
	if t.failed() {
		return 0
	}
	return says
}

// seen waits for all that the last look has seen, and with it for its sort.
func (t *task) seen() (report abiReport) {
	if t.failed() {
		return report
	}
	t.fail(t.WaitFor(t.lookout.told))
	return *t.lookout.report
}

// launchBehind launches what comes behind the look, and leaves the counters clear: nothing where the sample has
// declined or the rows seem to be in order, so that nothing is counted, and only the plan where most rows will be set
// aside.
func (t *task) launchBehind(p *partition, shape bucketShape, n int, says uint64) {
	if says&(saysYes|saysAside) == 0 {
		return
	}
	if shape.bits > kernels.SmallBucketBits {
		t.launch("bucket_plan", planBlocks(shape.bits), p.buckets...)
	}
	if p.aside {
		return
	}
	launch := t.launch
	if shape.early() {
		launch = t.launchEarly
	}
	launch(shape.partition(), shape.tiles(n), p.buckets...)
	if shape.first < shape.bits {
		launch("partition_second", n/kernels.PartitionSecondTile+1<<shape.first+1, p.buckets...)
	}
	if launch = t.launch; shape.finishesEarly(n) {
		launch = t.launchEarly
	}
	launch(shape.finish(), shape.windows(n), p.buckets...)
	t.launchEarly("finish_rest", t.Multiprocessors, p.buckets...) // all blocks of the finish are there before its own
}

// launchLook launches the sample and the look, and returns what the sample says: it may see that short codes tell all
// of the numbers apart.
func (t *task) launchLook(p *partition, shape *bucketShape, n int) (says uint64) {
	t.lookout.clear = false // until all is launched that clears them again
	report := t.lookout.report
	report.sample, report.plan = 0, 0
	t.launch("sample", 1, p.buckets...)
	t.launchEarly(shape.look(), t.lookBlocks(n), p.buckets...)
	if shape.small {
		return saysYes // or no: the kernels behind will know
	}
	says = t.hear(&report.sample)
	shape.exact = shape.exact || says&saysNarrow != 0
	p.aside = says&saysAside != 0
	return says
}

// planBlocks is blocks for so many bits of buckets, and one for each class.
func planBlocks(bits int) int {
	const perBlock = kernels.PlanThreads * kernels.PlanItems
	return (1<<bits+perBlock-1)/perBlock + kernels.Classes
}

// lookBlocks is one block for each multiprocessor, or as many as there are rows for.
func (t *task) lookBlocks(n int) int {
	perBlock := kernels.LookThreads * kernels.ChunkItems
	return min(t.Multiprocessors, (n+perBlock-1)/perBlock)
}

// bucketCodeBits is two digits: partition and finish is for codes of more bits.
const bucketCodeBits = 2 * kernels.RadixBits

// A partition is the memory of partition and finish.
type partition struct {
	structure abiBuckets
	buckets   []uint64   // its words
	temp      driver.Ptr // all of the small arrays
	records   [2]driver.Ptr
	rows      driver.Ptr
	aside     bool // the sample says that most rows are of classes
}

// with are the words of the structure with other memory for records.
func (p *partition) with(first, second driver.Ptr) []uint64 {
	b := p.structure
	b.records = [2]uint64{uint64(first), uint64(second)}
	return abiWords([]abiBuckets{b})
}

func (t *task) newPartition(v view, shape bucketShape, n int) *partition {
	buckets, windows := 1<<shape.bits, shape.windows(n)
	p := &partition{rows: t.alloc(4 * n)}
	p.records[0] = t.alloc(8 * n)
	if shape.first < shape.bits {
		p.records[1] = t.alloc(8 * n)
	}
	sizes := []int{
		4 * (buckets + 1), 4 * buckets, 4 * (1<<shape.first + 1), 4 << shape.first, 8 * (windows + 1),
		8 * (buckets + windows),
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
	p.structure = abiBuckets{
		field: v.field(), column: v.column, codeBits: uint64(v.bits),
		records: [2]uint64{uint64(p.records[0]), uint64(p.records[1])}, rows: uint64(p.rows),
		verdict: zeros, counts: zeros + uint64(verdictBytes), classCounts: zeros + uint64(verdictBytes+4*buckets),
		starts: at[0], cursors: at[1], firstStarts: at[2], firstCursors: at[3], windows: at[4], rest: at[5],
		numberMap: at[6], seen: at[7], report: uint64(uintptr(unsafe.Pointer(t.lookout.report))),
		n: uint64(n), bits: uint64(shape.bits), firstBits: uint64(shape.first), rowBits: rowBitsOf(n),
		window: uint64(shape.window), step: uint64(shape.step(n)),
		second: uint64(shape.bits - shape.first),
		needed: bucketCodeBits, tolerated: shape.tolerated(),
	}
	// Not thresholds.smallRows: there is room for rows out of place above this number of rows only (kernels/strays.h).
	if v.orders && n > kernels.SmallRows {
		p.structure.orders = 1
	}
	p.buckets = abiWords([]abiBuckets{p.structure})
	return p
}
