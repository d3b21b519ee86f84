//go:build cuda && linux && amd64

package argsort

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
)

// sortFixedPoint sorts a column of fixed-point floats by codes of 4 bytes. It returns 0 if the column has a float that
// the sample does not have the like of: then it has no code.
func (s *argsorter) sortFixedPoint(in *abi.KeySource, p *strategy.FixedPoint) (rows driver.Ptr) {
	size := int(unsafe.Sizeof(abi.FixedPointState{}))
	codes, state := s.Alloc(4*s.Rows+1), s.Alloc(size) // one more: not the caller's memory for the row numbers
	defer s.Free(state)
	s.Clear(state, size)
	report := &s.Reports.Report.Encoded
	*report = 0
	s.Launch("encode_fixed_point", s.Blocks(s.Rows), uint64(device.Put(s.Task, fixedPointField(in, p))),
		uint64(s.Rows), uint64(codes), uint64(state), uint64(uintptr(unsafe.Pointer(report))))
	s.Moves(12 * s.Rows)
	s.Prefetch()
	status := s.WaitForStatus(report)
	if status&abi.StatusAccepted == 0 {
		s.Free(codes)
		return 0
	}
	src := onesweep.OfField(s.Task, abi.Integers(codes, 4), s.Rows, p.Width)
	src.Column, src.Varying = codes, status>>abi.StatusConstantShift
	var scan *abi.KeySource
	if len(strategy.Varying(strategy.Digits(p.Width), src.Varying)) > fewFixedDigits {
		scan = abi.CodeColumn(codes, 4, 32)
	}
	return s.OrIota(sortCodes(s.Task, src, scan, strategy.Grid), s.Rows)
}

// fewFixedDigits are as fast as partition and bucket sort, which would need another sample, whatever the distribution.
const fewFixedDigits = 3

// fixedPointField is the field of encode_fixed_point.
func fixedPointField(in *abi.KeySource, p *strategy.FixedPoint) abi.Field {
	f := abi.Field{ColumnValues: in.Column.ColumnValues, Base: [4]uint64{0, p.Power, p.First},
		Last: [4]uint64{0, p.Last}, Mul: 1, Nan: p.Last + 1, Null: p.Last + 2}
	if in.Column.NullsAtStart != 0 {
		f.Null, f.Nan, f.Bias = 0, 1, 2
	}
	if in.Column.Descending != 0 {
		f.Mul, f.Bias = ^uint64(0), f.Bias+p.Last
	}
	return f
}
