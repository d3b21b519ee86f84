//lint:file-ignore U1000 these are layouts: the device reads what nothing here does

package gpu

import "unsafe"

// The structures that kernels read and write in the memory of the device, as kernels/abi.h describes them: 64-bit
// words.

// abiField is a Field: a piece of a code word.
type abiField struct {
	values, validity, bit, valueBit uint64
	form, width, stride             uint64
	sign, infinity                  uint64
	base, last                      [4]uint64
	shift, mul, bias, nan, null     uint64
	limb, descending                uint64
	down, up, mask                  uint64
}

// formKeys is the form, beside those of package keyencode, of several key columns that are read as one.
const formKeys = 8

// whyOrdered is the verdict that nothing has to be sorted.
const whyOrdered = 5

// abiColumn is a Column: a key column to be measured.
type abiColumn struct {
	values, validity, bit, valueBit   uint64
	form, width, stride               uint64
	sign, infinity                    uint64
	signBit, descending, nullsAtStart uint64
}

// abiStatistics are the Statistics of a column.
type abiStatistics struct {
	nulls, nans        uint64
	notMin, max        [4]uint64
	any, notAll        uint64
	rises, ties, falls uint64
	lock               uint64
}

// abiFew is a Few: a sort of few rows.
type abiFew struct {
	field               abiField
	classes, n, in, out uint64
}

// abiSelect is a Select of the first rows of an order.
type abiSelect struct {
	field                  abiField
	bits, n, k             uint64
	hits, apart, room      uint64
	sample, status         uint64
	selection, codes, rows uint64
	tied, selected         uint64
}

// abiSelection is a Selection: what the kernels of a select tell one another.
type abiSelection struct {
	border            uint64
	declined, sampled uint32
	ticket, unused    uint32
}

// abiSelected is Selected: what a select tells the host.
type abiSelected struct {
	candidates, tied, border uint64
}

// abiMany is a Many: a sort of more rows.
type abiMany struct {
	few                    abiFew
	meeting, numbers, tags uint64
	totals, told           uint64
}

// abiBuckets are Buckets: the memory of partition and finish.
type abiBuckets struct {
	field                       abiField
	column                      abiColumn
	codeBits                    uint64
	records                     [2]uint64
	rows                        uint64
	counts, starts, cursors     uint64
	firstStarts, firstCursors   uint64
	windows, verdict, rest      uint64
	n, bits, firstBits, rowBits uint64
	window, step                uint64
	second                      uint64
	numberMap, classCounts      uint64
	seen, report                uint64
	needed, tolerated           uint64
	orders                      uint64
}

type abi interface {
	abiField | abiColumn | abiStatistics | abiFew | abiMany | abiSelect | abiBuckets
}

// abiVerdict is a Verdict on partition and finish, of words of 32 bits.
type abiVerdict struct {
	goOn, why                 uint32
	sampled, neighbours, ties uint32
	oversized, largest        uint32
	records, below, above     uint32
	rest, ticket              uint32
	early, narrow, aside      uint32
	seems                     uint32
}

// abiReport is a Report of the look at a column.
type abiReport struct {
	verdict    abiVerdict
	statistics abiStatistics

	sample, plan uint64 // what they say
}

// Bits of such a word.
const (
	saysYes     = 1
	saysNo      = 2  // to partition and finish
	saysNarrow  = 4  // the map is narrow
	saysInOrder = 8  // the sample is in order
	saysAside   = 16 // most rows are of classes
	saysStrays  = 32 // a few rows are not in their places
)

// varying are the bits of numbers that vary; 0 if that is not known: a sample cannot tell that others do not.
func (r *abiReport) varying(width int) uint64 {
	bits := r.statistics.any & r.statistics.notAll
	if r.verdict.early != 0 && !allVary(width, bits) {
		return 0
	}
	return bits
}

// abiWords sees structures as words: they hold nothing else.
func abiWords[T abi](s []T) []uint64 {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))/8)
}
