//lint:file-ignore U1000 these are layouts: the device reads members that no Go code reads

// Package abi has the structures that kernels read and write, and makes those of keys.
package abi

import "unsafe"

// The twins of the structures of kernels/abi.h, which describes their members. All members are words of 64 bits,
// but for those of Selection and Decision.

// ColumnValues are Values: those of a column.
type ColumnValues struct {
	Values, Validity, Bit, ValueBit uint64
	Form, Width, Stride             uint64
	Sign, Infinity                  uint64
}

// Field is a Field: one summand of a code word.
type Field struct {
	ColumnValues
	Base, Last                  [4]uint64
	Shift, Mul, Bias, Nan, Null uint64
	Limb, Descending            uint64
	Down, Up, Mask              uint64
}

// Forms: the enumeration Form of kernels/abi.h, which describes them.
const (
	FormNone      = 0
	FormInteger   = 1
	FormFloat     = 2
	FormRank      = 3
	FormBit       = 4
	FormBigEndian = 5
	FormDecimal   = 6
	FormClass     = 7
	FormKeys      = 8
)

// ReasonOrdered is the reason to decline rows that are already in order.
const ReasonOrdered = 5

// Column is a Column: a key column whose statistics are computed.
type Column struct {
	ColumnValues
	SignBit, Descending, NullsAtStart uint64
}

// Text is a Text: a key column of strings.
type Text struct {
	Starts, Width, Data      uint64
	Validity, Bit, Reference uint64
	Descending, NullsAtStart uint64
}

// Statistics are the Statistics of a column.
type Statistics struct {
	Nulls, Nans        uint64
	NotMin, Max        [4]uint64
	Any, NotAll        uint64
	Rises, Ties, Falls uint64
	lock               uint64
}

// SmallSort is a SmallSort: a sort in a single launch.
type SmallSort struct {
	Field               Field
	Classes, N, In, Out uint64
}

// Select is a Select: the first rows of an order.
type Select struct {
	Field                        Field
	Bits, N, K                   uint64
	Hits, SeparateTies, Capacity uint64
	Sample, Status               uint64
	Selection, Codes, Rows       uint64
	Tied, Selected               uint64
}

// Selection is a Selection: the state that the kernels of a select share.
type Selection struct {
	border            uint64
	declined, sampled uint32
	ticket, unused    uint32
}

// Selected is a Selected: the result of a select for the host.
type Selected struct {
	Candidates, Tied, Border uint64
}

// DigitCounts are DigitCounts: what a declined launch makes for the sort by digits that follows.
type DigitCounts struct {
	Field               Field
	CodesNull, Column   uint64
	Shifts, Bits, Count uint64
	Counts, CountsWords uint64
	Status, StatusWords uint64
	Report              uint64
}

// CooperativeSort is a CooperativeSort: a sort in a single cooperative launch.
type CooperativeSort struct {
	Small                SmallSort
	State, Numbers, Tags uint64
	Totals, Status       uint64
	Digits               DigitCounts
}

// Buckets are Buckets: the memory of a partition and its bucket sort.
type Buckets struct {
	Field                       Field
	Column                      Column
	CodeBits                    uint64
	Records                     [2]uint64
	Rows                        uint64
	Counts, Starts, Cursors     uint64
	FirstStarts, FirstCursors   uint64
	Ranges, Decision, List      uint64
	N, Bits, FirstBits, RowBits uint64
	Second                      uint64
	NumberMap, ClassCounts      uint64
	Partial, Pieces, Report     uint64
	MinimumBits, MaxOversized   uint64
	ChecksOrder, ReadsMore      uint64
	MoreBits, Crowded           uint64
	ValuesOnly, FixesPoint      uint64
	Page, EvenPage              uint64
	Extensions, Filled          uint64
}

// FixedPointState is a FixedPointState: what the blocks of encode_fixed_point share.
type FixedPointState struct {
	any, notAll, misfit, ticket uint32
}

// A Structure is one that kernels read.
type Structure interface {
	Field | Column | Text | Statistics | SmallSort | CooperativeSort | Select | Buckets
}

// Decision is a Decision: whether partition and bucket sort suits a column.
type Decision struct {
	Accepted, Reason          uint32
	sampled, neighbours, ties uint32
	oversized, largest        uint32
	Records, Below, Above     uint32
	listed, ticket            uint32
	Early, Narrow, Split      uint32
	order, extended, outside  uint32
	unused                    [2]uint32
}

// Report is a Report of the sample and the key scan.
type Report struct {
	Decision   Decision
	Statistics Statistics

	Sample, Plan, Encoded uint64 // status words, of the bits below
}

// Bits of a status word: the enumeration SortStatus of kernels/abi.h.
const (
	StatusAccepted   = 1
	StatusDeclined   = 2
	StatusNarrow     = 4    // the map is narrow
	StatusInOrder    = 8    // the sample is in order
	StatusSplit      = 16   // most rows are of classes
	StatusUneven     = 32   // equalize is to be launched
	StatusEqualized  = 64   // the map is equalized
	StatusPlanOnly   = 128  // no kernel is to be launched after the plan
	StatusCrowded    = 256  // more buckets are needed
	StatusCounted    = 512  // digits are counted
	StatusFixed      = 1024 // floats are fixed-point numbers
	StatusSharesNull = 2048 // a value has the code of null
	StatusEven       = 4096 // buckets have pages

	StatusConstantShift = 16 // of what follows these bits: digits that are constant, for example
)

// Bool is a member that is 1 or 0.
func Bool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Words returns the words of structures, which hold nothing else.
func Words[T Structure](s []T) []uint64 {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))/8)
}
