//go:build cuda && linux && amd64

package argsort

import (
	"cmp"
	"math"
	"math/bits"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/incore"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/partition"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// sortCodes sorts by a source, and returns the sorted rows: 0 if all codes are equal and the rows are in the order of
// the input. It frees or reuses the memory of the source. scan is the same as a column in the order of the input; nil
// where the key scan has declined it. declined are the ways that have.
func sortCodes(t *device.Task, src onesweep.Source, scan *abi.KeySource, declined strategy.Kind) driver.Ptr {
	if rows, ok := sortBeforeDigits(t, &src, scan, declined); ok {
		return rows
	}
	return onesweep.Sort(t, encodeByDictionary(t, src, 64))
}

// sortBeforeDigits sorts in a single launch, or by partition and bucket sort. If both decline the source has the bits
// that vary, where the key scan has found them.
func sortBeforeDigits(t *device.Task, src *onesweep.Source, scan *abi.KeySource, declined strategy.Kind) (
	rows driver.Ptr, ok bool) {
	if declined&strategy.Grid == 0 {
		if rows, ok = incore.Sort(t, incore.ByCodes(*src), func() {}); ok {
			return rows, true
		}
	}
	if scan == nil || src.Width <= strategy.BucketCodeBits || !t.Facts.CanScan(t.Tuning, src.N) {
		return 0, false
	}
	if rows, _ = partition.Sort(t, *scan, src.N, func() {}); rows != 0 {
		t.Free(src.Codes, src.Column)
		return rows, true
	}
	if scan.Field() == src.Field { // else the bits are those of other numbers
		report := t.WaitForReport()
		src.Varying = partition.Varying(&report, src.Width)
	}
	return 0, false
}

// A dictionary is the different prefixes of the codes of a column: their bits from shift on.
type dictionary struct {
	*device.Task
	n      int        // rows
	field  driver.Ptr // of the column
	shift  int
	most   int // prefixes: with more a code has too many digits, or the dictionary no room
	count  int
	slotOf driver.Ptr // the slot of each row's prefix
	ranks  driver.Ptr // by slots
}

// encodeByDictionary encodes a source by a dictionary of the leading bits of its codes, where these take few values: a
// code becomes the rank of its prefix above its other bits. It returns the source as it is where that saves no time, or
// codes would have more bits than width.
func encodeByDictionary(t *device.Task, src onesweep.Source, width int) onesweep.Source {
	digits := strategy.Digits(src.Width)
	if src.Rows != 0 || strategy.EncodedDigits(t.Tuning, len(digits), src.N) < 2 {
		return src
	}
	d := &dictionary{Task: t, n: src.N, field: device.Put(t, src.Field)}
	counts := d.countPrefixes()
	varying := strategy.Varying(digits, cmp.Or(src.Varying, counts.Varying))
	fewer := strategy.EncodedDigits(t.Tuning, len(varying), src.N)
	most, mostWhole := strategy.MostEstimated(t.Tuning, src.N)
	shift, ok := counts.Shift(fewer, width, most, mostWhole)
	d.shift, d.most = shift, min(t.Tuning.DictionaryPrefixes, strategy.MostRanks(fewer, width, shift))
	if !ok || !d.insertPrefixes() {
		return src
	}
	defer t.Free(d.slotOf, d.ranks)
	codes := t.Alloc(d.bytes() * src.N)
	d.encodeRanks(codes)
	t.Free(src.Codes)
	encoded := onesweep.Source{Field: abi.Integers(codes, d.bytes()), Width: d.width(), N: src.N, RowBits: src.RowBits,
		Varying: math.MaxUint64 >> (64 - d.width())}
	if d.bytes() == 4 {
		encoded.Column = codes
	} else {
		encoded.Codes = codes
	}
	return encoded
}

// width is the bits of encoded codes.
func (d *dictionary) width() int { return d.shift + bits.Len(uint(d.count-1)) }

// bytes is the size of encoded codes.
func (d *dictionary) bytes() int {
	if d.width() <= 32 {
		return 4
	}
	return 8
}

// countPrefixes counts the prefixes of a sample.
func (d *dictionary) countPrefixes() *strategy.PrefixCounts {
	n := min(d.n, max(d.n>>11, 1<<13), kernels.ClusterRows)
	counts := &strategy.PrefixCounts{}
	codes, found := d.Alloc(8*n), d.Alloc(int(unsafe.Sizeof(*counts)))
	d.Launch("sample_codes", d.Blocks(n), uint64(d.field), uint64(d.n), uint64(n), uint64(codes), uint64(found))
	order := orderOf(d.Task, codes, n)
	const parts = 16 // blocks of each shift
	d.Launch("count_prefixes", parts*len(counts.Prefixes), uint64(codes), uint64(order), uint64(n), uint64(found))
	words := d.Words(found, int(unsafe.Sizeof(*counts))/8)
	*counts = *(*strategy.PrefixCounts)(unsafe.Pointer(&words[0]))
	d.Free(codes, order, found)
	return counts
}

// orderOf sorts n codes of 64 bits, and returns their row numbers.
func orderOf(t *device.Task, codes driver.Ptr, n int) driver.Ptr {
	src := onesweep.OfField(t, abi.Integers(codes, 8), n, 64)
	rows, ok := sortBeforeDigits(t, &src, abi.CodeColumn(codes, 8, 64), 0)
	if !ok {
		rows = onesweep.Sort(t, src)
	}
	return t.OrIota(rows, n)
}

// insertPrefixes finds the prefixes and their ranks. It returns false where there are too many, or the memory is full.
func (d *dictionary) insertPrefixes() (ok bool) {
	most := d.most
	slotBits := bits.Len(uint(d.Tuning.DictionaryPrefixes * 8 / 5)) // at most 5/8 of the slots are taken
	if !d.HasMemory(4*d.n + 12*(most+1<<slotBits)) {
		return false
	}
	const stateBytes = 16 // of a DictionaryState
	memory, ok := d.AllocAll(4*d.n, 8*most, 4*most, 8<<slotBits, 4<<slotBits, stateBytes)
	if !ok {
		return false
	}
	prefixes, places, slots, state := memory[1], memory[2], memory[3], memory[5]
	d.slotOf, d.ranks = memory[0], memory[4]
	defer d.Free(prefixes, places, slots, state)
	d.Clear(slots, 8<<slotBits)
	d.Clear(state, stateBytes)
	d.Clear(d.ranks, 4) // read, and not used, in place of ranks after the last row
	d.Launch("dictionary_insert", d.Blocks(d.n), uint64(d.field), uint64(d.n), uint64(d.shift), uint64(slots),
		uint64(slotBits), uint64(most), uint64(state), uint64(d.slotOf))
	d.Launch("dictionary_list", d.Blocks(1<<slotBits), uint64(slots), uint64(slotBits), uint64(prefixes),
		uint64(places), uint64(most), uint64(state))
	d.Moves(12 * d.n)
	found := d.Words(state, 1)[0]
	if d.count = int(uint32(found)); d.count < 2 || d.count > most || found>>32 != 0 {
		d.Free(d.slotOf, d.ranks)
		return false
	}
	order := orderOf(d.Task, prefixes, d.count)
	d.Launch("dictionary_ranks", d.Blocks(d.count), uint64(order), uint64(d.count), uint64(places), uint64(d.ranks))
	d.Free(order)
	return true
}

// encodeRanks makes the encoded codes.
func (d *dictionary) encodeRanks(codes driver.Ptr) {
	n, ranks, slotOf := uint64(d.n), uint64(d.ranks), uint64(d.slotOf)
	if d.shift == 0 {
		d.Launch("gather_4", d.Blocks(d.n), ranks, slotOf, n, uint64(codes))
	} else {
		d.Launch("dictionary_encode", d.Blocks(d.n), uint64(d.field), n, uint64(d.shift), slotOf, ranks,
			uint64(codes), uint64(d.bytes()))
	}
	d.Moves(20 * d.n)
}
