//lint:file-ignore U1000 these are layouts: the device reads members that no Go code reads

package gpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
)

// The twins of the structures of kernels/abi.h, which describes their members. All members are words of 64 bits, but
// for abiSelection and abiDecision.

// abiValues are Values: those of a column.
type abiValues struct {
	values, validity, bit, valueBit uint64
	form, width, stride             uint64
	sign, infinity                  uint64
}

// abiField is a Field: one summand of a code word.
type abiField struct {
	abiValues
	base, last                  [4]uint64
	shift, mul, bias, nan, null uint64
	limb, descending            uint64
	down, up, mask              uint64
}

// Forms: the enumeration Form of kernels/abi.h, which describes them.
const (
	formNone      = 0
	formInteger   = 1
	formFloat     = 2
	formRank      = 3
	formBit       = 4
	formBigEndian = 5
	formDecimal   = 6
	formClass     = 7
	formKeys      = 8
)

// reasonOrdered is the reason to decline rows that are already in order.
const reasonOrdered = 5

// abiColumn is a Column: a key column whose statistics are computed.
type abiColumn struct {
	abiValues
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

// abiSmallSort is a SmallSort: a sort in a single launch.
type abiSmallSort struct {
	field               abiField
	classes, n, in, out uint64
}

// abiSelect is a Select: the first rows of an order.
type abiSelect struct {
	field                        abiField
	bits, n, k                   uint64
	hits, separateTies, capacity uint64
	sample, status               uint64
	selection, codes, rows       uint64
	tied, selected               uint64
}

// abiSelection is a Selection: the state that the kernels of a select share.
type abiSelection struct {
	border            uint64
	declined, sampled uint32
	ticket, unused    uint32
}

// abiSelected is a Selected: the result of a select for the host.
type abiSelected struct {
	candidates, tied, border uint64
}

// abiCooperativeSort is a CooperativeSort: a sort in a single cooperative launch.
type abiCooperativeSort struct {
	small                abiSmallSort
	state, numbers, tags uint64
	totals, status       uint64
}

// abiBuckets are Buckets: the memory of a partition and its bucket sort.
type abiBuckets struct {
	field                       abiField
	column                      abiColumn
	codeBits                    uint64
	records                     [2]uint64
	rows                        uint64
	counts, starts, cursors     uint64
	firstStarts, firstCursors   uint64
	ranges, decision, list      uint64
	n, bits, firstBits, rowBits uint64
	second                      uint64
	numberMap, classCounts      uint64
	partial, pieces, report     uint64
	minimumBits, maxOversized   uint64
	checksOrder, readsMore      uint64
}

type abi interface {
	abiField | abiColumn | abiStatistics | abiSmallSort | abiCooperativeSort | abiSelect | abiBuckets
}

// abiDecision is a Decision: whether partition and bucket sort suits a column.
type abiDecision struct {
	accepted, reason          uint32
	sampled, neighbours, ties uint32
	oversized, largest        uint32
	records, below, above     uint32
	listed, ticket            uint32
	early, narrow, split      uint32
	order                     uint32
}

// abiReport is a Report of the sample and the key scan.
type abiReport struct {
	decision   abiDecision
	statistics abiStatistics

	sample, plan uint64 // status words, of the bits below
}

// Bits of a status word: the enumeration SortStatus of kernels/abi.h.
const (
	statusAccepted  = 1
	statusDeclined  = 2
	statusNarrow    = 4   // the map is narrow
	statusInOrder   = 8   // the sample is in order
	statusSplit     = 16  // most rows are of classes
	statusUneven    = 32  // equalize is to be launched
	statusEqualized = 64  // the map is equalized
	statusPlanOnly  = 128 // no kernel is to be launched after the plan
)

// varying returns the bits of numbers that vary; 0 if unknown: bits that are constant in a sample may vary in other
// rows.
func (r *abiReport) varying(width int) uint64 {
	bits := r.statistics.any & r.statistics.notAll
	if r.decision.early != 0 && !strategy.AllVary(width, bits) {
		return 0
	}
	return bits
}

// abiBool is a member that is 1 or 0.
func abiBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// abiWords returns the words of structures, which hold nothing else.
func abiWords[T abi](s []T) []uint64 {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))/8)
}
